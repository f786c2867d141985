"""Whether the ledger can be written at all, and what it acknowledged lasts: through a power cut,
and through a failover (A1).

Asked of a connection that is opened the way the ledger opens its own.
"""

from __future__ import annotations

from typing import Final

from ..settings import Settings
from ..shapes import Check

FULL: Final = 2
"""The number SQLite gives `synchronous = FULL`."""


def lasting_checks(settings: Settings) -> tuple[Check, ...]:
    """Durability, failover; for a server, its user's rights before them."""
    url = settings.database_url.get_secret_value()
    return _of_a_file(url) if settings.is_sqlite else _of_a_server(url)


def _of_a_file(url: str) -> tuple[Check, ...]:
    from ..store.sqlite import file_of
    from ..store.sqlite_database import SqliteDatabase

    database = SqliteDatabase.open(file_of(url))
    try:
        synchronous, journal = database.read(
            lambda connection: tuple(
                connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()
                for name in ("synchronous", "journal_mode")
            )
        )
    finally:
        database.close()
    ok = synchronous == FULL and journal == "wal"
    level = "FULL" if synchronous == FULL else str(synchronous)
    durable = Check(
        name="durability",
        ok=ok,
        detail=f"A1: journal_mode {journal}, synchronous {level}",
        fix=None if ok else "keep the ledger on a local disk and run reconciler migrate",
    )
    return durable, Check(name="failover", ok=True, detail="not applicable: SQLite is one file")


def _of_a_server(url: str) -> tuple[Check, ...]:
    from ..store.postgres_connecting import one_transaction
    from ..store.postgres_durability import durability
    from ..store.postgres_rights import is_read_only, missing_rights
    from ..store.postgres_url import conninfo_of

    with one_transaction(conninfo_of(url)) as connection:
        found = durability(connection)
        rights = _rights(missing_rights(connection), is_read_only=is_read_only(connection))
    durable = Check(
        name="durability",
        ok=found.survives_a_power_cut,
        detail=f"A1: fsync {found.fsync}, full_page_writes {found.full_page_writes}, "
        f"synchronous_commit {found.synchronous_commit}",
        fix=None if found.survives_a_power_cut else "set fsync and full_page_writes to on",
    )
    named = found.synchronous_standby_names
    waits = f"commits wait for {named}" if named else "commits wait for none"
    failover = Check(
        name="failover",
        ok=found.survives_a_failover,
        detail=f"A1: standbys connected {found.standbys}, {waits}",
        fix=None if found.survives_a_failover else _STANDBY_FIX,
    )
    return rights, durable, failover


def _rights(missing: tuple[str, ...], *, is_read_only: bool) -> Check:
    if is_read_only:
        return Check(
            name="rights",
            ok=False,
            detail="every transaction here is read-only",
            fix="set RECONCILER_DATABASE_URL to a primary, its default_transaction_read_only off",
        )
    lacks = f"the database user lacks {missing[0]}" if missing else ""
    more = f", and rights on {len(missing) - 1} more tables" if missing[1:] else ""
    return Check(
        name="rights",
        ok=not missing,
        detail=lacks + more or "the database user may write what the ledger writes",
        fix="give it the rights of the tables' owner" if missing else None,
    )


_STANDBY_FIX: Final = "set synchronous_standby_names, or never fail over to one of them"
