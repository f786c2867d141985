"""What a settling run is to look at, decided from the document alone.

Pure. None of it is a healthy document's business: only what is unsettled, what owes a look, and
what a person asks about.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from .copying import quick
from .deciding import owed_places
from .facts import items_beside, with_answers_decided
from .lease import is_free
from .listing import Place
from .model import Document, DocumentState, Item, ItemState, Origin
from .signature import is_unsettled, needs_settling, owes_look
from .walking import place_of


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """`settles`: the run leads to *the end*. Otherwise it may add surplus, and moves no state."""

    settles: bool
    is_owed: bool
    asked: bool
    refresh: bool

    def items(self, document: Document) -> tuple[Item, ...]:
        """What to judge: pending items, and held ones where a person asks."""
        if not self.settles:
            return ()
        return tuple(item for item in document.items if self._is_judged(item))

    def _is_judged(self, item: Item) -> bool:
        if item.intent is None or item.intent.has_created_fact:
            return False
        return needs_settling(item) or (self.asked and item.state is ItemState.HELD)

    def with_answers(self, document: Document) -> Document:
        """The document with what its answers settle; a look that moves no state leaves it alone."""
        return with_answers_decided(document) if self.settles else document

    def places(self, document: Document) -> frozenset[Place]:
        """What to list beside the places of the items. A late answer may end what is owed."""
        is_owed = self.is_owed and owes_look(document)
        owed = owed_places(document) if is_owed else frozenset()
        return owed | (recorded_places(document) if self.refresh else frozenset())

    def naming(self, document: Document) -> frozenset[str]:
        """Ids to look for whatever they are called by now: somebody may have renamed them."""
        if not self.refresh:
            return frozenset()
        confirmed = (item.intent for item in document.items if item.state is ItemState.CONFIRMED)
        bound = {intent.external_id for intent in confirmed if intent and intent.external_id}
        return frozenset(bound | {extra.external_id for extra in document.surplus})


NOTHING: Final = Work(settles=False, is_owed=False, asked=False, refresh=False)
"""Somebody else did it meanwhile."""


def work_on(
    document: Document, now: datetime, *, asked: bool, refresh: bool, imported: bool = False
) -> Work | None:
    """None where nothing is to be done now. A person's question does not wait for `due_at`.

    `imported`: documents from elsewhere are settled too, though nobody asks.
    """
    if document.state is DocumentState.PUBLISHING:
        return None
    is_due = asked or document.due_at is None or document.due_at <= now
    settles = is_due and _may_settle(document, now, asked, imported)
    owed_from = document.owes_look_from
    is_owed = is_due and owed_from is not None and owed_from <= now
    if not (settles or is_owed or refresh):
        return None
    return Work(settles=settles, is_owed=is_owed, asked=asked, refresh=refresh)


def _may_settle(document: Document, now: datetime, asked: bool, imported: bool) -> bool:
    """The states from which a settle lease leads to *the end*."""
    if document.state is DocumentState.HELD:
        return asked
    if document.state is not DocumentState.QUEUED or not is_unsettled(document, now):
        return False
    return asked or imported or document.origin is Origin.OURS


def is_held_by_another(document: Document, now: datetime) -> bool:
    """Whether somebody's lease, of any purpose, is live."""
    return not is_free(document.lease, now)


def recorded_places(document: Document) -> frozenset[Place]:
    """Where what is confirmed stands, and what was reported beyond it."""
    beside = {item.key for extra in document.surplus for item in items_beside(document, extra)}
    return frozenset(
        place_of(item.intent)
        for item in document.items
        if item.intent is not None and (item.state is ItemState.CONFIRMED or item.key in beside)
    )
