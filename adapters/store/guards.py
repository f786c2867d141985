"""The conditional updates that open every change: the whole of what is claimed, lent and fenced.

Each guard of the port is one `UPDATE document SET … WHERE … RETURNING`, reviewed here and nowhere
else. The row that comes back is the document as the guard left it; no row means that the guard did
not match and nothing was changed. A guard that sets nothing still updates, because that takes the
row's lock where the database has such.

A lease is live while `lease_until > now` and has ended at `lease_until` itself.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Text,
    and_,
    bindparam,
    exists,
    func,
    not_,
    or_,
    text,
    update,
)

from reconciler.lifecycle import AT_REST
from reconciler.model import BlockReason, DocumentState, ItemState, Origin, Purpose
from reconciler.ports import Anyhow, Claim, Fenced, Guard, LeaseFree, SettleLease, Takeover
from reconciler.signature import BEING_SETTLED

from .columns import FreeText, Instant
from .one_of import OneOf
from .statement import AnyRow, Statement, Values
from .tables import UNSETTLED_STATES, table

_document, _item, _call, _account = map(table, ("document", "item", "call", "account"))
_c = _document.c

THE_ID: Final = bindparam("the_id", type_=FreeText)
NOW: Final = bindparam("the_time", type_=Instant)
_OWNER: Final = bindparam("the_owner", type_=Text)
_UNTIL: Final = bindparam("the_end", type_=Instant)
_EPOCH: Final[ColumnElement[Any]] = bindparam("the_epoch")
_TOKEN: Final = bindparam("the_token", type_=Text)

LEASE_FREE: Final = or_(_c.lease_until.is_(None), _c.lease_until <= NOW)

HAS_UNKNOWN: Final = exists().where(
    _item.c.document_id == _c.id,
    text(UNSETTLED_STATES),  # said first and literally: the partial index is found by it
    or_(
        _item.c.state == ItemState.PENDING,
        exists().where(
            _call.c.document_id == _item.c.document_id,
            _call.c.key == _item.c.key,
            _call.c.external_id.is_not(None),
        ),
    ),
)
"""A pending intent, or a `created` fact on an absent or held one (`signature.needs_settling`)."""

IS_OVER_ELSEWHERE: Final = and_(
    _c.origin == Origin.IMPORTED, *(_c.state != state for state in sorted(BEING_SETTLED))
)
"""From elsewhere and at rest: nobody settles what is pending of it
(`signature.is_over_elsewhere`)."""

UNSETTLED: Final = and_(HAS_UNKNOWN, not_(IS_OVER_ELSEWHERE))
"""Something is not known that a look may find out (`signature.is_unsettled`, the lease apart)."""

CLAIMABLE: Final = (
    _c.origin == Origin.OURS,
    _c.cancel_requested.is_(False),
    LEASE_FREE,
    ~HAS_UNKNOWN,
)
"""What the claim asks of a document that is queued and due, the account apart."""

_ACCOUNT_CLOSED: Final = exists().where(
    _account.c.id == _c.account_id,
    or_(
        _account.c.paused.is_not(None),
        and_(_account.c.reason == BlockReason.THROTTLED, _account.c.until > NOW),
        and_(
            _account.c.reason == BlockReason.ACCESS,
            _account.c.token_print.is_not_distinct_from(_TOKEN),
        ),
    ),
)
"""A throttle ends by time, lost access by a new token, a pause by a person (`may_create`)."""


@dataclass(frozen=True, slots=True)
class _Update:
    """One guard, for the document of an id and for those of many."""

    one: Statement
    many: OneOf


def _guard(*conditions: ColumnElement[bool], **values: Any) -> _Update:
    changed = values or {"lease_epoch": _c.lease_epoch}
    written = update(_document).where(*conditions).values(changed).returning(_document)
    return _Update(one=Statement(written.where(_c.id == THE_ID)), many=OneOf(written, _c.id))


_CLAIMED: Final = {
    "state": DocumentState.PUBLISHING,
    "since": NOW,
    "began_at": func.coalesce(_c.began_at, NOW),
    "lease_owner": _OWNER,
    "lease_until": _UNTIL,
    "lease_purpose": Purpose.PUBLISH,
    "lease_epoch": _c.lease_epoch + 1,
}
_QUEUED_AND_DUE: Final = and_(_c.state == DocumentState.QUEUED, _c.due_at <= NOW)
_CLAIM: Final = _guard(_QUEUED_AND_DUE, *CLAIMABLE, ~_ACCOUNT_CLOSED, **_CLAIMED)
_CLAIM_AT_REST: Final = _guard(
    or_(_QUEUED_AND_DUE, *(_c.state == state for state in sorted(AT_REST))),
    *CLAIMABLE,
    ~_ACCOUNT_CLOSED,
    **_CLAIMED,
)

_SETTLE_LEASE: Final = _guard(
    _c.state != DocumentState.PUBLISHING,
    LEASE_FREE,
    lease_owner=_OWNER,
    lease_until=_UNTIL,
    lease_purpose=Purpose.SETTLE,
    lease_epoch=_c.lease_epoch + 1,
    recoveries=_c.recoveries + 1,
)

_TAKEOVER: Final = _guard(
    _c.state == DocumentState.PUBLISHING,
    _c.lease_until <= NOW,
    _c.lease_epoch == _EPOCH,
    lease_owner=None,
    lease_until=None,
    lease_purpose=None,
    lease_epoch=_c.lease_epoch + 1,
)

_OURS: Final = (_c.lease_epoch == _EPOCH, _c.lease_owner == _OWNER)
_FENCED: Final = _guard(*_OURS)
_FENCED_WITH_TIME_LEFT: Final = _guard(*_OURS, _c.lease_until > _UNTIL)
_RENEWAL: Final = _guard(*_OURS, _c.lease_until > NOW, lease_until=_UNTIL)
_LEASE_FREE: Final = _guard(LEASE_FREE)
_ANYHOW: Final = _guard()


def matched(connection: Connection, document_id: str, guard: Guard, now: datetime) -> AnyRow | None:
    """Run the guard's update. The document's row as it stands now, None if it did not match."""
    guarded, values = _prepared(guard, now)
    return guarded.one.row(connection, values | {"the_id": document_id, "the_time": now})


def matched_all(
    connection: Connection, ids: Collection[str], guard: Guard, now: datetime
) -> list[AnyRow]:
    """The same for many documents: the rows of those that it matched, in no order."""
    guarded, values = _prepared(guard, now)
    return list(guarded.many.rows(connection, ids, values | {"the_time": now}))


def renewed(
    connection: Connection, document_id: str, holder: Fenced, now: datetime, until: datetime
) -> AnyRow | None:
    """Move the lease's end, only while it is this one and ahead of now. None where it was lost."""
    values = {
        "the_id": document_id,
        "the_owner": holder.owner,
        "the_epoch": holder.epoch,
        "the_time": now,
        "the_end": until,
    }
    return _RENEWAL.one.row(connection, values)


def _prepared(guard: Guard, now: datetime) -> tuple[_Update, Values]:
    match guard:
        case Claim(owner=owner, duration=duration, token_print=token, at_rest=at_rest):
            claim = _CLAIM_AT_REST if at_rest else _CLAIM
            return claim, {"the_owner": owner, "the_end": now + duration, "the_token": token}
        case SettleLease(owner=owner, duration=duration):
            return _SETTLE_LEASE, {"the_owner": owner, "the_end": now + duration}
        case Takeover(epoch=epoch):
            return _TAKEOVER, {"the_epoch": epoch}
        case Fenced(owner=owner, epoch=epoch, left=left):
            ours = {"the_owner": owner, "the_epoch": epoch}
            if left is None:
                return _FENCED, ours
            return _FENCED_WITH_TIME_LEFT, ours | {"the_end": now + left}
        case LeaseFree():
            return _LEASE_FREE, {}
        case Anyhow():
            return _ANYHOW, {}
