"""One SQLite connection as the ledger needs it: durable, patient, its errors translated here.

Knows nothing of tables. Transactions are begun and ended in plain SQL: whether a commit was
acknowledged is a question that no layer between may answer for us.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Final, Self, TypeVar, cast
from urllib.parse import quote

import msgspec
from sqlalchemy import StaticPool, create_engine
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError, StatementError

from reconciler.errors import CommitUnknown, LedgerUnavailable

Result = TypeVar("Result")

BUSY_MILLISECONDS: Final = 30_000
"""How long a transaction waits for a writer of another process."""

_OUR_BUGS: Final = (
    sqlite3.IntegrityError,
    sqlite3.ProgrammingError,
    sqlite3.InterfaceError,
    sqlite3.DataError,
    sqlite3.NotSupportedError,
)
_REFUSED_FOR_NOW: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_HELD: Final = (
    "another process writes and did not end: see that no other program holds the file, and that no "
    "process of yours was stopped while it wrote (state T in ps). Let such a one go on (kill -CONT "
    "PID) or end it (kill -9 PID): what it had not committed is rolled back. Then try again"
)
_NOT_PERMITTED: Final = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM)


class SqliteDatabase:
    """A connection, used by one thread at a time, that runs functions in transactions."""

    def __init__(self, connect: Callable[[], sqlite3.Connection]) -> None:
        self._engine = create_engine(
            "sqlite://",
            creator=connect,
            poolclass=StaticPool,
            isolation_level="AUTOCOMMIT",  # the transactions are ours
            json_serializer=_PLAIN_JSON,
            json_deserializer=_json_value,
        )
        with translated():
            self._connection = self._engine.connect()
        driver = self._connection.connection.driver_connection
        self._driver = cast("sqlite3.Connection", driver)

    @classmethod
    def open(
        cls, path: Path, *, create: bool = False, busy_milliseconds: int = BUSY_MILLISECONDS
    ) -> Self:
        """Connect to a file. Raises `LedgerUnavailable` if it is missing and not to be created."""
        mode = "rwc" if create else "rw"
        uri = f"file:{quote(str(path.absolute()))}?mode={mode}"
        return cls(partial(_connect, uri, busy_milliseconds))

    @classmethod
    def in_memory(cls, image: bytes | None = None) -> Self:
        """A database of its own that ends with the connection; `image` is what it begins as."""
        database = cls(partial(_connect, ":memory:", 0))
        if image is not None:
            database._driver.deserialize(image)
        return database

    def image(self) -> bytes:
        """The database as it stands, for `in_memory`."""
        return self._driver.serialize()

    def write_ahead(self) -> None:
        """See to it that the file is written ahead in a log. Raises `LedgerUnavailable` if not."""
        with translated():
            mode = self._driver.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        if mode != "wal":
            raise LedgerUnavailable(
                f"SQLite keeps no write-ahead log here (journal_mode is {mode})",
                next_step="keep the ledger on a local disk, not on a network file system",
            )

    def read(self, body: Callable[[Connection], Result]) -> Result:
        """Run `body` on one unchanging state of the database."""
        return self._transaction("BEGIN", body)

    def write(self, body: Callable[[Connection], Result]) -> Result:
        """Run `body` as the only writer. On return what it wrote would survive a power cut.

        Raises `LedgerUnavailable` where nothing was changed, `CommitUnknown` where that is not
        known, and whatever `body` raises, after rolling back.
        """
        return self._transaction("BEGIN IMMEDIATE", body)

    def close(self) -> None:
        """Give the file back. Nothing may run."""
        self._connection.close()
        self._engine.dispose()

    def _transaction(self, begin: str, body: Callable[[Connection], Result]) -> Result:
        with translated():
            self._driver.execute(begin)
            try:
                result = body(self._connection)
            except BaseException:
                self._roll_back()
                raise
            self._commit()
            return result

    def _commit(self) -> None:
        try:
            self._driver.execute("COMMIT")
        except sqlite3.Error as error:
            self._roll_back()
            if error.sqlite_errorcode & 0xFF in _REFUSED_FOR_NOW:
                raise
            # A full disk or a failed sync may strike after the log's last frame was written: what
            # is read back after a restart may be either.
            raise CommitUnknown(
                f"SQLite did not acknowledge the commit: {error}", next_step="read again"
            ) from error

    def _roll_back(self) -> None:
        """SQLite rolls back by itself after some errors; a failure to do so must not hide why."""
        if self._driver.in_transaction:
            with suppress(sqlite3.Error):
                self._driver.execute("ROLLBACK")


@contextmanager
def translated() -> Iterator[None]:
    """The one place where the driver's errors become ours, cause kept."""
    try:
        yield
    except DBAPIError as error:
        raise _ours(error.orig) from error
    except StatementError as error:
        # A value that no column takes, such as a time without a zone: the caller's own error.
        raise (error.orig or error) from error
    except sqlite3.Error as error:
        raise _ours(error) from error


def _ours(error: BaseException | None) -> Exception:
    if isinstance(error, _OUR_BUGS):
        return AssertionError(f"SQLite refused what we asked of it: {error}")
    code = getattr(error, "sqlite_errorcode", 0)
    if code & 0xFF in _NOT_PERMITTED and code != sqlite3.SQLITE_READONLY_DBMOVED:
        return LedgerUnavailable(
            f"the ledger cannot be written: {error}",
            next_step="let this user write the ledger's file and its folder, where SQLite keeps "
            "two more files beside it; reading needs that too",
        )
    if code == sqlite3.SQLITE_NOTADB:
        return LedgerUnavailable(
            "the file is no SQLite database, and was left as it is",
            next_step="set RECONCILER_DATABASE_URL to a file of its own, then reconciler migrate",
        )
    if "decode to UTF-8" in str(error):  # it goes on with what stands there, which may be anything
        return LedgerUnavailable(
            "what stands in the ledger is no text any more: the file was altered or damaged",
            next_step="restore the ledger from a backup, then reconciler migrate --accept-database",
        )
    if code & 0xFF in _REFUSED_FOR_NOW:
        return LedgerUnavailable(f"the ledger cannot be used: {error}", next_step=_HELD)
    return LedgerUnavailable(
        f"the ledger cannot be used: {error}",
        next_step="see that the disk has room and no other program holds the file, then try again",
    )


_PLAIN_JSON: Final = partial(json.dumps, separators=(",", ":"))
"""One for all engines: statements are compiled once for those that write alike."""


def _json_value(text: str) -> Any:
    """What `json.loads` gives, in a fifth of its time."""
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:  # half of a surrogate pair, which `json` wrote and reads
        return json.loads(text)


def _connect(database: str, busy_milliseconds: int) -> sqlite3.Connection:
    connection = sqlite3.connect(
        database,
        uri=True,
        timeout=busy_milliseconds / 1000,
        isolation_level=None,
        check_same_thread=False,  # opened, used and closed one after the other
        cached_statements=256,
    )
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = FULL")  # in a log, NORMAL may lose commits
    return connection
