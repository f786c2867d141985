"""What an operator sees first: how many documents of each kind, and since when the oldest waits."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Select, and_, func, literal, select

from reconciler.model import Account, BlockReason, DocumentState, Kind

from . import workers
from .finding import Which, chosen, is_one_of, moments
from .guards import NOW
from .judged import Judged
from .rows import account_of
from .statement import Statement
from .summaries import COUNTS
from .tables import table

COUNT_MAX: Final = 10_000
"""Beyond it nobody counts on: the list of a great heap must come at once, too."""

ACCOUNTS_SHOWN_MAX: Final = 20

_document, _account = table("document"), table("account")
_IS_THROTTLED: Final = and_(_account.c.reason == BlockReason.THROTTLED, _account.c.until > NOW)


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """As of `now`, the ledger's time. `found` counts to one more than `COUNT_MAX`.

    `oldest` has the beginning of the longest-lasting state, where there is any such document.
    `paused` are the first of `paused_count` accounts. `throttled` are those of `throttled_count`
    that the API closed for longest; how much of an allowance is left is nowhere kept.
    """

    now: datetime
    counts: Mapping[DocumentState, int]
    found: Mapping[Which, int]
    oldest: Mapping[Which, datetime]
    paused: tuple[Account, ...]
    paused_count: int
    throttled: tuple[Account, ...]
    throttled_count: int
    worker_seen_at: datetime | None


def overview(
    connection: Connection,
    now: datetime,
    *,
    accounts: Collection[str] | None,
    since: datetime | None,
    kind: Kind | None = None,
    verdict: Judged | None = None,
) -> Overview:
    """Read at once. None of what narrows it: any. Accounts are told whatever documents they have.

    `kind` and `verdict` are met by one item of a document.
    """
    scope = chosen(accounts=accounts, since=since, kind=kind, verdict=verdict)
    asked = {which: [*scope, *chosen(which=which)] for which in Which}
    oldest = {
        which: _rows(connection, now, select(func.min(_document.c.since)).where(*asked[which]))
        for which in (Which.UNSETTLED, Which.NEEDS_PERSON)
    }
    whose = [] if accounts is None else [is_one_of(_account.c.id, accounts)]
    paused = [_account.c.paused.is_not(None), *whose]
    throttled = [_IS_THROTTLED, *whose]
    return Overview(
        now=now,
        counts={
            row.state: row.documents for row in Statement(COUNTS.where(*scope)).rows(connection, {})
        },
        found={which: _counted(connection, now, _document.c.id, asked[which]) for which in Which},
        oldest={which: found[0][0] for which, found in oldest.items() if found[0][0] is not None},
        paused=_accounts(connection, now, paused, _account.c.id),
        paused_count=_counted(connection, now, _account.c.id, paused),
        throttled=_accounts(connection, now, throttled, _account.c.until.desc()),
        throttled_count=_counted(connection, now, _account.c.id, throttled),
        worker_seen_at=workers.last_seen(connection),
    )


def _counted(
    connection: Connection,
    now: datetime,
    column: ColumnElement[Any],
    asked: list[ColumnElement[Any]],
) -> int:
    some = select(column).where(*asked).limit(literal(COUNT_MAX + 1)).subquery()
    return int(_rows(connection, now, select(func.count()).select_from(some))[0][0])


def _accounts(
    connection: Connection,
    now: datetime,
    asked: list[ColumnElement[Any]],
    first: ColumnElement[Any],
) -> tuple[Account, ...]:
    some = select(_account).where(*asked).order_by(first, _account.c.id)
    rows = _rows(connection, now, some.limit(literal(ACCOUNTS_SHOWN_MAX)))
    return tuple(map(account_of, rows))


def _rows(connection: Connection, now: datetime, asked: Select[Any]) -> list[Any]:
    return Statement(asked).rows(connection, moments(now))
