"""Which documents an operator asks for beyond their state: each a condition in SQL, with its name.

What time alone changes is asked as of the transaction's time.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Select,
    and_,
    bindparam,
    exists,
    false,
    func,
    literal,
    not_,
    or_,
    select,
    text,
)

from reconciler.model import DocumentState, Grade, ItemState, Kind, Purpose

from .columns import Instant
from .due import OWES_A_LOOK, PUBLISHING, QUEUED
from .guards import NOW, UNSETTLED
from .judged import Judged
from .statement import Values
from .tables import UNSETTLED_STATES, table

LATELY: Final = timedelta(hours=24)

_document, _item, _intent, _surplus, _verdict = map(
    table, ("document", "item", "intent", "surplus", "verdict")
)
_c = _document.c
_LATELY_FROM: Final = bindparam("lately_from", type_=Instant)


class Which(StrEnum):
    """What may be asked for."""

    CRASHED = "crashed"  # publishing, its lease ended, nothing was saved
    UNSETTLED = "unsettled"  # a call went unanswered, and nobody is publishing
    AWAITS_LOOK = "awaits_look"  # a look is due or owed, now or later
    NEEDS_PERSON = "needs_person"  # `next` is decide or raise_limit
    SURPLUS = "surplus"  # more is listed than is wanted, and nobody recorded it as known
    RECOVERED = "recovered"  # within the last 24 hours a look settled a call, no person did


_FEW: Final = _c.id.in_(select(_item.c.document_id).where(text(UNSETTLED_STATES)))
"""Those that may be unsettled, by the partial index over them."""

_IS_PUBLISHED_NOW: Final = func.coalesce(
    and_(_c.lease_purpose == Purpose.PUBLISH, _c.lease_until > NOW), false()
)
_UNKNOWN: Final = select(_surplus.c.document_id).where(
    _surplus.c.known.is_(False), _surplus.c.unlisted_since.is_(None)
)
_RESTING: Final = (
    DocumentState.PUBLISHED,
    DocumentState.CANCELLED,
    DocumentState.PARTLY_PUBLISHED,
    DocumentState.FAILED,
)

_OF_ITEM: Final = and_(
    _item.c.document_id == _verdict.c.document_id, _item.c.key == _verdict.c.item
)
_SETTLED_LATELY: Final = (
    select(_verdict.c.document_id)
    .join(_item, _OF_ITEM)
    .join(
        _intent,
        and_(_intent.c.document_id == _item.c.document_id, _intent.c.key == _item.c.key),
    )
    .where(
        or_(_verdict.c.verdict == Judged.FOUND, _verdict.c.verdict == Judged.ABSENT),
        _verdict.c.judged_at >= _LATELY_FROM,
        # A person may have decided on that look, or against it; a proof may have reopened it.
        _item.c.state != ItemState.PENDING,
        _item.c.state != ItemState.HELD,
        _intent.c.found_by.is_distinct_from(Grade.PERSON),
    )
)
"""A look judges what is unsettled or held, and nothing else, so what it says settles it."""

CONDITIONS: Final[Mapping[Which, ColumnElement[bool]]] = {
    Which.CRASHED: and_(PUBLISHING, _c.lease_until <= NOW),
    Which.UNSETTLED: and_(_FEW, UNSETTLED, not_(_IS_PUBLISHED_NOW)),
    Which.AWAITS_LOOK: or_(and_(QUEUED, _FEW, UNSETTLED), OWES_A_LOOK),
    # A second creative costs nothing and asks nobody anything (`next_step`).
    Which.NEEDS_PERSON: or_(
        _c.state == DocumentState.HELD,
        and_(
            or_(*(_c.state == state for state in _RESTING)),
            _c.id.in_(_UNKNOWN.where(_surplus.c.kind != Kind.ADCREATIVE)),
        ),
    ),
    Which.SURPLUS: _c.id.in_(_UNKNOWN),
    Which.RECOVERED: _c.id.in_(_SETTLED_LATELY),
}


def chosen(
    *,
    state: DocumentState | None = None,
    which: Which | None = None,
    accounts: Collection[str] | None = None,
    since: datetime | None = None,
    kind: Kind | None = None,
    verdict: Judged | None = None,
) -> list[ColumnElement[Any]]:
    """The conditions of a selection; None asks for nothing. `since`: its state began then or later.
    `kind` and `verdict` are met by one item of it.

    A statement with a `which` is given `moments`.
    """
    found: list[ColumnElement[Any]] = []
    if state is not None:
        found.append(_c.state == state)
    if which is not None:
        found.append(CONDITIONS[which])
    if accounts is not None:
        found.append(is_one_of(_c.account_id, accounts))
    if since is not None:
        found.append(_c.since >= literal(since, type_=Instant))
    if verdict is not None:
        found.append(_c.id.in_(_judged_so(verdict, kind)))
    elif kind is not None:
        found.append(exists().where(_item.c.document_id == _c.id, _item.c.kind == kind))
    return found


def _judged_so(verdict: Judged, kind: Kind | None) -> Select[Any]:
    """Documents of which some item, of this kind, was judged so."""
    so = select(_verdict.c.document_id).where(_verdict.c.verdict == verdict)
    return so if kind is None else so.join(_item, _OF_ITEM).where(_item.c.kind == kind)


def moments(now: datetime) -> Values:
    """The times that a condition of `Which` may name."""
    return {"the_time": now, "lately_from": now - LATELY}


def is_one_of(column: ColumnElement[str], accounts: Collection[str]) -> ColumnElement[bool]:
    """Accounts: few, as many as one key may see; none gives nothing."""
    if not accounts:
        return false()
    return column.in_([literal(account) for account in sorted(accounts)])
