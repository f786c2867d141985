"""What a batch makes of a document, and how that is told: the same function plans and applies.

Pure: frozen document in, frozen document out; `now` is the ledger's.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from .batch_judging import Case
from .batch_values import Change, PlannedItem
from .copying import replace
from .deciding import due_after, with_owed_look_done, with_verdicts
from .limits import Limits
from .look import Look
from .model import Document, Item
from .the_end import the_end
from .verdict import Found, Inconclusive, word


def carried_out(
    case: Case, look: Look | None, now: datetime, limits: Limits, fraction: float = 0.0
) -> Document:
    """The document taken over, decided and ended. `look` None: there was nothing to look at.

    `fraction` is chance, for the backoff.
    """
    document = case.answered
    if look is None and not case.has_an_answer:
        return case.taken_over
    due_at = None
    if look is not None:
        document = with_verdicts(document, look, now, limits)
        due_at, step = due_after(document, look, now, limits, fraction)
        document = replace(document, backoff_step=step)
    document = with_owed_look_done(document, look)
    return the_end(document, now, limits, fraction, due_at=due_at)


def change_of(case: Case, after: Document) -> Change:
    """What differs in the states and bindings of a document and its items.

    Where nothing could be said of any item, nothing is done: not even a takeover.
    """
    new = {item.key: item for item in after.items}
    moved = {
        item.key: told
        for item in case.standing.items
        if item.key in new and (told := _moved(item, new[item.key]))
    }
    before = case.standing.state
    is_in_vain = bool(case.items) and not moved
    return Change(before=before, after=before if is_in_vain else after.state, items=moved)


def _moved(before: Item, after: Item) -> Mapping[str, Any] | None:
    if _told(before) == _told(after):
        return None
    return {"from": before.state.value, **_told(after)}


def _told(item: Item) -> dict[str, Any]:
    intent = item.intent
    return {
        "state": item.state.value,
        "external_id": intent.external_id if intent else None,
        "found_by": intent.found_by.value if intent and intent.found_by else None,
        "reason": intent.reason.value if intent and intent.reason else None,
    }


def planned_items(case: Case, look: Look | None) -> tuple[PlannedItem, ...]:
    """The verdicts of a look, with what each was made on."""
    if look is None:
        return ()
    return tuple(_planned(item, look) for item in case.items if item.key in look.verdicts)


def _planned(item: Item, look: Look) -> PlannedItem:
    verdict = look.verdicts[item.key]
    found = verdict if isinstance(verdict, Found) else None
    return PlannedItem(
        item=item.key,
        state=item.state,
        facts=item.intent.facts if item.intent else 0,
        verdict=word(verdict),
        evidence_hash=verdict.evidence.hash,
        reason=verdict.reason if isinstance(verdict, Inconclusive) else None,
        external_id=found.row.id if found else None,
        grade=found.grade if found else None,
    )
