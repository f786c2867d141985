"""Items that are in the way of their documents, with what stands against them: to be grouped.

The API's error code stands inside a column that no database is asked about (`columns.plain_json`),
so the groups are made by who reads this.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, and_, func, literal, not_, or_, select

from reconciler.model import ItemState, Kind, Reason

from .finding import chosen
from .guards import IS_OVER_ELSEWHERE
from .judged import Judged
from .statement import AnyRow, Statement
from .tables import table

TROUBLES_MAX: Final = 5_000
"""Read for one page; the newest documents' first."""

_document, _item, _intent, _call, _verdict = map(
    table, ("document", "item", "intent", "call", "verdict")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """One item. `reason` is why it is held, or why the latest look at it said nothing; `code` what
    the API answered to its latest call, in words `message`. None: there is none."""

    document_id: str
    kind: Kind
    state: ItemState
    reason: Reason | None
    code: int | None
    message: str | None


def troubles(
    connection: Connection,
    now: datetime,
    *,
    accounts: Collection[str] | None,
    since: datetime | None,
    kind: Kind | None = None,
    verdict: Judged | None = None,
) -> tuple[Trouble, ...]:
    """Up to `TROUBLES_MAX` items that are pending, held or rejected; what is pending of a document
    that finished elsewhere is in nobody's way. None: any."""
    del now
    narrowed = chosen(accounts=accounts, since=since)
    narrowed += [] if kind is None else [_item.c.kind == kind]
    narrowed += [] if verdict is None else [_verdict.c.verdict == verdict]
    asked = _LINES.where(*narrowed).limit(literal(TROUBLES_MAX))
    return tuple(map(_trouble, Statement(asked).rows(connection, {})))


_LATEST: Final = (
    select(func.max(_call.c.number))
    .where(_call.c.document_id == _item.c.document_id, _call.c.key == _item.c.key)
    .correlate(_item)
    .scalar_subquery()
)
_OF_ITEM: Final = and_(
    _call.c.document_id == _item.c.document_id,
    _call.c.key == _item.c.key,
    _call.c.number == _LATEST,
)
_LINES: Final = (
    select(
        _item.c.document_id,
        _item.c.kind,
        _item.c.state,
        _intent.c.reason.label("held_for"),
        _verdict.c.reason.label("judged"),
        _call.c.error,
    )
    .join(_document, _document.c.id == _item.c.document_id)
    .join(
        _intent,
        and_(_intent.c.document_id == _item.c.document_id, _intent.c.key == _item.c.key),
        isouter=True,
    )
    .join(
        _verdict,
        and_(_verdict.c.document_id == _item.c.document_id, _verdict.c.item == _item.c.key),
        isouter=True,
    )
    .join(_call, _OF_ITEM, isouter=True)
    .where(
        or_(
            and_(_item.c.state == ItemState.PENDING, not_(IS_OVER_ELSEWHERE)),
            _item.c.state == ItemState.HELD,
            _item.c.state == ItemState.REJECTED,
        )
    )
    .order_by(_document.c.created_at.desc(), _document.c.id.desc(), _item.c.position)
)


def _trouble(row: AnyRow) -> Trouble:
    error = row.error or {}
    return Trouble(
        document_id=row.document_id,
        kind=row.kind,
        state=row.state,
        reason=row.held_for or (row.judged if row.state is not ItemState.REJECTED else None),
        code=error.get("code"),
        message=error.get("message"),
    )
