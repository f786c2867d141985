"""Cancels a document: at once where nothing is under way, else as a request honoured at the end.

A request is durable and seen at every commit of the running attempt: the call in flight ends, its
id is saved, no further create starts. What was made stays listed, for a person to clean up.
"""

from __future__ import annotations

from . import events, lifecycle
from .outside import Outside
from .ports import Anyhow, Change, Event, View


async def cancel(document_id: str, outside: Outside) -> View:
    """Record a person's wish to cancel. Durable on return.

    The document is `cancelled`, or `cancel_requested` is set and the state still tells what is
    under way. Raises `WrongState` where everything is published already.
    """

    def decide(view: View) -> Change:
        document = lifecycle.cancelled(view.document, view.now)
        at_once = document.state is not view.document.state
        kind = events.STATE if at_once else events.CANCEL_REQUESTED
        told = (Event(kind=kind, detail={"state": document.state.value}),)
        return Change(document=document, events=() if document is view.document else told)

    view = await outside.ledger.change(document_id, Anyhow(), decide)
    if view is None:
        raise AssertionError("a guard that asks nothing matches every document")
    return view
