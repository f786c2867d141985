"""What a decision would change, told before it is made: the rows as they are and as they would be.

The same functions that record a decision run on the document as it stands, and nothing is stored.
What needs a listing is not foreseen: when it is made, the decision is put through the sieves on a
walk of its own, and refused or carried out as a whole.

Pure: frozen document in, rows out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .errors import DecisionRefused
from .facts import with_answers_decided
from .limits import Limits
from .model import Document, Item, ItemState
from .ports import View
from .resolve_decision import (
    Decision,
    known_item,
    open_item,
    refuse_malformed,
    refuse_old_evidence,
)
from .resolve_record import decided, surplus_known
from .resolve_ruling import Ruled
from .signature import is_crashed


@dataclass(frozen=True, slots=True, kw_only=True)
class RowChange:
    """One value of one row. `row` is the item's key or the surplus' id, None for the document.

    `before` and `after` None: there is no value.
    """

    table: str
    row: str | None
    column: str
    before: str | None
    after: str | None


def preview(view: View, decision: Decision, limits: Limits) -> tuple[RowChange, ...]:
    """What would change; nothing where it stands so already.

    Raises `DecisionRefused` or `StaleEvidence` where it would be refused without any walk.
    """
    refuse_malformed(decision)
    before = view.document
    if is_crashed(before, view.now):
        raise DecisionRefused(
            "its worker is gone and nobody took over yet: what it made is not known",
            next_step=f"reconciler recover {before.id}",
        )
    if known_item(before, decision).state is ItemState.CONFIRMED and decision.also:
        return changed_rows(before, surplus_known(view, decision).document)
    settled = with_answers_decided(before)
    open_item(settled, decision)
    refuse_old_evidence(settled, decision, view.now)
    after = decided(view, Ruled(decision=decision), limits, fraction=0.0).document
    return changed_rows(before, after)


def changed_rows(before: Document, after: Document) -> tuple[RowChange, ...]:
    """What differs of state, bindings and known surplus. Times and leases are not told."""
    return (
        *_changes("document", None, {"state": before.state}, {"state": after.state}),
        *_items(before, after),
        *_surplus(before, after),
    )


def _items(before: Document, after: Document) -> Iterator[RowChange]:
    for item in after.items:
        yield from _changes("item", item.key, _values(before.item(item.key)), _values(item))


def _values(item: Item) -> dict[str, str | None]:
    intent = item.intent
    return {
        "state": item.state,
        "external_id": intent.external_id if intent else None,
        "found_by": intent.found_by if intent else None,
        "reason": intent.reason if intent else None,
    }


def _surplus(before: Document, after: Document) -> Iterator[RowChange]:
    was = {extra.external_id: _known(extra.known) for extra in before.surplus}
    now = {extra.external_id: _known(extra.known) for extra in after.surplus}
    for one in {**was, **now}:
        yield from _changes("surplus", one, {"known": was.get(one)}, {"known": now.get(one)})


def _known(known: bool) -> str:
    return "yes" if known else "no"


def _changes(
    table: str, row: str | None, before: dict[str, str | None], after: dict[str, str | None]
) -> Iterator[RowChange]:
    for column, value in after.items():
        if value != before[column]:
            yield RowChange(table=table, row=row, column=column, before=before[column], after=value)
