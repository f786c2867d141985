"""What a person's decision leaves in the ledger: the item moved, why, and what they overruled.

Pure: frozen document in, the change of one transaction out; `now` is the ledger's.
"""

from __future__ import annotations

from collections.abc import Iterable

from . import events
from .attributes import told_unlisted
from .copying import replace
from .deciding import (
    is_stale,
    told,
    told_state,
    with_owed_look_done,
    with_surplus,
    with_verdicts_told,
)
from .errors import DecisionRefused
from .facts import bound, with_answers_decided, with_items
from .funnel import judge
from .holding import held_for
from .limits import Limits
from .look import Look, seen
from .model import Document, Grade, Item, ItemState, Reason, Surplus
from .ports import Change, Event, View
from .resolve_also import refused_beside_bound
from .resolve_decision import Choice, Decision, known_item, open_item
from .resolve_ended import at_rest
from .resolve_ruling import Ruled
from .typed_command import typed_command


def has_moved(view: View, ruled: Ruled) -> bool:
    """Whether anything that was weighed is not what stands now."""
    if ruled.look is None:
        return False
    items = seen(with_answers_decided(view.document))
    return is_stale(view, ruled.look) or items != ruled.look.seen


def decided(view: View, ruled: Ruled, limits: Limits, fraction: float) -> Change:
    """The decision carried out, its line in the journal, and *the end*.

    Raises `DecisionRefused` where nothing is open about the item any more.
    """
    decision, shown = ruled.decision, ruled.look
    document = with_answers_decided(view.document)
    was = open_item(document, decision)
    document = with_items(document, lambda item: _moved(item, document, decision))
    if shown is not None:
        document = with_verdicts_told(document, shown, view.now, limits)
        document = with_surplus(document, _unexplained(document, shown, view, limits))
        document = with_owed_look_done(document, shown)
    if decision.choice is Choice.ADOPT:
        document = replace(_with_known(document, was, decision.also), attempts_used=0)
    document = at_rest(document, view, limits, fraction)
    looked = told(shown, frozenset(), view.document) if shown is not None else ()
    return Change(
        document=document,
        events=(
            *looked,
            *told_unlisted(view.document, document),
            _line(ruled, was),
            *told_state(view.document, document),
        ),
        evidence=tuple(v.evidence for v in shown.verdicts.values()) if shown else (),
    )


def _moved(item: Item, document: Document, decision: Decision) -> Item:
    if item.key != decision.item or item.intent is None:
        return item
    match decision.choice:
        case Choice.ADOPT:
            return bound(item, item.intent, decision.external_id or "", Grade.PERSON)
        case Choice.NONE:
            intent = replace(item.intent, facts=item.intent.facts + 1, reason=None)
            return replace(item, state=ItemState.ABSENT, intent=intent)
        case Choice.HOLD:
            held = item.state is ItemState.HELD
            return item if held else held_for(item, _standing(document, item))


def _standing(document: Document, item: Item) -> Reason:
    """Under which of the closed reasons it is held; why a person wants that, the journal tells."""
    said = [judged.reason for judged in document.verdicts if judged.item == item.key]
    return next((reason for reason in said if reason is not None), Reason.TOO_SOON)


def _unexplained(
    document: Document, shown: Look, view: View, limits: Limits
) -> tuple[Surplus, ...]:
    """What the listing shows beyond what is wanted, now that this is decided."""
    surroundings = view.surroundings
    return judge(document, (), shown.listings, surroundings, now=view.now, limits=limits).surplus


def _with_known(document: Document, item: Item, ids: Iterable[str]) -> Document:
    reported = {extra.external_id: extra for extra in document.surplus}
    for one in ids:
        fresh = Surplus(external_id=one, kind=item.kind, item=item.key)
        reported[one] = replace(reported.get(one, fresh), known=True)
    surplus = tuple(reported.values())
    return document if surplus == document.surplus else replace(document, surplus=surplus)


def _line(ruled: Ruled, was: Item) -> Event:
    detail = ruled.decision.told() | {"was": was.state.value, "overridden": list(ruled.overridden)}
    if ruled.warnings:
        detail |= {"warnings": list(ruled.warnings)}
    if ruled.look is not None:
        evidence = ruled.look.verdicts[was.key].evidence
        detail |= {"evidence_id": evidence.id, "evidence_hash": evidence.hash}
    return Event(kind=events.RESOLVED, item=was.key, detail=detail)


def is_about_surplus(document: Document, decision: Decision) -> bool:
    """Whether it only says of what exists beyond a bound item that it is known."""
    return bool(decision.also) and known_item(document, decision).state is ItemState.CONFIRMED


def surplus_known(view: View, decision: Decision) -> Change:
    """Surplus of a bound item recorded as known. Raises `DecisionRefused` where it is none."""
    item = known_item(view.document, decision)
    bound_to = item.intent.external_id if item.intent else None
    next_step = typed_command("show", view.document.id, options="--refresh")
    if bound_to != decision.external_id:
        raise DecisionRefused(f"{item.key} is bound to {bound_to} already", next_step=next_step)
    reported = {extra.external_id for extra in view.document.surplus}
    if missing := [one for one in decision.also if one not in reported]:
        raise refused_beside_bound(view.document, decision, ", ".join(missing))
    line = decision.told() | {"was": item.state.value, "overridden": []}
    return Change(
        document=_with_known(view.document, item, decision.also),
        events=(Event(kind=events.RESOLVED, item=item.key, detail=line),),
    )
