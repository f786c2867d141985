"""When a document is worth another step, for whoever drives it by a timer."""

from __future__ import annotations

from datetime import datetime

from .model import Document, DocumentState, NextAction, Origin
from .next_step import of_paused, shown_next
from .ports import View
from .signature import is_unsettled


def again_at(view: View) -> datetime | None:
    """By the ledger's clock, and past where it is due now; None where time alone brings nothing.

    While somebody holds it: when their lease ends. Of an account that is closed: when it may be
    asked again.
    """
    document = view.document
    if document.origin is Origin.IMPORTED:
        return None  # nothing of it is ever sent, and only people and reads settle it
    match document.state:
        case DocumentState.QUEUED:
            return _of_queued(view)
        case DocumentState.PUBLISHING:
            return document.lease.until if document.lease else None
        case _:
            return _of_resting(document)


def _of_queued(view: View) -> datetime | None:
    document, account, now = view.document, view.account, view.now
    if of_paused(account) and not is_unsettled(document, now):
        return None
    step = shown_next(document, account, now)
    if step.action is NextAction.ROTATE_TOKEN:
        return account.until
    return step.until or document.due_at


def _of_resting(document: Document) -> datetime | None:
    """A look that is owed moves no state, and is made all the same."""
    return document.due_at if document.owes_look_from is not None else None
