"""*The end*: what a document becomes once its last decision is made; the first line that fits.

One transaction with that decision and with the release of the lease, on what its first
`UPDATE ... RETURNING` gave back. Pure: frozen document in, frozen document out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from .copying import replace
from .lifecycle import On, move
from .limits import Limits
from .model import (
    AttemptOutcome,
    Call,
    Document,
    DocumentState,
    Item,
    ItemState,
    Origin,
    Outcome,
)
from .settling import owed_look_from, unanswered
from .signature import is_sent_by_its_program

_D = DocumentState


@dataclass(frozen=True, slots=True)
class EndLine:
    """One line of *the end*: when it fits, and the state it gives."""

    says: str
    fits: Callable[[Document, Limits], bool]
    state: Callable[[Document], DocumentState]


def _has(document: Document, *states: ItemState) -> bool:
    return any(item.state in states for item in document.items)


def _partly_or_failed(document: Document) -> DocumentState:
    return _D.PARTLY_PUBLISHED if _has(document, ItemState.CONFIRMED) else _D.FAILED


def _all_confirmed(document: Document, _: Limits) -> bool:
    return all(item.state is ItemState.CONFIRMED for item in document.items)


def _cannot_go_on(document: Document, limits: Limits) -> bool:
    if not _has(document, ItemState.WAITING, ItemState.ABSENT):
        return True
    if document.attempts_used >= limits.max_attempts or is_sent_by_its_program(document):
        return True
    return any(absent_without_a_mark(document, item) for item in document.items)


def absent_without_a_mark(document: Document, item: Item) -> bool:
    """Not found by name and time is strong, not proof: only a person may have it made again."""
    if item.state is not ItemState.ABSENT or item.intent is None or item.intent.mark is not None:
        return False
    said = document.publish_said_at
    sent = [call for call in item.intent.calls if call.outcome is not Outcome.NOT_SENT]
    return any(said is None or call.started_at >= said for call in sent)


THE_END: Final = (
    EndLine("1 an intent is pending", lambda d, _: _has(d, ItemState.PENDING), lambda _: _D.QUEUED),
    EndLine("2 all items are confirmed", _all_confirmed, lambda _: _D.PUBLISHED),
    EndLine("3 cancel was requested", lambda d, _: d.cancel_requested, lambda _: _D.CANCELLED),
    EndLine("4 an intent is held", lambda d, _: _has(d, ItemState.HELD), lambda _: _D.HELD),
    EndLine("5 imported", lambda d, _: d.origin is Origin.IMPORTED, _partly_or_failed),
    EndLine("6 nothing more is sent by itself", _cannot_go_on, _partly_or_failed),
    EndLine("7 otherwise", lambda _d, _l: True, lambda _: _D.QUEUED),
)
"""The first line that fits decides. One transaction with the last decision and the lease."""


def the_end(
    document: Document,
    now: datetime,
    limits: Limits,
    fraction: float,
    *,
    due_at: datetime | None,
    on: On = On.END,
) -> Document:
    """Give the lease back and settle the document's state by what its items are now.

    `due_at` is the time section 5 or the reason gives, None where the rule here decides: at once,
    or after the backoff where the last attempt was `orphaned` or ended in `error`.
    """
    document = with_blocked(replace(document, lease=None, recoveries=0))
    line = next(line for line in THE_END if line.fits(document, limits))
    ended = move(document, on, line.state(document), now)
    return replace(ended, due_at=_due(ended, now, limits, fraction, due_at))


def _due(
    document: Document, now: datetime, limits: Limits, fraction: float, due_at: datetime | None
) -> datetime | None:
    if document.state is not _D.QUEUED:
        return document.owes_look_from
    if document.origin is Origin.IMPORTED:
        return None
    if due_at is not None or _has(document, ItemState.PENDING):
        return due_at or now
    last = document.attempts[-1].outcome if document.attempts else None
    if last in (AttemptOutcome.ORPHANED, AttemptOutcome.ERROR):
        return now + limits.backoff(max(0, document.attempts_used - 1), fraction)
    return now


def with_blocked(document: Document) -> Document:
    """Items that refer to what cannot be made cannot be made either; the others go on."""
    items = {item.key: item for item in document.items}
    for _ in items:  # as many rounds as there are items reach the end of every chain
        blocked = [item for item in items.values() if _is_blocked(item, items)]
        if not blocked:
            break
        items |= {item.key: replace(item, state=ItemState.BLOCKED) for item in blocked}
    kept = tuple(items[item.key] for item in document.items)
    return document if kept == document.items else replace(document, items=kept)


def _is_blocked(item: Item, items: dict[str, Item]) -> bool:
    if item.state is not ItemState.WAITING:
        return False
    dead = (ItemState.REJECTED, ItemState.BLOCKED)
    return any(items[ref].state in dead for ref in item.refs if ref in items)


# --- how an attempt ends ----------------------------------------------------------------------


def taken_over(document: Document, now: datetime, limits: Limits, fraction: float) -> Document:
    """The crash signature was seen and the row is ours: the attempt is `orphaned`.

    Its calls without a recorded end stay as they are: they count as sent, and their bound is the
    last lease the attempt was granted.
    """
    orphaned = AttemptOutcome.ORPHANED
    document = attempt_ended(document, now, orphaned, limits, "the lease ended, no result")
    return the_end(document, now, limits, fraction, due_at=None, on=On.TAKEOVER)


def attempt_ended(
    document: Document,
    now: datetime,
    outcome: AttemptOutcome,
    limits: Limits,
    error: str | None = None,
) -> Document:
    """Record how the running attempt ended. Handed back, cancelled and succeeded do not count.

    One that died or failed counts whatever it had confirmed before (R071); one that ended
    `unresolved` only if nothing was. Calls of it whose end was never recorded owe a look: nobody is
    left to record it.
    """
    running = {attempt.number for attempt in document.attempts if attempt.outcome is None}
    attempts = tuple(
        replace(attempt, finished_at=now, outcome=outcome, error=error)
        if attempt.outcome is None
        else attempt
        for attempt in document.attempts
    )
    counts = outcome in (
        AttemptOutcome.ORPHANED,
        AttemptOutcome.ERROR,
        AttemptOutcome.UNRESOLVED,
    )
    used = document.attempts_used if counts else max(0, document.attempts_used - 1)
    if outcome in (AttemptOutcome.ORPHANED, AttemptOutcome.ERROR):
        used = max(1, used)
    ended = replace(document, attempts=attempts, attempts_used=used)
    return with_owed_look(
        ended, limits, lambda _, call: call.ended_at is None and call.attempt in running
    )


def with_owed_look(
    document: Document, limits: Limits, concerns: Callable[[str, Call], bool]
) -> Document:
    """Owe one complete listing begun after the last of these calls, where one is unanswered.

    `concerns` picks calls by item key: those whose end was just recorded, or will never be. Older
    ones were looked after before; owing a look for them again would list a healthy document.
    """
    just_these = tuple(
        _only_calls(item, concerns) for item in document.items if _has_unanswered(item)
    )
    if not just_these:  # nearly always; a copy of every item for nothing took half of *the end*
        return document
    owed = owed_look_from(replace(document, items=just_these), limits.timings())
    if owed is None or (document.owes_look_from is not None and document.owes_look_from >= owed):
        return document
    return replace(document, owes_look_from=owed)


def _has_unanswered(item: Item) -> bool:
    return item.intent is not None and bool(unanswered(item.intent))


def _only_calls(item: Item, concerns: Callable[[str, Call], bool]) -> Item:
    if item.intent is None:
        return item
    calls = tuple(call for call in item.intent.calls if concerns(item.key, call))
    return replace(item, intent=replace(item.intent, calls=calls))
