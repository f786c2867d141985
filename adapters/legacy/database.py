"""Documents from elsewhere out of the user's own database, by a query of theirs; it only reads.

Any database that SQLAlchemy has a driver for. The transaction is read-only where the database knows
such, and rolled back in any case.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pydantic import SecretStr
from sqlalchemy import Connection, create_engine, make_url, text
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from reconciler.errors import InvalidImport
from reconciler.imported_lines import RawLine

from .columns import check_columns, object_of

ROWS_AT_ONCE: Final = 500
SHOWN_MAX: Final = 100_000

_READ_ONLY: Final = {
    "sqlite": "PRAGMA query_only = ON",
    "postgresql": "SET TRANSACTION READ ONLY",
    "mysql": "SET SESSION TRANSACTION READ ONLY",
    "mariadb": "SET SESSION TRANSACTION READ ONLY",
}


def database_rows(url: SecretStr, query: str) -> Iterator[RawLine]:
    """Every row of the query in its order, numbered from 1. Raises `InvalidImport`, in whose text
    no part of the URL stands."""
    try:
        engine = create_engine(make_url(url.get_secret_value()), poolclass=NullPool)
        with engine.connect() as connection:
            _read_only(connection)
            yield from _rows(connection, query)
    except (NoSuchModuleError, ImportError) as error:
        raise InvalidImport(
            f"there is no driver for RECONCILER_LEGACY_DATABASE_URL: {type(error).__name__}",
            next_step="install it beside this program",
        ) from None
    except ArgumentError:
        raise InvalidImport(
            "RECONCILER_LEGACY_DATABASE_URL is no address of a database",
            next_step="write it like postgresql+psycopg://USER:PASSWORD@HOST/DATABASE",
        ) from None
    except SQLAlchemyError as error:
        cause = getattr(error, "orig", None) or error
        raise InvalidImport(
            f"RECONCILER_LEGACY_QUERY cannot be run: {type(cause).__name__}: {cause}",
            next_step="try the query in the database's own client",
        ) from None


def _read_only(connection: Connection) -> None:
    statement = _READ_ONLY.get(connection.dialect.name)
    if statement is not None:
        connection.execute(text(statement))
        if connection.dialect.name in ("mysql", "mariadb"):
            connection.rollback()  # it holds from the next transaction on


def _rows(connection: Connection, query: str) -> Iterator[RawLine]:
    streaming = connection.execution_options(yield_per=ROWS_AT_ONCE)
    result = streaming.exec_driver_sql(query)
    check_columns(result.keys(), "the query")
    for number, row in enumerate(result.mappings(), start=1):
        yield RawLine(number=number, text=_shown(row), value=object_of(dict(row)))


def _shown(row: Any) -> str:
    """The row for the file of refused lines."""
    return str({name: str(value) for name, value in row.items()})[:SHOWN_MAX]
