"""Decides which documents are any of our business: the crash signature, and what is unsettled.

Slow is not dead: a crash is told from the lease alone, never from age. Afterwards nothing
distinguishes a crash from an unanswered call, and both are settled the same way.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

from .lease import is_live
from .model import Document, DocumentState, Item, ItemState, Origin, Purpose

BEING_SETTLED: Final = frozenset(
    {DocumentState.PUBLISHING, DocumentState.QUEUED, DocumentState.HELD}
)
"""States in which a document from elsewhere may be looked up."""


def is_crashed(document: Document, now: datetime) -> bool:
    """Publishing began, no end is recorded, and the publishing lease has expired.

    Publishing without any lease is an imported document whose worker may still live.
    """
    if document.state is not DocumentState.PUBLISHING or document.lease is None:
        return False
    return not is_live(document.lease, now)


def may_live_elsewhere(document: Document) -> bool:
    """From elsewhere, and nobody said that its worker is gone: it is left alone until an import
    says so, or tells its end."""
    return document.state is DocumentState.PUBLISHING and document.lease is None


def is_sent_by_its_program(document: Document) -> bool:
    """It began, and nobody ever said `publish`: its program sends it, item by item, and no worker.

    For documents of ours; one from elsewhere is sent by nobody here.
    """
    return document.began_at is not None and document.publish_said_at is None


def is_over_elsewhere(document: Document) -> bool:
    """It is from elsewhere and at rest: nobody looks for what was not recorded of it."""
    return document.origin is Origin.IMPORTED and document.state not in BEING_SETTLED


def is_unsettled(document: Document, now: datetime) -> bool:
    """Something is not known about it that a look may find out, and no live publishing lease is
    finding out."""
    if is_over_elsewhere(document):
        return False
    lease = document.lease
    if lease is not None and lease.purpose is Purpose.PUBLISH and is_live(lease, now):
        return False
    return any(needs_settling(item) for item in document.items)


def needs_settling(item: Item) -> bool:
    """A pending intent, or a `created` fact that came after the intent was given up."""
    if item.state is ItemState.PENDING:
        return True
    late = item.state in (ItemState.ABSENT, ItemState.HELD)
    return late and item.intent is not None and item.intent.has_created_fact


def owes_look(document: Document) -> bool:
    """Whether one complete listing is still owed: it finds surplus and moves no state."""
    return document.owes_look_from is not None
