"""A PostgreSQL database as the ledger needs it: durable commits, one function in one transaction.

Knows nothing of decisions. Transactions are begun and ended in plain SQL: whether a commit was
acknowledged is a question that no layer between may answer for us. Everything that is set is set
for one transaction, so that a transaction pooler may stand between.

**What runs at the same time.** A write locks what it is about before it reads the time and anything
else: the account of its documents, which is shared among writes and had alone by one that reads its
surroundings, and then their rows. Every later statement therefore sees all that whoever had the
lock before has committed: read committed is enough, and *surroundings are one value*. A guard alone
would not do: an `UPDATE` that waited for the row looks again at the row as it is by then, but at
other tables as they were when it began to wait.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import datetime, timedelta
from itertools import count
from typing import Any, Final, TypeVar, cast

import psycopg
from psycopg.errors import Diagnostic
from psycopg.pq import TransactionStatus
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as NoConnectionFree
from sqlalchemy.ext.asyncio import AsyncConnection

from reconciler.errors import CommitUnknown, LedgerUnavailable

from . import identity
from .accounts import Overtaken
from .columns import EPOCH, mended
from .ledger import LockedTogether, Locking
from .postgres_advice import said
from .postgres_connecting import POOL_SIZE, POOL_WAIT_SECONDS, pooled
from .postgres_errors import may_run_again, translated, was_rolled_back
from .postgres_identity import PLACE, TIME

Result = TypeVar("Result")
Body = Callable[[Connection, datetime], Result]
"""What runs in a transaction, with the database's time."""

Driver = psycopg.AsyncConnection[Any]
End = Callable[[Driver], Awaitable[None]]
Given = tuple[Any, ...]

PATIENCE_SECONDS: Final = 30
"""How long a transaction waits for a lock, or the server for our next statement."""

DEADLINE_SECONDS: Final = 45
"""How long a transaction may take in all; then its connection is cut."""

RUNS_MAX: Final = 10
"""How often a transaction is run that others overtake each time."""

_SETTINGS: Final = f"""
SET LOCAL synchronous_commit = on;
SET LOCAL lock_timeout = '{PATIENCE_SECONDS}s';
SET LOCAL idle_in_transaction_session_timeout = '{PATIENCE_SECONDS}s';
"""
_TIME_AND_PLACE: Final = f"SELECT {TIME}, {PLACE}"
_READ: Final = f"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;{_SETTINGS}{_TIME_AND_PLACE}"
_WRITE: Final = f"BEGIN ISOLATION LEVEL READ COMMITTED;{_SETTINGS}"
_LOCK: Final = """
SELECT {lock}(hashtextextended(account_id, 0)) FROM document WHERE id = %s FOR NO KEY UPDATE;
"""
_SHARED: Final = _LOCK.format(lock="pg_advisory_xact_lock_shared")
_ALONE: Final = _LOCK.format(lock="pg_advisory_xact_lock")
# As above, where the server locks the account before the row: so nobody waits in a circle.
_TOGETHER: Final = """
SELECT pg_advisory_xact_lock(hashtextextended(%s, 0));
SELECT 1 FROM document WHERE id = ANY(%s) ORDER BY id FOR NO KEY UPDATE;
"""


class PostgresDatabase:
    """Runs functions in transactions, on pooled connections of one event loop."""

    def __init__(self, conninfo: str, place: str) -> None:
        """`place` is where the accepted ledger stands: `postgres_identity.place_of`."""
        self._engine = pooled(conninfo)
        self._free = asyncio.Semaphore(POOL_SIZE)
        self._place = place

    async def read(self, body: Body[Result]) -> Result:
        """Run `body` on one unchanging state of the database."""
        return await self._repeated(body, _READ, (), _let_go)

    async def write(self, body: Body[Result], locked: Locking | None = None) -> Result:
        """Run `body` and commit. On return what it wrote would survive a power cut.

        Raises `LedgerUnavailable` where nothing was changed, `CommitUnknown` where that is not
        known, and whatever `body` raises, after rolling back. `body` is run again where another
        transaction was quicker.
        """
        if locked is None:
            return await self._repeated(body, _WRITE + _TIME_AND_PLACE, (), _commit)
        lock, given = _locking(locked)
        return await self._repeated(body, _WRITE + lock + _TIME_AND_PLACE, given, _commit)

    async def close(self) -> None:
        """Close the connections. Nothing may run."""
        await self._engine.dispose()

    async def _repeated(self, body: Body[Result], begin: str, given: Given, end: End) -> Result:
        with translated():
            for run in count(1):
                try:
                    return await self._transaction(body, begin, given, end)
                except _NotBegun:
                    if run > 1:
                        raise
                    # Connections that the server closed while they were idle: there may be more.
                    await self._engine.dispose()
                except (psycopg.Error, DBAPIError, Overtaken) as error:
                    if run == RUNS_MAX or not may_run_again(error):
                        raise
        raise AssertionError("unreachable")

    async def _transaction(self, body: Body[Result], begin: str, given: Given, end: End) -> Result:
        async with self._room(), self._connected() as (connection, driver):
            now, place = await _begun(driver, begin, given)
            if place != self._place:
                raise identity.moved()
            result = await connection.run_sync(body, now)
            await end(driver)
            return result

    @asynccontextmanager
    async def _room(self) -> AsyncIterator[None]:
        """A share of the connections, waited for here: who waits in the pool itself is not told
        when all that were being made failed, and waits his whole time for a database that is away.
        """
        try:
            async with asyncio.timeout(POOL_WAIT_SECONDS):
                await self._free.acquire()
        except TimeoutError as error:
            raise NoConnectionFree from error
        try:
            yield
        finally:
            self._free.release()

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[tuple[AsyncConnection, Driver]]:
        """A connection of the pool, given back clean or not at all.

        A pool that was disposed of meanwhile takes none back and closes none: it is closed here.
        """
        pool = self._engine.pool
        async with self._engine.connect() as connection:
            driver = await _driver_of(connection)
            try:
                with _deadline(driver):
                    yield connection, driver
            finally:
                if not await _is_clean(driver) or pool is not self._engine.pool:
                    await connection.invalidate()


def _locking(locked: Locking) -> tuple[str, Given]:
    if isinstance(locked, LockedTogether):
        return _TOGETHER, (mended(locked.account_id), [mended(one) for one in sorted(locked.ids)])
    return _ALONE if locked.alone else _SHARED, (mended(locked.document_id),)


class _NotBegun(psycopg.OperationalError):
    """The connection was lost before anything was asked on it."""


async def _begun(driver: Driver, begin: str, given: Given) -> tuple[datetime, str]:
    """Begin, set, lock and ask in one message. The database's time, aware UTC, and its place."""
    try:
        cursor = await psycopg.AsyncClientCursor(driver).execute(begin.encode(), given)
    except psycopg.Error as error:
        if driver.closed:
            raise _NotBegun(str(error)) from error
        raise
    await cursor.set_result(-1)
    [(microseconds, place)] = await cursor.fetchall()
    return EPOCH + timedelta(microseconds=microseconds), place


async def _commit(driver: Driver) -> None:
    with _warnings(driver) as warnings:
        try:
            cursor = await driver.execute("COMMIT")
        except psycopg.Error as error:
            if was_rolled_back(error):
                raise
            raise _unknown(f"PostgreSQL did not acknowledge the commit: {said(error)}") from error
    if cursor.statusmessage != "COMMIT":
        raise LedgerUnavailable("PostgreSQL rolled the transaction back", next_step="try again")
    if warnings:
        # Such as a wait for the standby that somebody cancelled: committed here, and perhaps there.
        raise _unknown(f"PostgreSQL committed with a warning: {'; '.join(warnings)}")


@contextmanager
def _warnings(driver: Driver) -> Iterator[list[str]]:
    """What the server warns of meanwhile; its own words are gone once it has said them."""
    heard: list[str] = []

    def hear(said: Diagnostic) -> None:
        if said.severity_nonlocalized == "WARNING":
            heard.append(said.message_primary or "")

    driver.add_notice_handler(hear)
    try:
        yield heard
    finally:
        driver.remove_notice_handler(hear)


def _unknown(message: str) -> CommitUnknown:
    return CommitUnknown(message, next_step="read again")


async def _let_go(driver: Driver) -> None:
    """End a transaction that only read; what it read is read, whatever becomes of this."""
    with suppress(psycopg.Error):
        await driver.execute("ROLLBACK")


async def _is_clean(driver: Driver) -> bool:
    """Roll back what is left of a transaction. Whether the connection may be used by others."""
    if driver.info.transaction_status in (TransactionStatus.INTRANS, TransactionStatus.INERROR):
        with suppress(psycopg.Error):
            await driver.execute("ROLLBACK")
    return driver.info.transaction_status is TransactionStatus.IDLE


async def _driver_of(connection: AsyncConnection) -> Driver:
    raw = await connection.get_raw_connection()
    return cast("Driver", raw.driver_connection)


@contextmanager
def _deadline(driver: Driver) -> Iterator[None]:
    """Cut the connection when the time is up: a server that is frozen never answers."""
    timer = asyncio.get_running_loop().call_later(DEADLINE_SECONDS, _cut, driver)
    try:
        yield
    finally:
        timer.cancel()


def _cut(driver: Driver) -> None:
    with suppress(psycopg.Error, OSError), socket.socket(fileno=os.dup(driver.fileno())) as wire:
        wire.shutdown(socket.SHUT_RDWR)
