"""What a decision would change, told before it is made: the rows as they are and as they would be.

What refuses a decision and what records it run here too, on the document as it stands and on a look
of its own, and nothing is stored: whatever recording it would refuse is refused here already, as
far as the world stands still between the two.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .copying import replace
from .errors import DecisionRefused
from .facts import with_answers_decided
from .limits import Limits
from .model import Document, Item, Reason
from .outside import Outside
from .ports import Binding, View
from .resolve_decision import Choice, Decision, is_done, refuse_malformed
from .resolve_record import decided, is_about_surplus, surplus_known
from .resolve_ruling import Ruled
from .resolve_weighing import refuse_early, weighed_on_a_look
from .signature import is_crashed
from .typed_command import typed_command
from .work import is_held_by_another


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Foreseen:
    """What would come of a decision, as things stand now.

    `is_repeated`: it stands so already, and recording it writes nothing at all. `withheld`,
    `held_by_another`: it could not be weighed beforehand, and the rows say what it wants; recording
    it weighs it again. `overridden` is what it overrules, `warnings` what it costs another item of
    the document; `outranked` another document's binding that would give way, so that that document
    is held.
    """

    rows: tuple[RowChange, ...] = ()
    is_repeated: bool = False
    withheld: Reason | None = None
    held_by_another: bool = False
    overridden: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    outranked: Binding | None = None


async def foresee(document_id: str, decision: Decision, outside: Outside) -> Foreseen:
    """Weigh it as `resolve` does, without lease or takeover, and tell what would change.

    Raises `DecisionRefused` or `StaleEvidence` where recording it now would be refused.
    """
    refuse_malformed(decision)
    view = await outside.ledger.read(document_id)
    document, limits = view.document, outside.limits
    _refuse_crashed(view)
    if is_done(document, decision, await outside.ledger.journal(document_id)):
        return Foreseen(is_repeated=True)
    rows = foretold(view, decision, limits)
    if is_about_surplus(document, decision):
        return Foreseen(rows=rows)
    if is_held_by_another(document, view.now):
        return Foreseen(rows=rows, held_by_another=True)
    item = refuse_early(view, decision, limits)
    if decision.choice is not Choice.HOLD and (closed := _closed(view, outside)) is not None:
        return Foreseen(rows=rows, withheld=closed)
    settled = with_answers_decided(document)
    weighed = await weighed_on_a_look(settled, item, decision, outside)
    if weighed.withheld is not None:
        return Foreseen(rows=rows, withheld=weighed.withheld)
    ruled = weighed.ruled
    if weighed.shown is not None:  # what recording reads of others in its own transaction
        view = replace(view, surroundings=weighed.shown.surroundings)
    return Foreseen(
        rows=_rows(view, ruled, limits),
        overridden=ruled.overridden,
        warnings=ruled.warnings,
        outranked=ruled.outranked,
    )


def foretold(view: View, decision: Decision, limits: Limits) -> tuple[RowChange, ...]:
    """What would change if no look spoke against it. Raises where no look is needed to refuse it.

    Pure: frozen document in, rows out.
    """
    refuse_malformed(decision)
    _refuse_crashed(view)
    if is_about_surplus(view.document, decision):
        return changed_rows(view.document, surplus_known(view, decision).document)
    refuse_early(view, decision, limits)
    return _rows(view, Ruled(decision=decision), limits)


def _rows(view: View, ruled: Ruled, limits: Limits) -> tuple[RowChange, ...]:
    return changed_rows(view.document, decided(view, ruled, limits, fraction=0.0).document)


def _refuse_crashed(view: View) -> None:
    """Recording takes it over first; what that finds is not known before."""
    if is_crashed(view.document, view.now):
        raise DecisionRefused(
            "its worker is gone and nobody took over yet: what it made is not known",
            next_step=typed_command("recover", view.document.id),
        )


def _closed(view: View, outside: Outside) -> Reason | None:
    """Why the account is not asked. Whether it opened meanwhile is for recording to try."""
    account = view.account
    if account.is_open(outside.graph.token_print(account.id), view.now) or account.reason is None:
        return None
    return Reason(account.reason.value)


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
