"""One attempt: waves of creates, each written before it is sent, each answer saved at once.

An attempt never sleeps under its lease longer than one call may take. Where something stays
unknown it looks once and, if that is not enough, ends: the document is queued for the later
looks, and the worker takes other work.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from .attempt_end import end_attempt, looked
from .copying import replace
from .deciding import is_stale
from .ending import Ending, is_unsettled, nothing_left, out_of_lease, reason_to_stop, stopped
from .facts import merged
from .lease import LocalLease
from .look import Look, look
from .model import AttemptOutcome, ItemState
from .next_wave import next_wave
from .outside import Outside
from .ports import Change, Fenced, View
from .renewal import HeldLease, renewed
from .stopping import unless_stopped
from .verdict import Found
from .wave import Sent, Stop, Written, send
from .write_ahead import write_calls

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
    with outside.watch("attempt", claimed.document):
        async with renewed(claimed.document.id, lease, local, outside) as held:
            return await _in_waves(claimed, held, outside)


async def _in_waves(view: View, held: HeldLease, outside: Outside) -> View:
    for _ in range(WAVES_MAX):
        view, ending = await _go_on(view, held, outside)
        if ending is not None:
            return await end_attempt(view.document.id, ending, held, outside)
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
    written = await write_calls(document, wave, held, outside)
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
    return await write_calls(view.document, wave, held, outside) if wave else None


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
        return looked(view, view.document, seen, outside)

    return await outside.ledger.change(view.document.id, fence, decide, around=seen.around)
