"""How a document lives: the table of its states, and *the end*. Nothing else moves a state.

    draft --publish--> queued --claim--> publishing --the end--> published, partly_published,
                         |  ^                 |                  failed, held, cancelled, queued
                         |  +--- takeover ----+   (the lease expired, nothing was said)
                         |
                         +--settle lease--> the end

A program that sends by itself (`create_once`) claims what rests, without queueing it.

The claim is the single door to creating. A crash and an unanswered call leave the same row, a
`pending` intent, and take the same path: queued, looked at, decided, *the end*.

Pure: frozen document in, frozen document out; `now` is the ledger's.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Final

from .copying import replace
from .errors import WrongState
from .lease import is_live
from .limits import Limits
from .model import (
    Attempt,
    Document,
    DocumentState,
)
from .next_step import next_step, shown_next
from .refusing_publish import refuse_cancelled, refuse_imported, refuse_to_queue
from .signature import is_unsettled
from .typed_command import typed_command

__all__ = [
    "AT_REST",
    "MOVES",
    "On",
    "cancel_is_due",
    "cancelled",
    "claimed",
    "move",
    "next_step",
    "queued",
    "refuse_cancelled",
    "refuse_imported",
    "shown_next",
]


class On(StrEnum):
    """What moves a state."""

    PUBLISH = "publish"  # a person's
    CLAIM = "claim"
    TAKEOVER = "takeover"
    END = "the end"
    CANCEL = "cancel"
    CONTEST = "contest"  # what it had bound by name and time is proven to be another's
    REVERT = "revert"  # a person takes back what a batch bound


_D = DocumentState
_ENDS: Final = frozenset(_D) - {_D.DRAFT, _D.PUBLISHING}

MOVES: Final[dict[tuple[DocumentState, On], frozenset[DocumentState]]] = {
    (_D.DRAFT, On.PUBLISH): frozenset({_D.QUEUED}),
    (_D.PARTLY_PUBLISHED, On.PUBLISH): frozenset({_D.QUEUED}),
    (_D.FAILED, On.PUBLISH): frozenset({_D.QUEUED}),
    (_D.QUEUED, On.CLAIM): frozenset({_D.PUBLISHING}),
    (_D.DRAFT, On.CLAIM): frozenset({_D.PUBLISHING}),
    (_D.PARTLY_PUBLISHED, On.CLAIM): frozenset({_D.PUBLISHING}),
    (_D.FAILED, On.CLAIM): frozenset({_D.PUBLISHING}),
    (_D.PUBLISHING, On.TAKEOVER): _ENDS,
    (_D.PUBLISHING, On.END): _ENDS,
    (_D.QUEUED, On.END): _ENDS,
    (_D.HELD, On.END): _ENDS,
    (_D.DRAFT, On.CANCEL): frozenset({_D.CANCELLED}),
    (_D.HELD, On.CANCEL): frozenset({_D.CANCELLED}),
    (_D.PARTLY_PUBLISHED, On.CANCEL): frozenset({_D.CANCELLED}),
    (_D.FAILED, On.CANCEL): frozenset({_D.CANCELLED}),
    (_D.QUEUED, On.CANCEL): frozenset({_D.CANCELLED}),
    (_D.QUEUED, On.CONTEST): frozenset({_D.QUEUED, _D.HELD, _D.CANCELLED}),
    (_D.PUBLISHED, On.CONTEST): frozenset({_D.HELD, _D.CANCELLED}),
    (_D.PARTLY_PUBLISHED, On.CONTEST): frozenset({_D.HELD, _D.CANCELLED}),
    (_D.QUEUED, On.REVERT): frozenset({_D.QUEUED}),
    (_D.HELD, On.REVERT): frozenset({_D.HELD}),
    (_D.PUBLISHED, On.REVERT): frozenset({_D.HELD}),
    (_D.PARTLY_PUBLISHED, On.REVERT): frozenset({_D.HELD}),
}
"""The table of design section 4. `cancelled` stands on no left side: it absorbs. So does
`published`, unless a claim it rested on is proven to be another's, or taken back by who made it."""


AT_REST: Final = frozenset({_D.DRAFT, _D.PARTLY_PUBLISHED, _D.FAILED})
"""From here a person's `publish` leads on, and a program's claim of one create (`create_once`)."""


def queued(document: Document, now: datetime) -> Document:
    """A person's `publish`: queued and due now, with a fresh attempt budget.

    A document that is queued or publishing already is left alone. Raises `WrongState` where
    publishing is over for good, or a person must decide first.
    """
    if document.state in (_D.QUEUED, _D.PUBLISHING):
        return document
    refuse_to_queue(document)
    moved = move(document, On.PUBLISH, _D.QUEUED, now)
    return replace(moved, due_at=now, publish_said_at=now, attempts_used=0, backoff_step=0)


def claimed(document: Document, now: datetime, limits: Limits) -> Document:
    """The claim matched: count the attempt before anything else can happen in it."""
    lease = document.lease
    if lease is None:
        raise AssertionError("a claim sets a lease")
    attempt = Attempt(
        number=len(document.attempts) + 1,
        lease_epoch=lease.epoch,
        owner=lease.owner,
        started_at=now,
        lease_until=lease.until,
        timings=limits.timings(),
    )
    return replace(
        document,
        attempts=(*document.attempts, attempt),
        attempts_used=document.attempts_used + 1,
        due_at=None,
    )


def cancelled(document: Document, now: datetime) -> Document:
    """Cancel at once where nothing is under way, else record the request for *the end*.

    Raises `WrongState` where it is too late.
    """
    if document.state is _D.PUBLISHED:
        raise WrongState(
            "too late: everything of it is published",
            next_step=typed_command("show", document.id),
        )
    if document.state is _D.CANCELLED:
        return document
    requested = replace(document, cancel_requested=True)
    if not _may_cancel_at_once(document, now):
        return requested
    moved = move(requested, On.CANCEL, _D.CANCELLED, now)
    # A lease that ended is given back too: whoever held it and wakes late is fenced out by that.
    return replace(moved, due_at=document.owes_look_from, lease=None)


def cancel_is_due(document: Document, now: datetime) -> bool:
    """Whether a recorded request waits for nothing any more: whoever was at it is gone."""
    return document.cancel_requested and _may_cancel_at_once(document, now)


def _may_cancel_at_once(document: Document, now: datetime) -> bool:
    if is_live(document.lease, now) or (document.state, On.CANCEL) not in MOVES:
        return False
    return document.state is not _D.QUEUED or not is_unsettled(document, now)


def move(document: Document, on: On, to: DocumentState, now: datetime) -> Document:
    """The document in its new state; a move that the table does not know is our own bug."""
    allowed = MOVES.get((document.state, on), frozenset())
    if to not in allowed:
        raise AssertionError(f"{document.state} may not become {to} on {on}")
    if document.state is to:
        return document
    return replace(document, state=to, since=now)
