"""One page of the list of documents, from the place where the page before ended."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, false, literal, or_

from reconciler.model import DocumentState
from reconciler.ports import Summary

from .columns import Instant
from .statement import Statement
from .summaries import COUNTS, LINES, summary_of
from .tables import table

_document = table("document")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a document stands in the list, which arriving documents do not move."""

    created_at: datetime
    document_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Counts by state over the whole selection, and a part of its documents, newest first.

    `after` is where the next page begins; None: this is the last.
    """

    counts: dict[DocumentState, int]
    lines: tuple[Summary, ...]
    after: Place | None


def page(
    connection: Connection,
    now: datetime,
    *,
    state: DocumentState | None,
    accounts: Collection[str] | None,
    after: Place | None,
    limit: int,
) -> Page:
    """None of `state` or `accounts`: any."""
    chosen = _chosen(state, accounts)
    behind = [] if after is None else [_is_behind(after)]
    asked = LINES.where(*chosen, *behind).limit(limit + 1)  # one more shows whether that is all
    rows = Statement(asked).rows(connection, {"the_time": now})
    lines = tuple(map(summary_of, rows[:limit]))
    counts = Statement(COUNTS.where(*chosen)).rows(connection, {})
    return Page(
        counts={row.state: row.documents for row in counts},
        lines=lines,
        after=_place(lines[-1]) if len(rows) > limit else None,
    )


def _place(line: Summary) -> Place:
    return Place(created_at=line.document.created_at, document_id=line.document.id)


def _chosen(
    state: DocumentState | None, accounts: Collection[str] | None
) -> list[ColumnElement[Any]]:
    of_state = [] if state is None else [_document.c.state == state]
    of_accounts = [] if accounts is None else [_is_one_of(accounts)]
    return [*of_state, *of_accounts]


def _is_one_of(accounts: Collection[str]) -> ColumnElement[bool]:
    """Few, as many as one key may see; none gives nothing."""
    if not accounts:
        return false()
    return _document.c.account_id.in_([literal(account) for account in sorted(accounts)])


def _is_behind(after: Place) -> ColumnElement[bool]:
    at = literal(after.created_at, type_=Instant)
    of_that_time = and_(_document.c.created_at == at, _document.c.id < literal(after.document_id))
    return or_(_document.c.created_at < at, of_that_time)
