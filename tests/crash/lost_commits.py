"""Ledgers whose n-th commit is made, or not, and never acknowledged: one for each database."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Protocol, cast

from adapters.store import schema
from adapters.store.sqlite import SqliteLedger
from adapters.store.sqlite_database import SqliteDatabase
from fixtures.postgres_cut import Cutter, Fate, cutter_before
from reconciler.ports import Ledger
from tests.crash.postgres_ledgers import PostgresForStories, stories_on
from tests.postgres import Postgres

Told = Callable[[], None]


class LosingCommits(Protocol):
    """Opens a ledger for each story, and loses one acknowledgement when it is told to."""

    def __call__(self, clock: Callable[[], datetime]) -> Ledger:
        """A new ledger. It ends the last one."""

    def cut(self, nth: int, fate: Fate, told: Told) -> None:
        """Lose the n-th acknowledgement from now on, counted from 0, and no other.

        `told` is called while whoever asked to commit still waits.
        """


class FailingDisk:
    """SQLite in memory, as its own driver's driver: a commit fails before or after it was made."""

    def __init__(self) -> None:
        self._database = SqliteDatabase.in_memory()
        self._database.write(schema.upgrade)
        self._empty = self._database.image()
        self._driver = self._database._driver
        self._database._driver = cast("Any", self)
        self._left: int | None = None
        self._fate = Fate.LOST
        self._told: Told = lambda: None
        self._is_write = False

    def __call__(self, clock: Callable[[], datetime]) -> Ledger:
        """A new ledger, on this disk."""
        self._driver.deserialize(self._empty)
        return SqliteLedger(self._database, clock, None)

    def cut(self, nth: int, fate: Fate, told: Told) -> None:
        """Fail at the n-th commit from now on."""
        self._left, self._fate, self._told = nth, fate, told

    @property
    def in_transaction(self) -> bool:
        """The driver's own."""
        return self._driver.in_transaction

    def execute(self, statement: str) -> sqlite3.Cursor:
        """The driver's own, but for the one commit."""
        if statement.startswith("BEGIN"):
            self._is_write = statement == "BEGIN IMMEDIATE"
        if statement != "COMMIT" or not self._is_the_one():
            return self._driver.execute(statement)
        self._told()
        if self._fate is Fate.COMMITTED:
            self._driver.execute(statement)
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorcode = sqlite3.SQLITE_IOERR_FSYNC
        raise error

    def _is_the_one(self) -> bool:
        if self._left is None or not self._is_write:
            return False
        self._left = self._left - 1 if self._left else None
        return self._left is None


class CutConnection:
    """PostgreSQL behind a proxy that cuts the connection at a commit."""

    def __init__(self, stories: PostgresForStories, cutter: Cutter) -> None:
        self._stories = stories
        self.cut = cutter.cut

    def __call__(self, clock: Callable[[], datetime]) -> Ledger:
        """A new ledger, behind the proxy."""
        return self._stories(clock)


@contextmanager
def losing_commits(database: str, postgres: Postgres) -> Iterator[LosingCommits]:
    """Of `sqlite` or `postgres`."""
    if database == "sqlite":
        yield FailingDisk()
        return
    url = postgres.migrated()
    with cutter_before(url) as cutter, stories_on(cutter.url) as stories:
        yield CutConnection(stories, cutter)
    postgres.drop(url)
