"""Where a PostgreSQL ledger stands: the print by which a copy is told from the database itself.

Noticed are: a dump restored into a new database, or over the tables of this one; a database cloned
with `CREATE DATABASE … TEMPLATE`; a replica or a restored base backup that was promoted, here or
elsewhere, for that begins a new timeline. After a failover, too, a person says that the new primary
is meant: what the old one had acknowledged last may be missing. A ledger that is open notices at
its next transaction, for its connections, or a pooler's, go to the new one by themselves.

**Not noticed** are: rows loaded into the existing tables; a copy of the server's files, or of its
disk, that is started elsewhere as it is; and, where the user may not read the server's identifier,
a copy whose database and table happen to have the same numbers.
"""

from __future__ import annotations

import hashlib
from typing import Final

from sqlalchemy import Connection, text

from reconciler.errors import LedgerUnavailable

UNKNOWN: Final = "unknown"

_IN_RECOVERY: Final = text("SELECT pg_is_in_recovery()")
_MAY_READ: Final = text("SELECT has_function_privilege('pg_control_system()', 'EXECUTE')")
_SYSTEM: Final = text("SELECT system_identifier::text FROM pg_control_system()")
TIME: Final = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
"""The server's clock as SQL, in microseconds since 1970."""

PLACE: Final = """
substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)
|| ' ' || (SELECT oid FROM pg_database WHERE datname = current_database())
|| ' ' || 'ledger_identity'::regclass::oid
"""
"""Timeline, database and table, as SQL: cheap, so that each transaction asks for it."""


def print_of(connection: Connection) -> str:
    """A digest of server, timeline, database and table. Raises `LedgerUnavailable` on a standby."""
    if connection.execute(_IN_RECOVERY).scalar_one():
        raise LedgerUnavailable(
            "the database is a standby, which takes no writes",
            next_step="set RECONCILER_DATABASE_URL to the primary",
        )
    may_read = connection.execute(_MAY_READ).scalar_one()
    system = connection.execute(_SYSTEM).scalar_one() if may_read else UNKNOWN
    told = f"{system} {place_of(connection)}"
    return hashlib.sha256(told.encode()).hexdigest()


def place_of(connection: Connection) -> str:
    """What every transaction of an opened ledger must find again."""
    place: str = connection.execute(text(f"SELECT {PLACE}")).scalar_one()
    return place
