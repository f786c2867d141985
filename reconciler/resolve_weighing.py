"""A person's decision is weighed: first on the ledger alone, then on a look made for it.

One rule for both who asks: what records the decision, and what tells beforehand what recording it
would say. Reads only; raises `DecisionRefused` or `StaleEvidence` where it may not be carried out.
"""

from __future__ import annotations

from dataclasses import dataclass

from .errors import DecisionRefused
from .facts import with_answers_decided
from .limits import Limits
from .look import Look, look
from .model import Document, Item, Reason
from .outside import Outside
from .ports import View
from .resolve_decision import Choice, Decision, open_item, refuse_old_evidence
from .resolve_none import too_soon
from .resolve_ruling import Ruled, rule_on, withheld_by
from .settling import settle_at
from .signature import may_live_elsewhere
from .typed_command import typed_command
from .walking import Step


@dataclass(frozen=True, slots=True, kw_only=True)
class OnALook:
    """What a look says of a decision. `withheld`: nothing, for the listing did not come about.

    `shown` None: holding claims nothing and needs no look.
    """

    ruled: Ruled
    shown: Look | None = None
    withheld: Reason | None = None


def refuse_early(view: View, decision: Decision, limits: Limits) -> Item:
    """The item, as far as the ledger alone lets it be decided."""
    document = with_answers_decided(view.document)
    item = open_item(document, decision)
    if may_live_elsewhere(document):
        raise DecisionRefused(
            "its worker could still live elsewhere by what it was imported with, so nothing of it "
            "can be known yet",
            next_step="reconciler import FILE --worker-gone-before TIME, with its line and a later "
            f"time, then {typed_command('recover', document.id)}",
        )
    refuse_old_evidence(document, decision, view.now)
    if decision.choice is Choice.NONE and item.intent is not None:
        settled = settle_at(item.intent, document.attempts, limits.timings())
        if problem := too_soon(settled, view.now):
            raise DecisionRefused(problem, next_step=typed_command("show", document.id))
    return item


async def weighed_on_a_look(
    document: Document,
    item: Item,
    decision: Decision,
    outside: Outside,
    step: Step = lambda: None,
) -> OnALook:
    """List what it is about, and put it through the sieves.

    `document` is as its answers stand (`with_answers_decided`), and `item` what `refuse_early`
    let through.
    """
    unweighed = Ruled(decision=decision)
    if decision.choice is Choice.HOLD:
        return OnALook(ruled=unweighed)
    shown = await look(document, (item,), outside, naming=decision.ids, step=step)
    if (withheld := withheld_by(shown, item)) is not None:
        return OnALook(ruled=unweighed, shown=shown, withheld=withheld)
    return OnALook(ruled=rule_on(document, item, decision, shown, outside.limits), shown=shown)
