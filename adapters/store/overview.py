"""What an operator sees first: how many documents of each kind, and since when the oldest waits."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Select, func, literal, select

from reconciler.model import Account, DocumentState

from . import workers
from .finding import Which, chosen
from .rows import account_of
from .statement import Statement
from .summaries import COUNTS
from .tables import table

COUNT_MAX: Final = 10_000
"""Beyond it nobody counts on: the list of a great heap must come at once, too."""

PAUSED_SHOWN_MAX: Final = 20

_document, _account = table("document"), table("account")


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """As of `now`, the ledger's time. `found` counts to one more than `COUNT_MAX`.

    `oldest` has the beginning of the longest-lasting state, where there is any such document.
    `paused` are the first of `paused_count` accounts.
    """

    now: datetime
    counts: Mapping[DocumentState, int]
    found: Mapping[Which, int]
    oldest: Mapping[Which, datetime]
    paused: tuple[Account, ...]
    paused_count: int
    worker_seen_at: datetime | None


def overview(
    connection: Connection,
    now: datetime,
    *,
    accounts: Collection[str] | None,
    since: datetime | None,
) -> Overview:
    """Read at once. None of `accounts` or `since`: any."""
    scope = chosen(accounts=accounts, since=since)
    asked = {which: [*scope, *chosen(which=which)] for which in Which}
    oldest = {
        which: _rows(connection, now, select(func.min(_document.c.since)).where(*asked[which]))
        for which in (Which.UNSETTLED, Which.NEEDS_PERSON)
    }
    paused = _paused(connection, accounts)
    return Overview(
        now=now,
        counts={
            row.state: row.documents for row in Statement(COUNTS.where(*scope)).rows(connection, {})
        },
        found={which: _counted(connection, now, asked[which]) for which in Which},
        oldest={which: found[0][0] for which, found in oldest.items() if found[0][0] is not None},
        paused=paused[:PAUSED_SHOWN_MAX],
        paused_count=len(paused),
        worker_seen_at=workers.last_seen(connection),
    )


def _counted(connection: Connection, now: datetime, asked: list[ColumnElement[Any]]) -> int:
    some = select(_document.c.id).where(*asked).limit(literal(COUNT_MAX + 1)).subquery()
    return int(_rows(connection, now, select(func.count()).select_from(some))[0][0])


def _paused(connection: Connection, accounts: Collection[str] | None) -> tuple[Account, ...]:
    asked = select(_account).where(_account.c.paused.is_not(None)).order_by(_account.c.id)
    rows = Statement(asked).rows(connection, {})
    found = map(account_of, rows)
    return tuple(one for one in found if accounts is None or one.id in accounts)


def _rows(connection: Connection, now: datetime, asked: Select[Any]) -> list[Any]:
    return Statement(asked).rows(connection, {"the_time": now})
