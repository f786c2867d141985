"""The engine's tables: procrastinate's own, by its own migrations, and one row about them.

They stand beside the ledger's and hold nothing that would be missed. The version is the name of
the last of procrastinate's migrations that was run.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any, Final, cast

import psycopg
from procrastinate.schema import SchemaManager
from sqlalchemy import Connection, text

from reconciler.errors import WrongSchema

from ..store.postgres_connecting import commit, one_transaction
from ..store.postgres_url import conninfo_of
from .parts import dropping, enqueueing, missing, see_that_they_are_ours

NEXT_STEP: Final = "reconciler migrate; or run the worker without them: --engine in-process"

SHOWN: Final = 3
"""Parts that are named where more are missing."""

_ONE_AT_A_TIME: Final = text(
    "SELECT pg_advisory_xact_lock(hashtextextended('migrate the engine', 0))"
)
TABLE: Final = """
CREATE TABLE IF NOT EXISTS engine_schema (
    one integer PRIMARY KEY CHECK (one = 1),
    version text NOT NULL,
    lanes integer NOT NULL CHECK (lanes > 0)
)
"""
_SAY: Final = text(
    "INSERT INTO engine_schema (one, version, lanes) VALUES (1, :version, 1)"
    " ON CONFLICT (one) DO UPDATE SET version = excluded.version"
)


def migrate(url: str) -> None:
    """Make, upgrade or mend the engine's tables, in one transaction, one at a time.

    The ledger's must be there. Where a part is missing all are made anew. Raises `WrongSchema`
    where that would take another program's jobs. Workers of the version before may go on: what the
    change of a table takes from them is said again.
    """
    with one_transaction(conninfo_of(url)) as connection:
        connection.execute(_ONE_AT_A_TIME)
        if not _is_upgraded(connection):
            see_that_they_are_ours(connection)
            _run(connection, dropping())
            _run(connection, SchemaManager.get_schema())
        _say(connection)
        commit(connection)


def _is_upgraded(connection: Connection) -> bool:
    """Whether what is there could be upgraded, and is whole now."""
    found = version(connection)
    if found is None:
        return False
    with suppress(psycopg.Error), connection.begin_nested():
        for script in _pending(found):
            _run(connection, script)
        _say(connection)
        return not missing(connection)
    return False


def _say(connection: Connection) -> None:
    """Which version it is; and have the ledger tell the engine."""
    _run(connection, TABLE)
    connection.execute(_SAY, {"version": newest()})
    _run(connection, enqueueing())


def check(url: str) -> None:
    """Raise `WrongSchema` unless the engine's tables are those of the procrastinate we run with,
    and no part is missing.

    A newer one's are taken: it says of each change that its last version bears it.
    """
    with one_transaction(conninfo_of(url)) as connection:
        found = version(connection)
        lacks = missing(connection) if found == newest() else ()
    if found is None:
        raise WrongSchema("the tables of the engine procrastinate are missing", next_step=NEXT_STEP)
    if found < newest():
        raise WrongSchema(
            f"the engine's tables are of {found}, this program needs {newest()}",
            next_step=NEXT_STEP,
        )
    if lacks:
        more = f" and {len(lacks) - SHOWN} more" if len(lacks) > SHOWN else ""
        raise WrongSchema(
            f"the engine procrastinate lacks {', '.join(lacks[:SHOWN])}{more}",
            next_step=NEXT_STEP,
        )


def version(connection: Connection) -> str | None:
    """The last migration that was run, None where there are no tables."""
    if connection.execute(text("SELECT to_regclass('engine_schema')")).scalar_one() is None:
        return None
    found = connection.execute(text("SELECT version FROM engine_schema")).scalar_one_or_none()
    return None if found is None else str(found)


def newest() -> str:
    """The last migration of the procrastinate that is installed."""
    return _migrations()[-1].stem


def _pending(found: str) -> list[str]:
    return [each.read_text("utf-8") for each in _migrations() if each.stem > found]


def _migrations() -> list[Path]:
    """Their names sort as they are to be run."""
    return sorted(Path(SchemaManager.get_migrations_path()).glob("*.sql"))


def _run(connection: Connection, script: str) -> None:
    """Several statements at once, which only the driver takes, and only without parameters."""
    driver = cast("psycopg.Connection[Any]", connection.connection.driver_connection)
    driver.execute(script.encode())
