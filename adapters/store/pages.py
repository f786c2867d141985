"""One page of the list of documents, from the place where the page before ended."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, and_, literal, or_

from reconciler.model import DocumentState, Kind
from reconciler.ports import Summary

from .columns import Instant
from .finding import Which, chosen, moments
from .judged import Judged
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

    `counts` are empty where nobody asked for them. `after` is where the next page begins; None:
    this is the last.
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
    which: Which | None = None,
    since: datetime | None = None,
    kind: Kind | None = None,
    verdict: Judged | None = None,
    counted: bool = True,
) -> Page:
    """None of what narrows it: any. `kind` and `verdict` are met by one item of a document."""
    asked_for = chosen(
        state=state, which=which, accounts=accounts, since=since, kind=kind, verdict=verdict
    )
    behind = [] if after is None else [_is_behind(after)]
    asked = LINES.where(*asked_for, *behind).limit(limit + 1)  # one more shows whether that is all
    rows = Statement(asked).rows(connection, moments(now))
    lines = tuple(map(summary_of, rows[:limit]))
    counting = Statement(COUNTS.where(*asked_for))
    counts = counting.rows(connection, moments(now)) if counted else []
    return Page(
        counts={row.state: row.documents for row in counts},
        lines=lines,
        after=_place(lines[-1]) if len(rows) > limit else None,
    )


def _place(line: Summary) -> Place:
    return Place(created_at=line.document.created_at, document_id=line.document.id)


def _is_behind(after: Place) -> ColumnElement[bool]:
    at = literal(after.created_at, type_=Instant)
    of_that_time = and_(_document.c.created_at == at, _document.c.id < literal(after.document_id))
    return or_(_document.c.created_at < at, of_that_time)
