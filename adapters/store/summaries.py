"""Lists documents without their parts: counts by state, and a line each for the newest."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, and_, exists, func, not_, select

from reconciler.model import DocumentState, Purpose
from reconciler.ports import Summary

from .guards import NOW, UNSETTLED
from .rows import document_of
from .statement import AnyRow, Statement
from .tables import table

LINES_MAX: Final = 1_000

_document, _surplus = table("document"), table("surplus")
_PUBLISHES: Final = and_(
    _document.c.lease_purpose == Purpose.PUBLISH, _document.c.lease_until > NOW
)
COUNTS: Final = select(_document.c.state, func.count().label("documents")).group_by(
    _document.c.state
)
LINES: Final = select(
    _document,
    and_(UNSETTLED, not_(func.coalesce(_PUBLISHES, False))).label("unsettled"),
    exists()
    .where(
        _surplus.c.document_id == _document.c.id,
        _surplus.c.known.is_(False),
        _surplus.c.unlisted_since.is_(None),
    )
    .label("has_surplus"),
).order_by(_document.c.created_at.desc(), _document.c.id.desc())


def summaries(
    connection: Connection, now: datetime, state: DocumentState | None, account_id: str | None
) -> tuple[dict[DocumentState, int], tuple[Summary, ...]]:
    """Counts over all that fit, and up to 1,000 of them, newest first. None: any."""
    chosen = _chosen(state, account_id)
    counts = Statement(COUNTS.where(*chosen)).rows(connection, {})
    rows = Statement(LINES.where(*chosen).limit(LINES_MAX)).rows(connection, {"the_time": now})
    return {row.state: row.documents for row in counts}, tuple(map(summary_of, rows))


def summary_of(row: AnyRow) -> Summary:
    """A line of the list."""
    return Summary(
        document=document_of(row),
        unsettled=bool(row.unsettled),
        has_surplus=bool(row.has_surplus),
    )


def _chosen(state: DocumentState | None, account_id: str | None) -> list[ColumnElement[Any]]:
    chosen: list[ColumnElement[Any]] = []
    if state is not None:
        chosen.append(_document.c.state == state)
    if account_id is not None:
        chosen.append(_document.c.account_id == account_id)
    return chosen
