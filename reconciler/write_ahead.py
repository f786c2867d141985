"""Writes intents and their calls before they are sent, in one fenced transaction."""

from __future__ import annotations

from . import events
from .ending import is_unsettled
from .facts import merged, with_calls_written
from .model import Document
from .next_wave import intents_of, to_send
from .outside import Outside
from .ports import Change, Event, Fenced, View
from .renewal import HeldLease
from .wave import Written


async def write_calls(
    document: Document, wave: tuple[str, ...], held: HeldLease, outside: Outside
) -> Written | None:
    """Durable on return. None: the lease is gone or too short.

    Writes nothing after a cancel or a pause, nor where a late answer left an item of the wave
    unsettled.
    """
    intents = intents_of(document, wave, outside.limits.echo)

    def decide(view: View) -> Change:
        stopped = view.document.cancel_requested or view.account.paused is not None
        if stopped or is_unsettled(view.document):
            return Change(document=view.document)
        attempt = document.attempts[-1].number
        changed, keys = with_calls_written(view.document, intents, attempt, view.now)
        lines = tuple(Event(kind=events.INTENTS_WRITTEN, item=key) for key in sorted(keys))
        return Change(document=changed, events=lines)

    needed = outside.limits.needed_before_send
    fence = Fenced(owner=held.owner, epoch=held.epoch, left=needed)
    view = await outside.ledger.change(document.id, fence, decide, only=wave)
    held.step()
    if view is None:
        return None
    return Written(view=view, calls=to_send(merged(document, view.document), wave))
