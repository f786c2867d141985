"""What a walk says of a person's decision: it may be carried out, or why not.

Pure: frozen values in, a ruling out. `Ruled` is a decision that may be carried out.
"""

from __future__ import annotations

from dataclasses import dataclass

from .copying import replace
from .errors import DecisionRefused
from .funnel import Weighed, weigh
from .limits import Limits
from .listing import Listing
from .look import Look
from .model import Document, Item, Reason
from .ports import Binding
from .resolve_adopt import Adoptable, adoptable, why_another_first
from .resolve_also import not_yet_reported, refused_beside
from .resolve_decision import Choice, Decision
from .resolve_none import why_not_none
from .typed_command import typed_command
from .verdict import Inconclusive
from .walking import place_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruled:
    """A decision, the look it was weighed on (None: it needs none), and what the journal tells.

    `warnings` say what it costs another item of the document. `outranked` is another document's
    binding that must be given up first; None: there is none.
    """

    decision: Decision
    look: Look | None = None
    overridden: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    outranked: Binding | None = None


def withheld_by(shown: Look, item: Item) -> Reason | None:
    """Why the look gives nothing to decide on. `too_soon` is weighed: our mark is proof before."""
    verdict = shown.verdicts[item.key]
    if not isinstance(verdict, Inconclusive) or verdict.reason is Reason.TOO_SOON:
        return None
    return verdict.reason if verdict.reason.is_passing else None


def rule_on(
    document: Document, item: Item, decision: Decision, shown: Look, limits: Limits
) -> Ruled:
    """Put it through the sieves. Raises `DecisionRefused` where they forbid it."""
    assert item.intent is not None, "an open item has an intent"
    place = place_of(item.intent)
    listings = tuple(walk for walk in shown.listings if walk.request.place == place)
    weighed = weigh(
        document, shown.listings, shown.surroundings, limits=limits, policy=shown.policy
    )
    ruled = Ruled(decision=decision, look=shown)
    if decision.choice is Choice.NONE:
        _refuse(why_not_none(weighed, item.key, listings), document)
        return ruled
    wanted = decision.external_id or ""
    adopted = _adoptable(weighed, decision, wanted, listings)
    _refuse(why_another_first(weighed, item.key, wanted) or adopted.refused, document)
    ruled = replace(
        ruled,
        overridden=adopted.overridden,
        warnings=adopted.warnings,
        outranked=adopted.outranked,
    )
    for extra in not_yet_reported(document, decision):
        beside = _adoptable(weighed, decision, extra, listings)
        taken = f"{extra} is bound elsewhere by name and time" if beside.outranked else None
        if why := beside.refused or taken:
            raise refused_beside(weighed, decision, extra, why)
        ruled = replace(ruled, overridden=(*ruled.overridden, *beside.overridden))
    return ruled


def _adoptable(
    weighed: Weighed, decision: Decision, external_id: str, listings: tuple[Listing, ...]
) -> Adoptable:
    return adoptable(weighed, decision.item, external_id, listings, override=decision.override)


def _refuse(problem: str | None, document: Document) -> None:
    if problem is not None:
        look = typed_command("recover", document.id)
        look_again = f"{look}, then {typed_command('explain', document.id)}"
        raise DecisionRefused(problem, next_step=look_again)
