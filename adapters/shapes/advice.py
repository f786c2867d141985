"""Why an item was judged as it was, and what to do about it: a sentence and the commands to type.

`docs/held.md` has the same at more length, a paragraph for each reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from reconciler.model import Document, DocumentState, Grade, Item, ItemState, Origin, Reason
from reconciler.typed_command import typed_command

from .next_command import IMPORT
from .offers import offers, standing, typed

_R = Reason

WHY: Final[Mapping[Reason, str]] = {
    _R.TOO_SOON: "what the call made may not show yet; it is looked at again by itself",
    _R.LISTING_INCOMPLETE: "a listing that does not end shows nothing about what it did not reach",
    _R.THROTTLED: "the API asks us to wait; what was not read is not known",
    _R.ACCESS: "the API refused our token; what was not read is not known",
    _R.CLOCK: "our clock and the API's differ by more than is allowed, so no window can be trusted",
    _R.AMBIGUOUS: "more rows fit than are missing, and nothing tells which of them is ours",
    _R.TWINS: "equal items were sent without a mark, and their rows cannot be told apart",
    _R.CONTESTED: "another document may own the row as well as this one",
    _R.UNPROVEN_ROW: "a row could be ours, but a field or its time does not show it",
    _R.MARK_LOST: "our mark, or the name or parent it stands under, was edited or taken away",
    _R.ECHO_UNPROVEN: "an unmarked row has our name, and no row shows that marks come back",
    _R.OVER_CAP: "more rows bear this name than are judged at once",
    _R.PROVENANCE: "the activity log was asked for, and does not show the row",
    _R.POLICY: "no finished document of the account is known here, and without them the rows of "
    "healthy ones look like lost ones; or RECONCILER_LEGACY_EVIDENCE=never forbids every claim",
    _R.POISON: "every look at it ended in a crash of the program",
}

_FOUND: Final[Mapping[Grade, str]] = {
    Grade.REPLY: "the API answered our call with this id",
    Grade.MARK: "the row bears our mark, which nobody else could have sent",
    Grade.PERSON: "a person decided so",
    Grade.PROVENANCE: "name, time and the activity log fit: strong, not proof",
    Grade.NAME_AND_TIME: "name and time fit and nobody else may claim it: strong, not proof",
}
RECORDED_ELSEWHERE: Final = "this id came with the import, as recorded elsewhere for this name"
"""Of an imported document: no call of ours was answered."""

ABSENT: Final = (
    "two complete walks, begun when all that our calls made must show, found no row that is it"
)
ABSENT_UNMARKED: Final = (
    "two complete walks, begun when all that our calls made must show, found no row that fits: "
    "strong, not proof, for it was sent without a mark, and a renamed or moved one does not fit"
)
ABSENT_ELSEWHERE: Final = (
    "two complete walks, begun when all that its calls made should show by the times it was "
    "imported with, found no row that fits: strong, not proof, for a renamed or moved one does not "
    "fit; of an imported document nothing is made from here"
)


def why(
    verdict: str, reason: Reason | None, grade: str | None, origin: Origin, *, proven: bool
) -> str:
    """Why it was judged so, in one sentence. `proven`: that nothing is listed is proof."""
    if reason is not None:
        return WHY[reason]
    if verdict == "found":
        return why_found(Grade(grade or Grade.REPLY), origin)
    if origin is Origin.IMPORTED:
        return ABSENT_ELSEWHERE
    return ABSENT if proven else ABSENT_UNMARKED


def why_found(grade: Grade, origin: Origin) -> str:
    """How its id is known."""
    is_theirs = grade is Grade.REPLY and origin is Origin.IMPORTED
    return RECORDED_ELSEWHERE if is_theirs else _FOUND[grade]


def may_be_made(document: Document, item: Item) -> bool:
    """Whether it is known not to exist, and a publish may make it."""
    return item.state is ItemState.ABSENT and makes_more(document)


def makes_more(document: Document) -> bool:
    """Whether anything may still be made of it: of an imported or a cancelled one nothing is."""
    is_cancelled = document.cancel_requested or document.state is DocumentState.CANCELLED
    return document.origin is Origin.OURS and not is_cancelled


def commands(
    document: Document,
    item: Item,
    reason: Reason | None,
    *,
    may_be_none: bool = True,
    is_given_up: bool = False,
) -> list[str]:
    """What to type, the likeliest first; empty where nothing is left to do about the item.

    `reason` and `may_be_none` as in `offers`. `is_given_up`: what was found stands no more, so that
    another look, which may find it again, comes last.
    """
    if may_be_made(document, item):
        return [typed_command("publish", document.id)]
    if item.state is ItemState.PENDING:
        return [typed_command("show", document.id)]
    if item.state is not ItemState.HELD:
        return []
    decide = [
        typed(offer, document, item) for offer in offers(item, reason, may_be_none=may_be_none)
    ]
    if document.state is DocumentState.CANCELLED:  # at rest: nobody's look would be made
        return decide
    first = [IMPORT] if standing(item, reason) is Reason.POLICY else []
    look = [typed_command("recover", document.id)]
    return [*first, *decide, *look] if is_given_up else [*first, *look, *decide]


def second_entities(body: Mapping[str, Any]) -> list[dict[str, str]]:
    """Doubted rows that look like a second entity of another item, which has its own already.

    Each with that item and the id it is bound to.
    """
    return [
        {"external_id": example["id"], "item": of["item"], "bound_to": of["external_id"]}
        for stage in body.get("stages", ())
        for example in stage["examples"]
        if (of := example.get("second_of"))
    ]


def left(body: Mapping[str, Any]) -> int | None:
    """How many rows the sieves left of the item's name. None: nothing was judged."""
    listing, stages = body.get("listing"), body.get("stages", ())
    vetoes = [stage for stage in stages if stage["stage"] == "unambiguous"]
    return int(vetoes[0]["in"]) if listing and listing["complete"] and vetoes else None
