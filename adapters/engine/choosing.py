"""Which engine a worker runs with: by its database, unless somebody says another."""

from __future__ import annotations

from reconciler.errors import InvalidSettings

from ..settings import Settings
from .names import EngineName
from .port import Engine


def engine_of(settings: Settings, name: EngineName | None = None) -> Engine:
    """The engine of this name; None: procrastinate on PostgreSQL, in process on SQLite.

    Raises `InvalidSettings` for one that the database cannot carry. Connects to nothing.
    """
    if name is None:
        name = EngineName.IN_PROCESS if settings.is_sqlite else EngineName.PROCRASTINATE
    if name is EngineName.IN_PROCESS:
        from .in_process import InProcess

        return InProcess()
    if settings.is_sqlite:
        raise InvalidSettings(
            "the engine procrastinate needs a ledger on PostgreSQL",
            next_step="leave --engine out, or set RECONCILER_DATABASE_URL to postgresql://…",
        )
    from .procrastinate_engine import Procrastinate

    return Procrastinate(settings.database_url.get_secret_value())


def migrate(settings: Settings) -> None:
    """Make or upgrade the engine's tables beside those of an existing ledger; nothing on SQLite."""
    if settings.is_sqlite:
        return
    from .tables import migrate as migrate_tables

    migrate_tables(settings.database_url.get_secret_value())
