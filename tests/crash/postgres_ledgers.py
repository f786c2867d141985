"""PostgreSQL ledgers for crash tests: one database, emptied before each story.

Under virtual time nothing may pass while the database works. So the ledger runs on a real loop of
its own thread, and the story's loop stands still until each transaction has ended.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy import Connection

from adapters.store.ledger import Locking, SqlLedger
from adapters.store.postgres import PostgresLedger

Result = TypeVar("Result")
Clock = Callable[[], datetime]


class RealLoop:
    """An event loop in a thread; whoever asks it for something stands still until it is done."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Its result, or what it raised."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def close(self) -> None:
        """End it. Nothing may run."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


class InlinePostgres(SqlLedger):
    """The product's ledger, each transaction of which is one step of the caller."""

    def __init__(self, ledger: PostgresLedger, loop: RealLoop) -> None:
        self._ledger = ledger
        self._loop = loop

    async def now(self) -> datetime:
        """The story's time, as at every transaction."""
        return self._loop.run(self._ledger.now())

    async def aclose(self) -> None:
        """Nothing: whoever made this closes what it stands on."""

    async def _read(self, body: Callable[[Connection, datetime], Result]) -> Result:
        return self._loop.run(self._ledger._read(body))

    async def _write(
        self, body: Callable[[Connection, datetime], Result], locked: Locking | None = None
    ) -> Result:
        return self._loop.run(self._ledger._write(body, locked))


class PostgresForStories:
    """Opens one ledger after the other on a database, each empty, on the clock of its story."""

    def __init__(self, url: str) -> None:
        self._clock: Clock | None = None
        self._loop = RealLoop()
        self._ledger = self._loop.run(self._opened(url))

    def __call__(self, clock: Clock) -> InlinePostgres:
        """A new ledger. It ends the last one."""
        self._clock = clock
        self._loop.run(self._ledger._write(_empty))
        return InlinePostgres(self._ledger, self._loop)

    def close(self) -> None:
        """Close the connections."""
        self._loop.run(self._ledger.aclose())
        self._loop.close()

    async def _opened(self, url: str) -> PostgresLedger:
        return PostgresLedger.open(url, now=self._now, accept_unsafe=True)

    def _now(self) -> datetime:
        assert self._clock is not None
        return self._clock()


def _empty(connection: Connection, _: datetime) -> None:
    for name in ("document", "account", "worker"):  # the others hang on the document or are kept
        connection.exec_driver_sql(f"DELETE FROM {name}")


@contextmanager
def stories_on(url: str) -> Iterator[PostgresForStories]:
    """Ledgers on this database, until the end."""
    opener = PostgresForStories(url)
    try:
        yield opener
    finally:
        opener.close()
