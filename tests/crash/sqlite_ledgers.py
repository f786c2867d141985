"""SQLite ledgers for crash tests: in memory and inline, made from one image of the schema."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import cache

from adapters.store import schema
from adapters.store.sqlite import SqliteLedger
from adapters.store.sqlite_database import SqliteDatabase
from reconciler.ports import Ledger


@cache
def _image() -> bytes:
    """An empty ledger. Making the schema costs more than a whole story."""
    database = SqliteDatabase.in_memory()
    database.write(schema.upgrade)
    image = database.image()
    database.close()
    return image


def sqlite_in_memory(clock: Callable[[], datetime]) -> Ledger:
    """A ledger of its own, whose every transaction is one step of the caller."""
    return SqliteLedger(SqliteDatabase.in_memory(_image()), clock, None)
