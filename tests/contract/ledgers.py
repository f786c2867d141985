"""The ledgers that the contract suite runs on, each with a clock that stands until it is moved."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from adapters.store.sqlite import SqliteLedger, migrate
from fixtures.memory_ledger import MemoryLedger
from reconciler.ports import Ledger

GRAPH_URL: Final = "https://graph.example"
NOON: Final = datetime(2026, 3, 10, 12, 0, 0, 123_456, tzinfo=UTC)


@dataclass
class StandingClock:
    """Tells `time` until somebody moves it."""

    time: datetime = field(default=NOON)

    def __call__(self) -> datetime:
        return self.time

    def pass_by(self, duration: timedelta) -> datetime:
        """Let this much time pass at once."""
        self.time += duration
        return self.time


OpenLedger = MemoryLedger | SqliteLedger


def _memory(clock: StandingClock, _: Path) -> OpenLedger:
    return MemoryLedger(clock)


def _sqlite_in_memory(clock: StandingClock, _: Path) -> OpenLedger:
    return SqliteLedger.in_memory(now=clock)


def _sqlite_file(clock: StandingClock, folder: Path) -> OpenLedger:
    url = new_file(folder)
    return SqliteLedger.open(url, now=clock)


def new_file(folder: Path) -> str:
    """The URL of a new ledger in this folder."""
    url = f"sqlite:///{folder / 'ledger.db'}"
    migrate(url, graph_url=GRAPH_URL)
    return url


LEDGERS: Final[Mapping[str, Callable[[StandingClock, Path], OpenLedger]]] = {
    "memory": _memory,
    "sqlite_in_memory": _sqlite_in_memory,
    "sqlite_file": _sqlite_file,
}


def keeps_the_port(ledger: OpenLedger) -> Ledger:
    """For the type checker: each of them is a `Ledger`."""
    return ledger
