"""The ledgers that the contract suite runs on, each with a clock that stands until it is moved."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from adapters.store.ledger import SqlLedger
from adapters.store.postgres import PostgresLedger
from adapters.store.sqlite import SqliteLedger
from fixtures.memory_ledger import MemoryLedger
from fixtures.postgres_pooler import pooler_before
from reconciler.ports import Ledger
from tests.databases import new_file
from tests.postgres import Postgres

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


OpenLedger = MemoryLedger | SqlLedger


@dataclass(frozen=True)
class Place:
    """Where ledgers may be made."""

    folder: Path
    postgres: Postgres


@asynccontextmanager
async def _memory(clock: StandingClock, _: Place) -> AsyncIterator[OpenLedger]:
    yield MemoryLedger(clock)


@asynccontextmanager
async def _sqlite_in_memory(clock: StandingClock, _: Place) -> AsyncIterator[OpenLedger]:
    async with aclosing(SqliteLedger.in_memory(now=clock)) as ledger:
        yield ledger


@asynccontextmanager
async def _sqlite_file(clock: StandingClock, place: Place) -> AsyncIterator[OpenLedger]:
    async with aclosing(SqliteLedger.open(new_file(place.folder), now=clock)) as ledger:
        yield ledger


@asynccontextmanager
async def _postgres(clock: StandingClock, place: Place) -> AsyncIterator[OpenLedger]:
    url = place.postgres.migrated()
    async with aclosing(PostgresLedger.open(url, now=clock, accept_unsafe=True)) as ledger:
        yield ledger
    place.postgres.drop(url)


@asynccontextmanager
async def _postgres_pooled(clock: StandingClock, place: Place) -> AsyncIterator[OpenLedger]:
    url = place.postgres.migrated()
    with pooler_before(url) as pooled:
        async with aclosing(PostgresLedger.open(pooled, now=clock, accept_unsafe=True)) as ledger:
            yield ledger
    place.postgres.drop(url)


Opening = Callable[[StandingClock, Place], AbstractAsyncContextManager[OpenLedger]]
LEDGERS: Final[Mapping[str, Opening]] = {
    "memory": _memory,
    "sqlite_in_memory": _sqlite_in_memory,
    "sqlite_file": _sqlite_file,
    "postgres": _postgres,
    "postgres_pooled": _postgres_pooled,
}


def keeps_the_port(ledger: OpenLedger) -> Ledger:
    """For the type checker: each of them is a `Ledger`."""
    return ledger
