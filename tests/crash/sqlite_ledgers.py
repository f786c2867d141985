"""SQLite ledgers for crash tests: in memory and inline, one after the other on one connection."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import cache

from adapters.store import schema
from adapters.store.sqlite import SqliteLedger
from adapters.store.sqlite_database import SqliteDatabase
from reconciler.ports import Ledger


@cache
def _database() -> tuple[SqliteDatabase, bytes]:
    """The connection, and what an empty ledger looks like.

    Making the schema and compiling the statements costs more than a whole story.
    """
    database = SqliteDatabase.in_memory()
    database.write(schema.upgrade)
    return database, database.image()


def sqlite_in_memory(clock: Callable[[], datetime]) -> Ledger:
    """A new ledger, whose every transaction is one step of the caller. It ends the last one."""
    database, empty = _database()
    database._driver.deserialize(empty)
    return SqliteLedger(database, clock, None)
