"""Why an item was judged as it was, and what to do about it: a sentence and the commands to type.

`docs/held.md` has the same at more length, a paragraph for each reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from reconciler.model import Document, Grade, Item, ItemState, Origin, Reason
from reconciler.resolve_decision import Choice

from .next_command import IMPORT

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


@dataclass(frozen=True, slots=True)
class Offer:
    """A decision that may be made, as options to type and as a body to send.

    What is written in capitals is a person's to fill in.
    """

    options: str
    body: Mapping[str, Any]


def _offer(options: str, choice: Choice, **more: Any) -> Offer:
    return Offer(f"{options} --reason TEXT", {"decision": choice.value, "reason": "TEXT", **more})


_ID: Final = "EXTERNAL_ID"
ADOPT: Final = _offer("--adopt EXTERNAL_ID", Choice.ADOPT, external_id=_ID)
ALSO: Final = _offer("--adopt EXTERNAL_ID --also ID", Choice.ADOPT, external_id=_ID, also=["ID"])
OVERRIDE: Final = _offer(
    "--adopt EXTERNAL_ID --override", Choice.ADOPT, external_id=_ID, override=True
)
NONE: Final = _offer("--none", Choice.NONE)
HOLD: Final = _offer("--hold", Choice.HOLD)

# What may be decided where the reason stands. Without a listing there is nothing but to hold.
_CHOICES: Final[Mapping[Reason, tuple[Offer, ...]]] = {
    _R.AMBIGUOUS: (ADOPT, ALSO),
    _R.TWINS: (ADOPT, NONE),
    _R.CONTESTED: (ADOPT, NONE),
    _R.UNPROVEN_ROW: (OVERRIDE, NONE),
    _R.MARK_LOST: (ADOPT,),
    _R.ECHO_UNPROVEN: (NONE, ADOPT),
    _R.OVER_CAP: (ADOPT,),
    _R.PROVENANCE: (ADOPT, NONE),
    _R.POLICY: (ADOPT, NONE),
}


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
    return item.state is ItemState.ABSENT and document.origin is Origin.OURS


def commands(document: Document, item: Item, reason: Reason | None) -> list[str]:
    """What to type, the likeliest first; empty where nothing is left to do about the item."""
    if may_be_made(document, item):
        return [f"reconciler publish {document.id}"]
    if item.state is ItemState.PENDING:
        return [f"reconciler show {document.id}"]
    if item.state is not ItemState.HELD:
        return []
    resolve = f"reconciler resolve {document.id} {item.key}"
    return [
        *([IMPORT] if _standing(item, reason) is Reason.POLICY else []),
        f"reconciler recover {document.id}",
        *(f"{resolve} {offer.options}" for offer in offers(item, reason)),
    ]


def offers(item: Item, reason: Reason | None) -> tuple[Offer, ...]:
    """What a person may decide about it, the likeliest first; empty where it is not held."""
    if item.state is not ItemState.HELD:
        return ()
    standing = _standing(item, reason)
    return (*_CHOICES.get(standing, ()), HOLD) if standing else (HOLD,)


def _standing(item: Item, judged: Reason | None) -> Reason | None:
    """What it is held for: a later import may have changed what the look said."""
    return (item.intent.reason if item.intent else None) or judged


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
