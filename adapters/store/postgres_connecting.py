"""From a `postgresql://…` URL to connections: read by libpq, so that all its parameters work.

Nothing here is bound to a session: no startup options and no prepared statements, which a
transaction pooler between us and the server would refuse or mix up. The URL stays out of every
error and of SQLAlchemy's own sight: it may hold a password.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final, cast

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from sqlalchemy import Connection, NullPool, create_engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from reconciler.errors import CommitUnknown, LedgerUnavailable

from .postgres_errors import translated

POOL_SIZE: Final = 10
"""Connections of one process at most; a transaction waits for a free one."""

POOL_WAIT_SECONDS: Final = 30

_UNLESS_GIVEN: Final = {
    "connect_timeout": "10",
    # A server that is gone without a word is noticed within half a minute.
    "keepalives_idle": "15",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "30000",
    "application_name": "reconciler",
}
_ALWAYS: Final = {"client_encoding": "utf8"}
_DIALECT: Final = "postgresql+psycopg://"


def conninfo_of(url: str) -> str:
    """What libpq connects by. Raises `LedgerUnavailable`, which does not quote the URL."""
    scheme, separator, rest = url.partition("://")
    place, _, path = rest.partition("?")[0].partition("/")
    if scheme.partition("+")[0] != "postgresql" or not separator:
        raise _no_url()
    if place.count("@") > 1 or "@" in path:
        raise _no_url()  # a password with a sign in it, half of which would be read as the host
    try:
        given = conninfo_to_dict(f"postgresql://{rest}")
    except psycopg.Error:
        raise _no_url() from None  # its text holds the URL
    if not str(given.get("port", "")).replace(",", "").isdecimal() and "port" in given:
        raise _no_url()
    return make_conninfo("", **(_UNLESS_GIVEN | given | _ALWAYS))


def _no_url() -> LedgerUnavailable:
    return LedgerUnavailable(
        "DATABASE_URL names no PostgreSQL database",
        next_step="write it as postgresql://USER:PASSWORD@HOST/DATABASE, signs in it as %40",
    )


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
            f"PostgreSQL did not acknowledge the commit: {error.orig}",
            next_step="run the same command again",
        ) from error


_ALIKE: Final[dict[str, Any]] = {
    "json_serializer": partial(json.dumps, separators=(",", ":")),
    "use_native_hstore": False,  # one question less to the server
}
"""Statements are compiled once for all engines, so these are the same for each."""


async def _connect(conninfo: str) -> psycopg.AsyncConnection[Any]:
    connection = await psycopg.AsyncConnection.connect(conninfo, prepare_threshold=None)
    return cast("psycopg.AsyncConnection[Any]", connection)
