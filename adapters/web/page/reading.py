"""Reads what the page of one document shows: its state, the evidence of some items, its journal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from reconciler import events
from reconciler.model import AttemptOutcome, Grade, ItemState, JudgedItem
from reconciler.ports import View
from reconciler.resolve_decision import Choice

from ...bootstrap import Reconciler
from ...shapes import Explained, document_state, explanation, timeline

Shape = dict[str, Any]

FUNNELS_SHOWN_MAX: Final = 10
"""On one page; each item has a page of its own for the rest."""

_FIRST: Final = (ItemState.HELD, ItemState.PENDING, ItemState.ABSENT)
_OPEN: Final = (ItemState.PENDING, ItemState.HELD)
_NOT_BY_REPLY: Final = frozenset({"mark", "provenance", "name_and_time"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """`judged` are items of `explain/1`; of `unshown` more the evidence was not read."""

    view: View
    state: Shape
    judged: tuple[Shape, ...]
    unshown: int
    story: Shape

    @property
    def is_rescued(self) -> bool:
        """Whether looks alone found out what a crash or a lost reply had left open, all of it."""
        if self.state["crashed"] or any(i["state"] in _OPEN for i in self.state["items"]):
            return False
        if self.is_decided:
            return False
        crashed = any(a["outcome"] == AttemptOutcome.ORPHANED for a in self.state["attempts"])
        was_taken = any(entry["kind"] == events.TAKEN_OVER for entry in self.story["entries"])
        found = any(item["found_by"] in _NOT_BY_REPLY for item in self.state["items"])
        return crashed or was_taken or found

    @property
    def is_decided(self) -> bool:
        """Whether a person decided what some item of it is, and not only that a surplus is known:
        that stays with it, also where the item was made once more since."""
        by_person = any(item["found_by"] == Grade.PERSON for item in self.state["items"])
        return by_person or any(map(_settles, self.story["entries"]))


def _settles(entry: Shape) -> bool:
    if entry["kind"] != events.RESOLVED:
        return False
    detail = entry["detail"]
    return bool(detail["choice"] != Choice.HOLD and detail["was"] != ItemState.CONFIRMED)


async def shown(product: Reconciler, view: View, *, item: str | None = None) -> Shown:
    """What belongs to a document as it was read. `item`: the evidence of this one alone."""
    chosen = _chosen(view, item)
    ledger = product.outside.ledger
    evidence = {one.item: await ledger.evidence(one.evidence_id) for one in chosen}
    journal = await ledger.journal(view.document.id)
    part = replace(view, document=replace(view.document, verdicts=tuple(chosen)))
    explained = explanation(Explained(view=part, evidence=evidence, journal=journal))
    return Shown(
        view=view,
        state=document_state(view),
        judged=tuple(explained["items"]),
        unshown=0 if item else len(view.document.verdicts) - len(chosen),
        story=timeline(view.document.id, journal),
    )


def _chosen(view: View, item: str | None) -> Sequence[JudgedItem]:
    """What is open first, in the plan's order."""
    verdicts = view.document.verdicts
    if item is not None:
        return [one for one in verdicts if one.item == item]
    states = {each.key: each.state for each in view.document.items}
    ranked = sorted(verdicts, key=lambda one: _rank(states.get(one.item)))
    return ranked[:FUNNELS_SHOWN_MAX]


def _rank(state: ItemState | None) -> int:
    return _FIRST.index(state) if state in _FIRST else len(_FIRST)
