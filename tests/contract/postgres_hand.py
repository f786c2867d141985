"""A PostgreSQL ledger looked at and disturbed by hand, from connections and threads of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any, Final

import psycopg

from adapters.store.postgres import PostgresLedger
from reconciler.ports import Around, Change, Guard, View
from tests.contract.ledgers import StandingClock

LOOKS_MAX: Final = 2_000
PATIENCE: Final = 20.0
"""Seconds for what takes milliseconds."""


@dataclass(frozen=True)
class Hand:
    """Somebody with psql."""

    url: str

    def ask(self, statement: str, *given: Any) -> list[tuple[Any, ...]]:
        """Run one statement in a transaction of its own; its rows."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            cursor = connection.execute(statement.encode(), given)
            return cursor.fetchall() if cursor.description else []

    @contextmanager
    def holding(self, *statements: str) -> Iterator[psycopg.Connection[Any]]:
        """A transaction in which these were run; committed at the end."""
        with psycopg.connect(self.url) as connection:
            for statement in statements:
                connection.execute(statement.encode())
            yield connection

    def ledger(self, clock: StandingClock | None = None) -> PostgresLedger:
        """Another worker's ledger on the same database."""
        return PostgresLedger.open(self.url, now=clock, accept_unsafe=True)

    async def until_somebody_waits(self, transactions: int = 1) -> None:
        """Return once this many transactions wait for locks of others."""
        for _ in range(LOOKS_MAX):
            if self.ask(_WAITING) == [(transactions,)]:
                return
            await asyncio.sleep(0.005)
        raise AssertionError(f"not {transactions} but {self.ask(_WAITING)} wait")

    def cut_everybody_off(self) -> None:
        """End every other connection to this database."""
        self.ask(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


_WAITING: Final = (
    "SELECT count(*) FROM pg_stat_activity"
    " WHERE datname = current_database() AND wait_event_type = 'Lock'"
)


class Standing:
    """A change of another worker that stands still in the middle of its transaction."""

    def __init__(self) -> None:
        self.seen: View | None = None
        self._begun = threading.Event()
        self._go_on = threading.Event()

    @asynccontextmanager
    async def changing(
        self,
        hand: Hand,
        document_id: str,
        guard: Guard,
        decide: Callable[[View], Change],
        around: Around | None = None,
    ) -> AsyncIterator[None]:
        """In the block it has decided and not committed; at the end it does."""

        def stand(view: View) -> Change:
            self.seen = view
            decided = decide(view)
            self._begun.set()
            assert self._go_on.wait(PATIENCE)
            return decided

        async def run() -> None:
            ledger = hand.ledger(StandingClock())
            await ledger.change(document_id, guard, stand, around=around)
            await ledger.aclose()

        running = asyncio.create_task(asyncio.to_thread(_in_a_loop, run()))
        assert await asyncio.to_thread(self._begun.wait, PATIENCE)
        try:
            yield
        finally:
            self._go_on.set()
            await running


def _in_a_loop(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(work)
