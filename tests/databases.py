"""The databases that a ledger may be in: a URL, the ledger on it, and a hand in its tables."""

from __future__ import annotations

import tempfile
import uuid
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, NullPool, create_engine, text

from adapters.store import identity
from adapters.store.ledger import SqlLedger
from adapters.store.postgres import PostgresLedger
from adapters.store.sqlite import SqliteLedger, migrate, system_clock
from adapters.store.sqlite_database import SqliteDatabase
from tests.postgres import GRAPH_URL, Postgres


def new_file(folder: Path, name: str = "ledger.db", *, graph_url: str = GRAPH_URL) -> str:
    """The URL of a new ledger in a file of this folder.

    A copy of one that was migrated once: the migrations cost 25 times as much.
    """
    path = folder / name
    path.write_bytes(_empty_file())
    database = SqliteDatabase.open(path)
    try:
        database.write(
            lambda connection: identity.settle(
                connection,
                graph_url=graph_url,
                file_print=identity.print_of(path),
                now=system_clock(),
                accept=True,
            )
        )
    finally:
        database.close()
    return f"sqlite:///{path}"


@cache
def _empty_file() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ledger.db"
        migrate(f"sqlite:///{path}", graph_url=GRAPH_URL)
        return path.read_bytes()


DATABASES: Final[Mapping[str, Callable[[Path, Postgres], str]]] = {
    "sqlite": lambda folder, _: new_file(folder),
    "postgres": lambda _, postgres: postgres.migrated(),
}
"""The URL of a new ledger in each."""

EMPTY_DATABASES: Final[Mapping[str, Callable[[Path, Postgres], str]]] = {
    "sqlite": lambda folder, _: f"sqlite:///{folder / uuid.uuid4().hex}",
    "postgres": lambda _, postgres: postgres.empty(),
}
"""The URL of a database without tables in each."""


@asynccontextmanager
async def opened(url: str, now: Any = None) -> AsyncIterator[SqlLedger]:
    """The ledger at this URL; without `now` by the time that its product would use."""
    ledger: SqlLedger
    if url.startswith("sqlite:"):
        ledger = SqliteLedger.open(url, now=now or system_clock)
    else:
        ledger = PostgresLedger.open(url, now=now, accept_unsafe=True)
    try:
        yield ledger
    finally:
        await ledger.aclose()


@contextmanager
def by_hand(url: str) -> Iterator[Connection]:
    """A transaction of somebody with a database tool, committed at the end."""
    engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:"), poolclass=NullPool)
    with engine.begin() as connection:
        yield connection
    engine.dispose()


def asked(url: str, statement: str, **given: Any) -> list[dict[str, Any]]:
    """What one statement gives by hand, rows as columns by name."""
    with by_hand(url) as connection:
        found = connection.execute(text(statement), given)
        return [dict(row) for row in found.mappings()] if found.returns_rows else []
