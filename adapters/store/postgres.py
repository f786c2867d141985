"""The ledger on PostgreSQL: many machines, pooled connections, the database's own clock.

A transaction is one plain function, the same as on SQLite, run between our BEGIN and COMMIT on a
connection that it has alone. A caller that is cancelled neither tears it nor waits for it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from datetime import datetime
from typing import Any, Final, Self, TypeVar

from sqlalchemy import Connection, text

from . import identity, schema
from .columns import EPOCH, MICROSECOND
from .ledger import Locking, SqlLedger
from .postgres_connecting import commit, one_transaction, shown_database
from .postgres_database import PostgresDatabase
from .postgres_durability import refuse_unsafe
from .postgres_identity import TIME, place_of, print_of
from .postgres_url import conninfo_of

Result = TypeVar("Result")
Now = Callable[[], datetime]

_ONE_AT_A_TIME: Final = text(
    "SELECT pg_advisory_xact_lock(hashtextextended('migrate the ledger', 0))"
)
_log = logging.getLogger(__name__)


def migrate(url: str, *, graph_url: str, accept: bool = False, accept_unsafe: bool = False) -> str:
    """Bring the schema of an existing database up to date, in one transaction, one at a time.

    Returns the database that was really connected to, as it may be shown.

    `accept` says that a restored or cloned database, or one of another GRAPH_URL, is meant. Raises
    `ForeignLedger` without it, and then nothing was changed. `accept_unsafe` takes a server that
    loses commits in a power cut: for tests.
    """
    with one_transaction(conninfo_of(url)) as connection:
        refuse_unsafe(connection, accept_unsafe=accept_unsafe)
        connection.execute(_ONE_AT_A_TIME)
        schema.refuse_a_strangers(connection)
        schema.upgrade(connection)
        identity.settle(
            connection,
            graph_url=graph_url,
            file_print=print_of(connection),
            now=_time_of(connection),
            accept=accept,
        )
        shown = shown_database(connection)
        commit(connection)
    return shown


def _time_of(connection: Connection) -> datetime:
    microseconds: int = connection.execute(text(f"SELECT {TIME}")).scalar_one()
    return EPOCH + microseconds * MICROSECOND


class PostgresLedger(SqlLedger):
    """`Ledger` on a PostgreSQL database. Made by `open`; closed by `aclose`."""

    def __init__(self, database: PostgresDatabase, now: Now | None) -> None:
        self._database = database
        self._clock = now  # None: the database's
        self._running: set[asyncio.Task[Any]] = set()

    @classmethod
    def open(
        cls,
        url: str,
        *,
        graph_url: str | None = None,
        now: Now | None = None,
        accept_unsafe: bool = False,
    ) -> Self:
        """Open an existing ledger for one event loop. Raises `WrongSchema` or `ForeignLedger`, and
        `LedgerUnavailable` for a server that loses commits, unless a test accepts that; blocks for
        as long as one connection takes.

        `now` gives the ledger's time, aware UTC, in place of the database's clock; it is read once
        per transaction, after what had to be waited for.
        """
        conninfo = conninfo_of(url)
        with one_transaction(conninfo) as connection:
            refuse_unsafe(connection, accept_unsafe=accept_unsafe)
            schema.check(connection)
            identity.check(connection, graph_url=graph_url, file_print=print_of(connection))
            place = place_of(connection)
        return cls(PostgresDatabase(conninfo, place), now)

    async def now(self) -> datetime:
        """What the database's clock says."""
        return await self._read(lambda _, now: now)

    async def aclose(self) -> None:
        """Let what runs end, then close; safe to call again."""
        await asyncio.gather(*self._running, return_exceptions=True)
        await self._database.close()

    async def _read(self, body: Callable[[Connection, datetime], Result]) -> Result:
        return await self._run(self._database.read(self._with_our_time(body)))

    async def _write(
        self, body: Callable[[Connection, datetime], Result], locked: Locking | None = None
    ) -> Result:
        return await self._run(self._database.write(self._with_our_time(body), locked))

    def _with_our_time(
        self, body: Callable[[Connection, datetime], Result]
    ) -> Callable[[Connection, datetime], Result]:
        clock = self._clock
        return body if clock is None else lambda connection, _: body(connection, clock())

    async def _run(self, transaction: Coroutine[Any, Any, Result]) -> Result:
        running = asyncio.create_task(transaction)
        self._running.add(running)
        running.add_done_callback(self._running.discard)
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            # The caller goes; the transaction commits or rolls back all the same.
            running.add_done_callback(_tell_how_it_ended)
            raise


def _tell_how_it_ended(running: asyncio.Task[Any]) -> None:
    error = None if running.cancelled() else running.exception()
    if error is not None:
        # Whoever stopped it was told so; that this too came to nothing is no trouble of theirs.
        _log.info("stopped in the middle of a transaction, which then failed: %s", error)
