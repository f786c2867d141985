"""The questions of workers and sweeps: one statement for each kind of work, each by its own index.

What a partial index promises is said literally, for a planner finds an index by the text, not by a
parameter. What is asked is the guard's own condition; the guard decides again when somebody acts.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Select,
    Text,
    and_,
    bindparam,
    func,
    or_,
    select,
    text,
    tuple_,
)

from reconciler.due import Due, DueDocument
from reconciler.model import Account, BlockReason, Origin

from .columns import EPOCH, Instant
from .guards import CLAIMABLE, LEASE_FREE, NOW, UNSETTLED
from .rows import account_of
from .statement import Statement
from .tables import table

CLOSED_ACCOUNTS_MAX: Final = 1_000

_document, _account = table("document"), table("account")
_c = _document.c

QUEUED: Final = text("document.state = 'queued'")
PUBLISHING: Final = text("document.state = 'publishing'")
OWES_A_LOOK: Final = text("document.owes_look_from IS NOT NULL")
CANCELLING: Final = text(
    "document.cancel_requested AND document.state NOT IN ('cancelled', 'published')"
)
"""The conditions of the partial indexes, word for word."""

_OURS: Final = _c.origin == Origin.OURS
_IS_CLOSED: Final = and_(_account.c.reason.is_not(None), _account.c.until > NOW)
_CLOSED: Final = _c.account_id.in_(select(_account.c.id).where(_IS_CLOSED))
"""Asked once for a query, not once for a row."""

_CREATES_NOTHING: Final = or_(_IS_CLOSED, _account.c.paused.is_not(None))
_NOT_CLAIMED: Final = _c.account_id.in_(select(_account.c.id).where(_CREATES_NOTHING))
"""A paused account is looked at all the same."""

_TOO_LONG: Final = _c.due_at <= bindparam("too_long", type_=Instant)


def _asked(
    at: ColumnElement[Any] | None, *conditions: Any, alike: Sequence[ColumnElement[Any]] = ()
) -> Statement:
    """Rows by the time they fell due, or by their id where the kind knows none.

    `alike` is the same for all rows of the kind. Said in the order, it has PostgreSQL walk the
    index of the kind, where for the id alone it may walk all documents there ever were.
    """
    order: list[ColumnElement[Any]] = [*alike, _c.id] if at is None else [at, _c.id]
    after_id = bindparam("after_id", type_=Text)
    behind: ColumnElement[bool] = _c.id > after_id
    if at is not None:
        behind = tuple_(at, _c.id) > tuple_(bindparam("after_at", type_=Instant), after_id)
        conditions = (*conditions, at <= NOW)
    told = _c.created_at if at is None else at
    return Statement(_page(told.label("at")).where(*conditions, _OURS, behind).order_by(*order))


def _page(at: ColumnElement[Any]) -> Select[Any]:
    return select(_c.id, _c.account_id, _c.recoveries, at).limit(
        bindparam("the_most", type_=BigInteger)
    )


_QUESTIONS: Final = {
    Due.CLAIM: _asked(_c.due_at, QUEUED, *CLAIMABLE, ~_NOT_CLAIMED),
    Due.TAKEOVER: _asked(_c.lease_until, PUBLISHING),
    Due.LOOK: _asked(_c.due_at, QUEUED, LEASE_FREE, UNSETTLED, or_(~_CLOSED, _TOO_LONG)),
    Due.OWED_LOOK: _asked(_c.due_at, OWES_A_LOOK, _c.owes_look_from <= NOW, LEASE_FREE, ~_CLOSED),
    Due.CANCEL: _asked(
        None,
        CANCELLING,
        text("document.state <> 'publishing'"),
        LEASE_FREE,
        or_(text("document.state <> 'queued'"), ~UNSETTLED),
    ),
    Due.STRANDED: _asked(None, QUEUED, _c.due_at.is_(None), LEASE_FREE, alike=[_c.due_at]),
}
_OF_ACCOUNT: Final = _asked(
    _c.due_at,
    QUEUED,
    _c.account_id == bindparam("the_account", type_=Text),
    *CLAIMABLE,
    ~_NOT_CLAIMED,
)
"""The claims of one account, by an index of their own: others may have a million before them."""

_TIMELESS: Final = frozenset({Due.CANCEL, Due.STRANDED})

_QUEUED_ACCOUNT: Final = select(func.min(_c.account_id).label("account_id")).where(QUEUED)
_first: Final = _QUEUED_ACCOUNT.where(_c.account_id > bindparam("after_id", type_=Text))
_turn: Final = _first.cte("turn", recursive=True)
_ACCOUNTS: Final = _turn.union_all(
    select(_QUEUED_ACCOUNT.where(_c.account_id > _turn.c.account_id).scalar_subquery()).where(
        _turn.c.account_id.is_not(None)
    )
)
"""From one account with queued documents to the next, without reading what is between."""

_LONGEST_DUE: Final = (
    select(_c.id)
    .where(QUEUED, _c.account_id == _ACCOUNTS.c.account_id, _c.due_at <= NOW, *CLAIMABLE)
    .order_by(_c.due_at, _c.id)
    .limit(1)
    .scalar_subquery()
)
"""Asked account by account. An EXISTS would be joined, and all that is queued read for it."""

# In the order of the recursion. To say ORDER BY would be to wait for the last account.
_TURNS: Final = Statement(
    select(_ACCOUNTS.c.account_id, _LONGEST_DUE.label("id"))
    .where(
        _ACCOUNTS.c.account_id.is_not(None),
        _ACCOUNTS.c.account_id.not_in(select(_account.c.id).where(_CREATES_NOTHING)),
        _LONGEST_DUE.is_not(None),
    )
    .limit(bindparam("the_most", type_=BigInteger))
)

_CLOSED_ACCOUNTS: Final = Statement(
    select(_account)
    .where(and_(_account.c.reason == BlockReason.ACCESS, _account.c.until > NOW))
    .order_by(_account.c.id)
    .limit(CLOSED_ACCOUNTS_MAX)
)


def due(
    connection: Connection,
    now: datetime,
    kind: Due,
    *,
    limit: int,
    passing_max: timedelta,
    after: DueDocument | None,
    account_id: str | None,
) -> tuple[DueDocument, ...]:
    """One page of what is due now."""
    assert account_id is None or kind is Due.CLAIM
    question = _QUESTIONS[kind] if account_id is None else _OF_ACCOUNT
    values = {
        "the_time": now,
        "the_most": limit,
        "too_long": now - passing_max,
        "after_at": (after and after.at) or EPOCH,
        "after_id": after.document_id if after else "",
        "the_account": account_id,
    }
    return tuple(
        DueDocument(
            document_id=row.id,
            account_id=row.account_id,
            at=None if kind in _TIMELESS else row.at,
            recoveries=row.recoveries,
        )
        for row in question.rows(connection, values)
    )


def turns(
    connection: Connection, now: datetime, *, limit: int, after: str
) -> tuple[DueDocument, ...]:
    """Of each account behind this one what is to be claimed first."""
    values = {"the_time": now, "the_most": limit, "after_id": after}
    return tuple(
        DueDocument(document_id=row.id, account_id=row.account_id, at=None)
        for row in _TURNS.rows(connection, values)
    )


def closed_accounts(connection: Connection, now: datetime) -> tuple[Account, ...]:
    """Accounts without access that nobody is to ask yet."""
    return tuple(account_of(row) for row in _CLOSED_ACCOUNTS.rows(connection, {"the_time": now}))
