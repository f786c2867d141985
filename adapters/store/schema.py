"""Which schema this program works with, how it is brought there, and what a wrong one is told.

The version stands in the table `ledger_schema`, apart from `alembic_version`, so that it is never
taken for that of another program.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sqlalchemy import Connection, inspect, text

from reconciler.errors import ForeignLedger, WrongSchema

from .tables import METADATA

VERSION: Final = "0013"
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


def refuse_a_strangers(connection: Connection) -> None:
    """Raise `ForeignLedger` where another program's tables stand and ours do not, and `WrongSchema`
    where ours have lost their version.

    Our tables bear everyday names: among somebody else's they would be mistaken for them.
    """
    _refuse_without_version(connection, version(connection))
    theirs = inspect(connection).get_table_names()
    if theirs and VERSION_TABLE not in theirs:
        raise ForeignLedger(
            f"the database holds another program's tables ({', '.join(sorted(theirs)[:3])})",
            next_step="set RECONCILER_DATABASE_URL to a database or file of its own",
        )


def check(connection: Connection) -> None:
    """Raise `WrongSchema` unless the schema is exactly ours."""
    found = version(connection)
    _refuse_without_version(connection, found)
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


def _refuse_without_version(connection: Connection, found: str | None) -> None:
    """Which migrations these tables had is not to be guessed: they may lack rows as well."""
    if found is not None:
        return
    there = set(inspect(connection).get_table_names())
    ours = there & METADATA.tables.keys()
    if "ledger_identity" in there or (VERSION_TABLE in there and ours):
        raise WrongSchema(
            "the ledger's tables are there without the version of their schema: "
            "damaged, or restored in part",
            next_step="restore a whole backup of it into an empty database, then reconciler "
            "migrate --accept-database",
        )


def _refuse_newer(found: str | None) -> None:
    """Revisions are numbered, so that one we do not know yet is seen to be a later one."""
    if found is not None and found > VERSION:
        raise WrongSchema(
            f"the ledger's schema is {found}, newer than the {VERSION} of this program",
            next_step="use the newer release of this program that migrated the ledger",
        )
