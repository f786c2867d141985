"""The line of `reconciler doctor` about the engine."""

from __future__ import annotations

from reconciler.errors import ReconcilerError

from ..settings import Settings
from ..shapes import Check


def engine_check(settings: Settings) -> Check | None:
    """Whether the engine that a worker takes by itself has what it needs; None on SQLite."""
    if settings.is_sqlite:
        return None
    from .tables import check

    try:
        check(settings.database_url.get_secret_value())
    except ReconcilerError as error:
        detail = "; ".join(error.message.splitlines())
        return Check(name="engine", ok=False, detail=detail, fix=error.next_step or None)
    return Check(name="engine", ok=True, detail="procrastinate: its tables and the trigger fit")
