"""One attempt: waves of creates, each written before it is sent, each answer saved at once.

An attempt never sleeps under its lease longer than one call may take. Where something stays
unknown it looks once and, if that is not enough, ends: the document is queued for the later
looks, and the worker takes other work.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Final

from . import events
from .access import closed_by
from .deciding import due_after, is_stale, stale_items, told, with_verdicts
from .ending import Ending, is_unsettled, nothing_left, out_of_lease, reason_to_stop, stopped
from .facts import merged, with_answers_decided, with_calls_written
from .lease import LocalLease
from .limits import Limits
from .look import Look, look
from .model import Account, AttemptOutcome, Document, ItemState, Reason
from .next_wave import intents_of, next_wave, to_send
from .outside import Outside
from .ports import Change, Event, Fenced, View
from .renewal import HeldLease, renewed
from .stopping import unless_stopped
from .the_end import attempt_ended, the_end
from .verdict import Found
from .wave import Sent, Stop, Written, send

WAVES_MAX: Final = 4_000
"""A plan holds at most 1,000 items, and each is sent at most `not_sent_max` times, plus once."""


async def run_attempt(claimed: View, local: LocalLease, outside: Outside) -> View:
    """Send what can be sent, in waves, until nothing is left or something stops it.

    `local` holds the clocks as they stood before the claim was asked for. Returns the document
    after *the end*; where the lease was lost meanwhile, as somebody else left it.
    """
    lease = claimed.document.lease
    if lease is None:
        raise AssertionError("a claim sets a lease")
    async with renewed(claimed.document.id, lease, local, outside) as held:
        view = claimed
        for _ in range(WAVES_MAX):
            view, ending = await _go_on(view, held, outside)
            if ending is not None:
                return await _end(view.document.id, ending, held, outside)
    raise AssertionError("every wave settles an item or ends the attempt")


async def _go_on(view: View, held: HeldLease, outside: Outside) -> tuple[View, Ending | None]:
    """One wave, and the one look that may follow it."""
    document = view.document
    # 1. Nothing new while anything is unsettled.
    if is_unsettled(document):
        return view, Ending(outcome=AttemptOutcome.UNRESOLVED, stop=Stop.UNKNOWN)
    # 2. What can be sent now: references confirmed, one alone until a first create succeeded.
    wave = next_wave(document, outside.limits)
    if not wave:
        return view, nothing_left(document, outside)
    if (ending := reason_to_stop(view, outside)) is not None:
        return view, ending
    # 3. Write the intents and their calls, while enough of the lease is left to send them.
    written = await _write(document, wave, held, outside)
    if written is None:
        return view, out_of_lease(document)
    # 4. Send, and save every answer the moment it is known. While the last of them are in flight
    #    the next wave is chosen and written, so that it follows without a pause.
    view = replace(written.view, document=merged(document, written.view.document))
    more = partial(_write_more, held=held, outside=outside)
    sent = await send(view, written.calls, held, outside, more)
    view = sent.view
    # 5. Go on with what is durable by now, or end.
    if sent.stop in (None, Stop.UNKNOWN, Stop.CANCEL, Stop.SHUTDOWN):
        return await _look_once(view, sent, held, outside)
    return view, stopped(view.document, sent, outside)


async def _write_more(view: View, *, held: HeldLease, outside: Outside) -> Written | None:
    """The next wave beside creates in flight. What forbids a send forbids it later, if not here."""
    wave = next_wave(view.document, outside.limits)
    return await _write(view.document, wave, held, outside) if wave else None


async def _write(
    document: Document, wave: tuple[str, ...], held: HeldLease, outside: Outside
) -> Written | None:
    """Durable on return. None: the lease is gone or too short.

    Writes nothing after a cancel, nor where a late answer left an item of the wave unsettled.
    """
    intents = intents_of(document, wave, outside.limits.echo)

    def decide(view: View) -> Change:
        if view.document.cancel_requested or is_unsettled(view.document):
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


async def _look_once(
    view: View, sent: Sent, held: HeldLease, outside: Outside
) -> tuple[View, Ending | None]:
    """Found by mark, all of it: go on. Otherwise the attempt ends, and nothing sleeps here."""
    pending = [item for item in view.document.items if item.state is ItemState.PENDING]
    if not pending:
        return view, None
    if held.left() < outside.limits.needed_before_send:
        return view, Ending(outcome=AttemptOutcome.UNRESOLVED, error=sent.error, stop=Stop.LEASE)
    looking = look(view.document, pending, outside, step=held.step)
    seen = await unless_stopped(looking, outside.stopping)
    if seen is None:  # a look only reads: whoever comes next makes it
        return view, Ending(outcome=AttemptOutcome.HANDED_BACK, stop=Stop.SHUTDOWN)
    unresolved = Ending(
        outcome=AttemptOutcome.UNRESOLVED, error=sent.error, stop=Stop.UNKNOWN, look=seen
    )
    if not all(isinstance(verdict, Found) for verdict in seen.verdicts.values()):
        return view, unresolved
    bound = await _bind(view, seen, held, outside)
    if bound is None or is_unsettled(bound.document):
        return view, replace(unresolved, look=None)
    return bound, None


async def _bind(view: View, seen: Look, held: HeldLease, outside: Outside) -> View | None:
    fence = Fenced(owner=held.owner, epoch=held.epoch)

    def decide(view: View) -> Change:
        if is_stale(view, seen):
            return Change(document=view.document)
        return _looked(view, view.document, seen, outside)

    return await outside.ledger.change(view.document.id, fence, decide, around=seen.around)


def _looked(view: View, document: Document, seen: Look, outside: Outside) -> Change:
    stale = stale_items(document, seen)
    evidence = tuple(v.evidence for key, v in seen.verdicts.items() if key not in stale)
    decided = with_verdicts(document, seen, view.now, outside.limits)
    return Change(document=decided, events=told(seen, stale), evidence=evidence)


async def _end(document_id: str, ending: Ending, held: HeldLease, outside: Outside) -> View:
    """*The end*: the last decision, the attempt's outcome and the lease, in one transaction."""
    fraction = outside.chance.fraction()
    ended = await outside.ledger.change(
        document_id,
        Fenced(owner=held.owner, epoch=held.epoch),
        lambda view: _ended(view, ending, fraction, outside),
        around=ending.look.around if ending.look else None,
    )
    return ended or await outside.ledger.read(document_id)


def _ended(view: View, ending: Ending, fraction: float, outside: Outside) -> Change:
    limits = outside.limits
    change = Change(document=with_answers_decided(view.document))
    if ending.look is not None and not is_stale(view, ending.look):
        change = _looked(view, change.document, ending.look, outside)
    account = _closed(view, ending, outside)
    due_at, step = _due(
        replace(view, document=change.document, account=account), ending, fraction, limits
    )
    document = attempt_ended(change.document, view.now, ending.outcome, limits, ending.error)
    document = replace(document, backoff_step=step)
    document = the_end(document, view.now, limits, fraction, due_at=due_at)
    state = Event(kind=events.STATE, detail={"state": document.state.value, "why": ending.outcome})
    closed = None if account is view.account else account
    return Change(
        document=document,
        account=closed,
        events=(*change.events, state),
        evidence=change.evidence,
    )


def _closed(view: View, ending: Ending, outside: Outside) -> Account:
    reasons = {Stop.THROTTLED: Reason.THROTTLED, Stop.ACCESS: Reason.ACCESS}
    reason = reasons.get(ending.stop) if ending.stop else None
    if ending.look is not None:
        return closed_by(view.account, ending.look.withheld, view.now, ending.look.wait, outside)
    return closed_by(view.account, reason, view.now, ending.wait, outside)


def _due(
    view: View, ending: Ending, fraction: float, limits: Limits
) -> tuple[datetime | None, int]:
    """When it is due again, and the backoff step then; None leaves the time to *the end*."""
    step = view.document.backoff_step
    if ending.stop in (Stop.THROTTLED, Stop.ACCESS, Stop.CLOSED):
        return view.account.until, 0
    if ending.put_off:
        return view.now + limits.backoff(step, fraction), step + 1
    if ending.look is not None:
        return due_after(view.document, ending.look, view.now, limits, fraction)
    return None, 0
