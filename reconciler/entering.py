"""How a program comes to send one create: the steps of an attempt up to the request itself.

Between the last check and the program's request nothing is awaited.
"""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Final

from . import events
from .access import closed_because
from .attempt_end import end_attempt
from .call_outcome import Answered
from .copying import replace
from .ending import Ending, out_of_lease, reason_to_stop
from .errors import NotSettled
from .facts import merged
from .lifecycle import claimed
from .model import AttemptOutcome, Intent
from .outside import Outside
from .ports import Change, Claim, Event, View
from .recorder import Recorder
from .renewal import HeldLease, local_now, renewed
from .settle import settle
from .turning_away import not_settled, refuse, refuse_item
from .wave import UNSENT, Stop, ToSend
from .write_ahead import write_calls


@dataclass(frozen=True, slots=True, kw_only=True)
class Entered:
    """A create that may be sent now. `began`: boot seconds at the last check of the lease."""

    held: HeldLease
    to_send: ToSend
    intent: Intent
    recorder: Recorder
    began: float


async def enter(document_id: str, key: str, outside: Outside, around: AsyncExitStack) -> Entered:
    """Claim, write and check. `around` keeps the slot and the lease until it is closed.

    Raises what `turning_away` says, with nothing left open.
    """
    # 1. What crashed or went unanswered comes first; an id that is known ends it here.
    settled = await settle(document_id, outside)
    view = await _with_account_tried(settled.view, outside)
    refuse(view, key, outside.limits)
    # 2. A free slot, then the claim: one conditional update, in which the item is asked again.
    await around.enter_async_context(outside.slots.one(lambda: None))
    local = local_now(outside)
    view = await _claimed(view, key, outside)
    lease = view.document.lease
    if lease is None:
        raise AssertionError("a claim sets a lease")
    held = await around.enter_async_context(renewed(document_id, lease, local, outside))
    # 3. The intent and its call, durable before anything is sent.
    view, to_send = await _written(view, key, held, outside)
    recorder = Recorder(view, held, outside)
    # 4. What forbids it, as of this very moment. What was written and not sent is recorded as that.
    if (ending := _forbidden(view, held, outside)) is not None:
        recorder.add(Answered(item=key, call=to_send.call, answer=UNSENT))
        await recorder.flush()
        raise await _ended(document_id, ending, held, outside)
    return Entered(
        held=held,
        to_send=to_send,
        intent=_intent(view, key),
        recorder=recorder,
        began=outside.clock.boot_seconds(),
    )


async def _with_account_tried(view: View, outside: Outside) -> View:
    """A closed account opens by a new token or one cheap read."""
    if view.account.reason is None:
        return view
    await closed_because(view.account, outside)
    return replace(view, account=await outside.ledger.account(view.account.id))


async def _claimed(view: View, key: str, outside: Outside) -> View:
    guard = Claim(
        owner=outside.owner,
        duration=outside.limits.lease,
        token_print=outside.graph.token_print(view.document.account_id),
        at_rest=True,
    )

    def decide(view: View) -> Change:
        refuse_item(view.document, key)
        document = claimed(view.document, view.now, outside.limits)
        detail = {"attempt": len(document.attempts), "epoch": document.lease_epoch, "item": key}
        return Change(document=document, events=(Event(kind=events.CLAIMED, detail=detail),))

    got = await outside.ledger.change(view.document.id, guard, decide)
    if got is None:  # somebody was quicker
        now = await outside.ledger.read(view.document.id)
        refuse(now, key, outside.limits)
        raise not_settled(now)
    return got


async def _written(view: View, key: str, held: HeldLease, outside: Outside) -> tuple[View, ToSend]:
    document = view.document
    written = await write_calls(document, (key,), held, outside)
    if written is None:
        raise await _ended(document.id, out_of_lease(document), held, outside)
    if not written.calls:
        raise await _ended(document.id, _CANCELLED, held, outside)
    [to_send] = written.calls
    whole = merged(document, written.view.document)
    return replace(written.view, document=whole), to_send


def _forbidden(view: View, held: HeldLease, outside: Outside) -> Ending | None:
    if held.left() < outside.limits.needed_before_send:
        return out_of_lease(view.document)
    return reason_to_stop(view, outside)


async def _ended(document_id: str, ending: Ending, held: HeldLease, outside: Outside) -> NotSettled:
    return not_settled(await end_attempt(document_id, ending, held, outside))


def _intent(view: View, key: str) -> Intent:
    intent = view.document.item(key).intent
    if intent is None:
        raise AssertionError("an intent is written before it is sent")
    return intent


_CANCELLED: Final = Ending(outcome=AttemptOutcome.CANCELLED, stop=Stop.CANCEL)
