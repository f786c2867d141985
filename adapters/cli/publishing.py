"""Publishing by command: one attempt, or as many as it takes until the document rests."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from reconciler.lifecycle import shown_next
from reconciler.model import DocumentState, Next, NextAction
from reconciler.ports import View
from reconciler.publish import Published

from ..bootstrap import Reconciler
from .progress import watched
from .running import Stop

PAUSE_MAX: Final = timedelta(seconds=5)
"""Another worker may be done long before the time it was granted."""

PAUSE_MIN: Final = timedelta(milliseconds=200)


async def publish_once(product: Reconciler, document_id: str, _: Stop) -> Published:
    """One attempt, watched."""
    async with watched(product, document_id):
        return await product.publish(document_id)


async def publish_and_wait(product: Reconciler, document_id: str, stop: Stop) -> Published:
    """Attempts and looks until the document rests, or waits for what no waiting brings.

    Only the first is a person's `publish`: a document that ended meanwhile is not begun again.
    """
    async with watched(product, document_id):
        published = await product.publish(document_id)
        while not stop() and moves_by_itself(published.view):
            await stop.pause(pause(published.view).total_seconds())
            if not stop():
                published = await product.advance(document_id)
        return published


def moves_by_itself(view: View) -> bool:
    """A document that rests does not, nor one whose account waits for another token."""
    if view.document.state not in (DocumentState.QUEUED, DocumentState.PUBLISHING):
        return False
    return _next(view).action is not NextAction.ROTATE_TOKEN


def pause(view: View) -> timedelta:
    """How long to leave it alone."""
    until = _next(view).until or view.document.due_at
    return max(PAUSE_MIN, min(PAUSE_MAX, until - view.now if until else PAUSE_MIN))


def _next(view: View) -> Next:
    return shown_next(view.document, view.account, view.now)
