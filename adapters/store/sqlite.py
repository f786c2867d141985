"""The ledger on SQLite: one connection, one transaction at a time, in one thread of its own.

A transaction is one plain function, run whole in that thread: nothing can interleave with it, and
a caller that is cancelled while it runs neither tears it nor waits for it. Writers of other
processes are waited for by SQLite itself: a write takes the lock when it begins, for a transaction
that read first and then asks for the lock is refused at once, however long one is willing to wait.

`inline` runs the same functions in the caller's thread, for a simulator that counts every step.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Self, TypeVar

from sqlalchemy import Connection, make_url
from sqlalchemy.exc import ArgumentError

from reconciler.errors import LedgerUnavailable, WrongSchema

from . import identity, schema
from .ledger import Locking, SqlLedger
from .sqlite_database import BUSY_MILLISECONDS, SqliteDatabase

Result = TypeVar("Result")
Now = Callable[[], datetime]

_log = logging.getLogger(__name__)


def system_clock() -> datetime:
    """The wall clock, aware UTC: on one machine, the one clock of all its processes."""
    return datetime.now(UTC)


def file_of(url: str) -> Path:
    """The file of a `sqlite:///…` URL. Raises `LedgerUnavailable` where it names none."""
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise _names_no_file() from error
    if parsed.get_backend_name() != "sqlite" or parsed.query:
        raise _names_no_file()
    if parsed.database in (None, "", ":memory:"):
        raise _names_no_file()
    path = Path(str(parsed.database))
    if path.is_dir():
        raise LedgerUnavailable(
            f"{path} is a folder, and the ledger is a file",
            next_step=f"name a file in it: RECONCILER_DATABASE_URL=sqlite:///{path}/reconciler.db",
        )
    if not path.absolute().parent.is_dir():
        raise LedgerUnavailable(
            f"there is no folder {path.parent} for the ledger's file",
            next_step=f"make it (mkdir -p {path.parent}), or set RECONCILER_DATABASE_URL",
        )
    return path


def _names_no_file() -> LedgerUnavailable:
    return LedgerUnavailable(
        "DATABASE_URL names no SQLite file",
        next_step="write it as sqlite:///reconciler.db or sqlite:////an/absolute/path.db",
    )


def migrate(url: str, *, graph_url: str, accept: bool = False, now: Now = system_clock) -> None:
    """Create the file if it is missing, and bring its schema up to date, in one transaction.

    `accept` says that a restored or cloned database, or one of another GRAPH_URL, is meant. Raises
    `ForeignLedger` without it, and then nothing was changed.
    """
    path = file_of(url)
    database = SqliteDatabase.open(path, create=True)

    def body(connection: Connection) -> None:
        schema.refuse_a_strangers(connection)
        schema.upgrade(connection)
        identity.settle(
            connection,
            graph_url=graph_url,
            file_print=identity.print_of(path),
            now=now(),
            accept=accept,
        )

    try:
        database.write_ahead()
        database.write(body)
    finally:
        database.close()


class SqliteLedger(SqlLedger):
    """`Ledger` on a SQLite file. Made by `open` or `in_memory`; closed by `aclose`."""

    def __init__(
        self, database: SqliteDatabase, now: Now, thread: ThreadPoolExecutor | None
    ) -> None:
        self._database = database
        self._clock = now
        self._thread = thread  # None: inline
        self._is_closed = False

    @classmethod
    def open(
        cls,
        url: str,
        *,
        graph_url: str | None = None,
        now: Now = system_clock,
        inline: bool = False,
        busy_milliseconds: int = BUSY_MILLISECONDS,
    ) -> Self:
        """Open an existing ledger. Raises `WrongSchema` or `ForeignLedger`; creates nothing.

        `now` gives the ledger's time, aware UTC; it is read once per transaction.
        """
        path = file_of(url)
        if not path.is_file():
            raise WrongSchema(f"there is no ledger at {path}", next_step="reconciler migrate")
        thread = None if inline else _one_thread()
        database = _in(
            thread, lambda: SqliteDatabase.open(path, busy_milliseconds=busy_milliseconds)
        )
        ledger = cls(database, now, thread)
        try:
            _in(thread, lambda: _check(database, path, graph_url))
        except BaseException:
            ledger.close()
            raise
        return ledger

    @classmethod
    def in_memory(cls, *, now: Now = system_clock) -> Self:
        """A new ledger that ends with this object, always inline: for simulators and tests."""
        return cls(SqliteDatabase.in_memory(_empty()), now, None)

    async def now(self) -> datetime:
        """What the clock says."""
        return self._clock()

    async def aclose(self) -> None:
        """Let what runs end, then close; safe to call again."""
        if not self._is_closed:
            self._is_closed = True
            await self._run(self._database.close)
            self._stop_thread()

    def close(self) -> None:
        """The same for a caller without a loop; waits."""
        if not self._is_closed:
            self._is_closed = True
            _in(self._thread, self._database.close)
            self._stop_thread()

    def _stop_thread(self) -> None:
        if self._thread is not None:
            self._thread.shutdown(wait=False)

    async def _read(self, body: Callable[[Connection, datetime], Result]) -> Result:
        return await self._run(lambda: self._database.read(self._with_now(body)))

    async def _write(
        self, body: Callable[[Connection, datetime], Result], locked: Locking | None = None
    ) -> Result:
        """One writer at a time: there is nothing to lock besides."""
        return await self._run(lambda: self._database.write(self._with_now(body)))

    def _with_now(
        self, body: Callable[[Connection, datetime], Result]
    ) -> Callable[[Connection], Result]:
        return lambda connection: body(connection, self._clock())

    async def _run(self, transaction: Callable[[], Result]) -> Result:
        if self._thread is None:
            return transaction()
        running = asyncio.get_running_loop().run_in_executor(self._thread, transaction)
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            # The caller goes; the transaction commits or rolls back all the same.
            running.add_done_callback(_tell_how_it_ended)
            raise


@cache
def _empty() -> bytes:
    """A migrated database without a row, made once for a process."""
    database = SqliteDatabase.in_memory()
    database.write(schema.upgrade)
    image = database.image()
    database.close()
    return image


def _one_thread() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="ledger")


def _in(thread: ThreadPoolExecutor | None, step: Callable[[], Result]) -> Result:
    """Run a step where the transactions run, and wait for it."""
    return step() if thread is None else thread.submit(step).result()


def _check(database: SqliteDatabase, path: Path, graph_url: str | None) -> None:
    def body(connection: Connection) -> None:
        schema.check(connection)
        identity.check(connection, graph_url=graph_url, file_print=identity.print_of(path))

    database.read(body)
    database.write_ahead()


def _tell_how_it_ended(running: asyncio.Future[Result]) -> None:
    error = None if running.cancelled() else running.exception()
    if error is not None:
        # Whoever stopped it was told so; that this too came to nothing is no trouble of theirs.
        _log.info("stopped in the middle of a transaction, which then failed: %s", error)
