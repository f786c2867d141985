"""Connections to PostgreSQL: pooled for an event loop, or one for one transaction.

Nothing here is bound to a session: no startup options and no prepared statements, which a
transaction pooler between us and the server would refuse or mix up. SQLAlchemy never sees the
URL: it may hold a password.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final, cast

import psycopg
from sqlalchemy import Connection, NullPool, create_engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from reconciler.errors import CommitUnknown

from .postgres_advice import said
from .postgres_errors import translated

POOL_SIZE: Final = 10
"""Connections of one process at most; a transaction waits for a free one."""

POOL_WAIT_SECONDS: Final = 30

_DIALECT: Final = "postgresql+psycopg://"


def pooled(conninfo: str) -> AsyncEngine:
    """Connections for the transactions of one event loop; made when they are needed."""
    return create_async_engine(
        _DIALECT,
        async_creator=partial(_connect, conninfo),
        isolation_level="AUTOCOMMIT",  # the transactions are ours
        pool_size=POOL_SIZE,
        max_overflow=0,
        pool_timeout=POOL_WAIT_SECONDS,
        **_ALIKE,
    )


@contextmanager
def one_transaction(conninfo: str) -> Iterator[Connection]:
    """A connection of its own, without an event loop: to open and to migrate.

    What was not committed by `commit` is rolled back.
    """
    engine = create_engine(
        _DIALECT,
        creator=partial(psycopg.connect, conninfo, prepare_threshold=None),
        poolclass=NullPool,
        isolation_level="READ COMMITTED",
        **_ALIKE,
    )
    try:
        with translated(), engine.connect() as connection:
            connection.exec_driver_sql("SET LOCAL synchronous_commit = on")
            yield connection
    finally:
        engine.dispose()


def commit(connection: Connection) -> None:
    """Raises `CommitUnknown` where the server did not say that it is done."""
    try:
        connection.commit()
    except DBAPIError as error:
        raise CommitUnknown(
            f"PostgreSQL did not acknowledge the commit: {said(error.orig)}",
            next_step="run the same command again",
        ) from error


def shown_database(connection: Connection) -> str:
    """Host and database of this connection, without the user: several hosts may be in the URL."""
    driver = cast("psycopg.Connection[Any]", connection.connection.driver_connection)
    host, port = driver.info.host, driver.info.port
    name = connection.exec_driver_sql("SELECT current_database()").scalar_one()
    if host.startswith("/"):  # a socket
        return f"postgresql:///{name}?host={host}&port={port}"
    return f"postgresql://{f'[{host}]' if ':' in host else host}:{port}/{name}"


_ALIKE: Final[dict[str, Any]] = {
    "json_serializer": partial(json.dumps, separators=(",", ":")),
    "use_native_hstore": False,  # one question less to the server
}
"""Statements are compiled once for all engines, so these are the same for each."""


async def _connect(conninfo: str) -> psycopg.AsyncConnection[Any]:
    connection = await psycopg.AsyncConnection.connect(conninfo, prepare_threshold=None)
    return cast("psycopg.AsyncConnection[Any]", connection)
