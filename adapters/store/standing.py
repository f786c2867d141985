"""How the whole ledger stands, for gauges: counts, and since when the oldest of each kind waits."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, func, select, text

from reconciler.model import DocumentState, Origin

from . import workers
from .guards import UNSETTLED
from .statement import Statement
from .summaries import COUNTS
from .tables import UNSETTLED_STATES, table

_document, _item = table("document"), table("item")


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """As of `now`, the ledger's time. None: there is none such, or no worker was ever seen.

    What came from elsewhere waits apart, for neither workers nor a sweep settle it. Each waits
    since its present state began: a takeover begins another one.
    """

    now: datetime
    counts: dict[DocumentState, int]
    unsettled_since: datetime | None
    imported_since: datetime | None
    held_since: datetime | None
    worker_seen_at: datetime | None


_COUNTS: Final = Statement(COUNTS)
_FEW: Final = select(_item.c.document_id).where(text(UNSETTLED_STATES))
"""Those that may be unsettled, by the partial index over them: not every document is asked."""

_UNSETTLED_SINCE: Final = Statement(
    select(_document.c.origin, func.min(_document.c.since).label("since"))
    .where(_document.c.id.in_(_FEW), UNSETTLED)
    .group_by(_document.c.origin)
)
_HELD_SINCE: Final = Statement(
    select(func.min(_document.c.since).label("since")).where(
        _document.c.state == DocumentState.HELD
    )
)


def standing(connection: Connection, now: datetime) -> Standing:
    """Read at once."""
    unsettled = {row.origin: row.since for row in _UNSETTLED_SINCE.rows(connection, {})}
    [held] = _HELD_SINCE.rows(connection, {})
    return Standing(
        now=now,
        counts={row.state: row.documents for row in _COUNTS.rows(connection, {})},
        unsettled_since=unsettled.get(Origin.OURS),
        imported_since=unsettled.get(Origin.IMPORTED),
        held_since=held.since,
        worker_seen_at=workers.last_seen(connection),
    )
