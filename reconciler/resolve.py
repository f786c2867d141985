"""A person decides about one item: this row is it, no row is it, or not now.

The decision goes through the same sieves as any verdict, on a walk made for it: a person may
settle a doubt, never make one entity stand for two items, and nothing is created here. What is
decided is written in one transaction with its reason, or not at all; it may be said again, and the
process killed, at any point.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from .access import closed_because
from .contesting import give_up
from .errors import BindingTaken, StaleEvidence
from .facts import with_answers_decided
from .model import Reason
from .outside import Outside
from .ports import Change, LeaseFree, View
from .resolve_decision import Choice, Decision, is_done, refuse_malformed
from .resolve_lease import Granted, settle_lease
from .resolve_record import decided, has_moved, is_about_surplus, surplus_known
from .resolve_ruling import Ruled
from .resolve_weighing import refuse_early, weighed_on_a_look
from .settle import take_over
from .signature import is_crashed
from .typed_command import typed_command
from .work import is_held_by_another

ROUNDS_MAX: Final = 4
"""Looks for one decision, where what was looked at moves meanwhile; then it is stale."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """What came of a decision. Unless `is_recorded` nothing was changed.

    `is_repeated`: it stood so already. `withheld`: the listing that it needs did not come about.
    `held_by_another`: somebody else's lease is live. The last two ask to be run again. `warnings`
    say what it costs another item of the document.
    """

    view: View
    is_recorded: bool = False
    is_repeated: bool = False
    withheld: Reason | None = None
    held_by_another: bool = False
    warnings: tuple[str, ...] = ()


async def resolve(document_id: str, decision: Decision, outside: Outside) -> Resolved:
    """Carry out what a person decided about one item; durable on return, creates nothing.

    Raises `DecisionRefused` where it cannot be done or what is listed speaks against it,
    `StaleEvidence` where what they looked at has moved, `UnknownDocument`, `UnknownItem`.
    """
    # 1. Without a reason nothing is decided: the journal keeps it for those who ask later.
    refuse_malformed(decision)
    # 2. Read, and take over what crashed: afterwards it is an unanswered call like any other.
    view = await outside.ledger.read(document_id)
    if is_crashed(view.document, view.now):
        view = await take_over(view, outside)
    # 3. What stands as decided already is not decided again.
    if is_done(view.document, decision, await outside.ledger.journal(document_id)):
        return Resolved(view=view, is_repeated=True)
    # 4. Stop where somebody else is at it.
    if is_held_by_another(view.document, view.now):
        return Resolved(view=view, held_by_another=True)
    # 5. What is too many of a bound item is recorded as known; nothing outside is asked for that.
    if is_about_surplus(view.document, decision):
        return await _know_surplus(document_id, decision, outside)
    # 6. Refuse what can be refused without a walk. A closed account is not asked.
    refuse_early(view, decision, outside.limits)
    if decision.choice is not Choice.HOLD:
        closed = await closed_because(view.account, outside)
        if closed is not None:
            return Resolved(view=view, withheld=closed)
    # 7. Under the settle lease: look, weigh, decide, in one transaction with *the end*.
    async with settle_lease(document_id, outside) as granted:
        if granted is None:
            read = await outside.ledger.read(document_id)
            return Resolved(view=read, held_by_another=True)
        return await _decide_under_lease(granted, decision, outside)


async def _decide_under_lease(granted: Granted, decision: Decision, outside: Outside) -> Resolved:
    for _ in range(ROUNDS_MAX):
        # What was read before the lease may be somebody else's work by now.
        item = refuse_early(granted.view, decision, outside.limits)
        document = with_answers_decided(granted.view.document)
        weighed = await weighed_on_a_look(document, item, decision, outside, granted.held.step)
        if weighed.withheld is not None:
            await granted.give_back(weighed.shown)
            return Resolved(view=granted.view, withheld=weighed.withheld)
        ruled = weighed.ruled
        if ruled.outranked is not None:
            await give_up(ruled.outranked, outside, to=granted.held.document_id)
            continue  # the surroundings moved by our own hand: look at them as they are now
        if not await _commit(granted, ruled, outside):
            return Resolved(view=granted.view, held_by_another=True)
        if granted.is_given_back:
            return Resolved(view=granted.view, is_recorded=True, warnings=ruled.warnings)
    raise StaleEvidence(
        "what was looked at moved each time it was to be decided on",
        next_step=typed_command("recover", granted.held.document_id),
    )


async def _commit(granted: Granted, ruled: Ruled, outside: Outside) -> bool:
    """One transaction: the decision, its reason and *the end*. False where the lease was lost.

    Where what was looked at has moved, nothing is stored and the lease is kept for another round.
    """
    fraction, ledger = outside.chance.fraction(), outside.ledger

    def decide(view: View) -> Change:
        if has_moved(view, ruled):
            return Change(document=view.document)
        return decided(view, ruled, outside.limits, fraction)

    around = ruled.look.around if ruled.look else None
    try:
        view = await ledger.change(granted.held.document_id, granted.fence, decide, around=around)
    except BindingTaken:  # somebody was quicker: the next look says who
        view = granted.view
    granted.view = view or await ledger.read(granted.held.document_id)
    return view is not None


async def _know_surplus(document_id: str, decision: Decision, outside: Outside) -> Resolved:
    """What exists beyond a bound item, recorded as known: `next` falls silent about it."""
    view = await outside.ledger.change(
        document_id, LeaseFree(), lambda view: surplus_known(view, decision)
    )
    if view is None:
        read = await outside.ledger.read(document_id)
        return Resolved(view=read, held_by_another=True)
    return Resolved(view=view, is_recorded=True)
