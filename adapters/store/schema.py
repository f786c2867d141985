"""Which schema this program works with, how it is brought there, and what a wrong one is told.

The version stands in the table `ledger_schema`, apart from `alembic_version`, so that a ledger may
share a database with an application that migrates its own tables.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sqlalchemy import Connection, inspect, text

from reconciler.errors import WrongSchema

VERSION: Final = "0001"
"""The revision this program reads and writes: the newest of `migrations/versions`."""

VERSION_TABLE: Final = "ledger_schema"
MIGRATIONS: Final = Path(__file__).with_name("migrations")

_FIND: Final = text("SELECT version_num FROM ledger_schema")


def upgrade(connection: Connection) -> None:
    """Bring the schema to `VERSION`, in the transaction that the caller has begun.

    Raises `WrongSchema` where a newer program has been here.
    """
    from alembic import command
    from alembic.config import Config

    _refuse_newer(version(connection))
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, VERSION)


def check(connection: Connection) -> None:
    """Raise `WrongSchema` unless the schema is exactly ours."""
    found = version(connection)
    _refuse_newer(found)
    if found != VERSION:
        raise WrongSchema(
            f"the ledger's schema is {found or 'missing'}, this program needs {VERSION}",
            next_step="reconciler migrate",
        )


def version(connection: Connection) -> str | None:
    """The revision of the schema, None where there is none."""
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    found = connection.execute(_FIND).scalar_one_or_none()
    return None if found is None else str(found)


def _refuse_newer(found: str | None) -> None:
    """Revisions are numbered, so that one we do not know yet is seen to be a later one."""
    if found is not None and found > VERSION:
        raise WrongSchema(
            f"the ledger's schema is {found}, newer than the {VERSION} of this program",
            next_step="use the newer release of this program that migrated the ledger",
        )
