"""Which documents an operator asks for beyond their state: each a condition in SQL, with its name.

What time alone changes is asked as of the transaction's time.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from sqlalchemy import ColumnElement, and_, false, func, literal, not_, or_, select, text

from reconciler.model import DocumentState, Kind, Purpose

from .columns import Instant
from .due import OWES_A_LOOK, PUBLISHING, QUEUED
from .guards import NOW, UNSETTLED
from .tables import UNSETTLED_STATES, table

_document, _item, _surplus = map(table, ("document", "item", "surplus"))
_c = _document.c


class Which(StrEnum):
    """What may be asked for."""

    CRASHED = "crashed"  # publishing, its lease ended, nothing was saved
    UNSETTLED = "unsettled"  # a call went unanswered, and nobody is publishing
    AWAITS_LOOK = "awaits_look"  # a look is due or owed, now or later
    NEEDS_PERSON = "needs_person"  # `next` is decide or raise_limit
    SURPLUS = "surplus"  # more exists than is wanted, and nobody recorded it as known


_FEW: Final = _c.id.in_(select(_item.c.document_id).where(text(UNSETTLED_STATES)))
"""Those that may be unsettled, by the partial index over them."""

_IS_PUBLISHED_NOW: Final = func.coalesce(
    and_(_c.lease_purpose == Purpose.PUBLISH, _c.lease_until > NOW), false()
)
_UNKNOWN: Final = select(_surplus.c.document_id).where(_surplus.c.known.is_(False))
_RESTING: Final = (
    DocumentState.PUBLISHED,
    DocumentState.CANCELLED,
    DocumentState.PARTLY_PUBLISHED,
    DocumentState.FAILED,
)

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
}


def chosen(
    *,
    state: DocumentState | None = None,
    which: Which | None = None,
    accounts: Collection[str] | None = None,
    since: datetime | None = None,
) -> list[ColumnElement[Any]]:
    """The conditions of a selection; None asks for nothing. `since`: its state began then or later.

    A statement with a `which` is given `the_time`.
    """
    found: list[ColumnElement[Any]] = []
    if state is not None:
        found.append(_c.state == state)
    if which is not None:
        found.append(CONDITIONS[which])
    if accounts is not None:
        found.append(_is_one_of(accounts))
    if since is not None:
        found.append(_c.since >= literal(since, type_=Instant))
    return found


def _is_one_of(accounts: Collection[str]) -> ColumnElement[bool]:
    """Few, as many as one key may see; none gives nothing."""
    if not accounts:
        return false()
    return _c.account_id.in_([literal(account) for account in sorted(accounts)])
