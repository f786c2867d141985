"""Holds what no verdict can settle: what lasts too long, kills its settlers, or is bound elsewhere.

Held means that a person decides. The intent keeps everything it was sent with, and its reason.
"""

from __future__ import annotations

from .copying import replace
from .deciding import told_state
from .facts import first_id, with_items
from .model import DocumentState, Item, ItemState, Origin, Reason
from .outside import Outside
from .ports import Change, SettleLease, View
from .settling import is_overdue_passing, settle_at
from .signature import needs_settling
from .the_end import the_end


async def hold_overdue(document_id: str, reason: Reason, outside: Outside) -> View | None:
    """Hold what could not be looked at for a day after it settled; None where it is not free.

    A passing reason that does not pass is a person's business, under its own name.
    """
    fraction = outside.chance.fraction()

    def decide(view: View) -> Change:
        document = with_items(
            view.document,
            lambda item: held_for(item, reason) if _is_overdue(view, item, outside) else item,
        )
        due_at = view.document.due_at
        document = the_end(document, view.now, outside.limits, fraction, due_at=due_at)
        return Change(document=document, events=told_state(view.document, document))

    guard = SettleLease(owner=outside.owner, duration=outside.limits.lease)
    return await outside.ledger.change(document_id, guard, decide)


def is_overdue(view: View, outside: Outside) -> bool:
    """Whether anything of it could not be looked at for too long."""
    document = view.document
    if document.state is not DocumentState.QUEUED or document.origin is not Origin.OURS:
        return False
    return any(_is_overdue(view, item, outside) for item in document.items)


def _is_overdue(view: View, item: Item, outside: Outside) -> bool:
    if item.state is not ItemState.PENDING or item.intent is None:
        return False
    limits = outside.limits
    settled = settle_at(item.intent, view.document.attempts, limits.timings())
    return is_overdue_passing(view.now, settled, limits.passing_max)


def as_poison(item: Item) -> Item:
    """A pending intent of a document that killed whoever looked at it too often (R073)."""
    return held_for(item, Reason.POISON) if item.state is ItemState.PENDING else item


def contested_by(item: Item, taken: frozenset[str]) -> Item:
    """The API answered with an id that another intent holds: never bind it twice (A8)."""
    if item.intent is None or first_id(item.intent) not in taken or not needs_settling(item):
        return item
    return held_for(item, Reason.CONTESTED)


def held_for(item: Item, reason: Reason) -> Item:
    """The item, waiting for a person under this reason."""
    if item.intent is None:
        raise AssertionError("only an item with an intent is held")
    intent = replace(item.intent, reason=reason, facts=item.intent.facts + 1)
    return replace(item, state=ItemState.HELD, intent=intent)
