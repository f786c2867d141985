"""Symbols and words of the page: every state has both, for colour alone tells nobody anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from reconciler.model import DocumentState, Grade, ItemState, Origin

from ...shapes.advice import why_found
from ...store.finding import Which

Shape = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Sign:
    """A symbol, the word beside it, and the tone of its colour."""

    symbol: str
    word: str
    tone: str


_D, _I = DocumentState, ItemState

DOCUMENT: Final[Mapping[str, Sign]] = {
    _D.DRAFT: Sign("○", "draft", "calm"),
    _D.QUEUED: Sign("…", "queued", "busy"),
    _D.PUBLISHING: Sign("▸", "publishing", "busy"),
    _D.PUBLISHED: Sign("=", "published", "good"),
    _D.PARTLY_PUBLISHED: Sign("◐", "partly published", "warn"),
    _D.FAILED: Sign("×", "failed", "bad"),
    _D.CANCELLED: Sign("–", "cancelled", "calm"),
    _D.HELD: Sign("?", "held", "warn"),
}
CRASHED: Final = Sign("✝", "crashed", "bad")

ITEM: Final[Mapping[str, Sign]] = {
    _I.WAITING: Sign("○", "waiting", "calm"),
    _I.PENDING: Sign(".", "pending", "busy"),
    _I.CONFIRMED: Sign("=", "confirmed", "good"),
    _I.REJECTED: Sign("×", "rejected", "bad"),
    _I.ABSENT: Sign("+", "absent", "info"),
    _I.BLOCKED: Sign("×", "blocked", "bad"),
    _I.HELD: Sign("?", "held", "warn"),
}
FOUND: Final = Sign("~", "confirmed", "good")
OVER_ELSEWHERE: Final = Sign(".", "not recorded, and nobody looks for it", "calm")
UNLISTED: Final = Sign("-", "made, not listed any more", "warn")

VERDICT: Final[Mapping[str, Sign]] = {
    "found": Sign("~", "found", "good"),
    "absent": Sign("+", "absent: nothing listed fits", "info"),
    "proven absent": Sign("+", "absent: proven not made", "info"),
    "inconclusive": Sign(".", "inconclusive", "busy"),
    "withheld": Sign("/", "no verdict", "busy"),
    "held": Sign("?", "inconclusive: a person must decide", "warn"),
}
DECIDED: Final = Sign("»", "a person decided", "info")

STATE_MEANS: Final[Mapping[str, str]] = {
    _D.DRAFT: "accepted, nobody said publish yet",
    _D.QUEUED: "waits for its next attempt or its next look",
    _D.PUBLISHING: "a worker is at it; crashed ones are in here too, shown by that name",
    _D.PUBLISHED: "everything it wants was made and is recorded",
    _D.PARTLY_PUBLISHED: "some of it is recorded; the rest was refused, or may still be sent",
    _D.FAILED: "nothing of it is recorded, and nothing of it is under way",
    _D.CANCELLED: "creates nothing more, for good",
    _D.HELD: "what exists cannot be proven; creates nothing more until a person decided",
}

FILTER: Final[Mapping[Which, tuple[str, str, str]]] = {
    Which.CRASHED: (
        "✝",
        "crashed",
        "publishing, the lease has ended, and no end was recorded: the worker is gone",
    ),
    Which.UNSETTLED: (
        ".",
        "unsettled",
        "a call went unanswered, and what it made is not known; nobody is publishing it now",
    ),
    Which.AWAITS_LOOK: (
        "…",
        "waiting for a look",
        "a listing is due or owed, now or later; a worker, a sweep or a reader makes it",
    ),
    Which.NEEDS_PERSON: (
        "?",
        "needs a person",
        "held, or at rest with more outside than it wants: only a person can say which is right",
    ),
    Which.SURPLUS: (
        "!",
        "surplus",
        "a look saw more outside than the document wants, and nobody recorded it as known",
    ),
    Which.RECOVERED: (
        "~",
        "recovered",
        "in the last 24 hours a look found out what an item's call made; a person's word apart",
    ),
}
"""Symbol, name and meaning."""


def of_document(shape: Shape) -> Sign:
    """Of a document or a line of the list."""
    return CRASHED if shape["crashed"] else DOCUMENT[shape["state"]]


def of_item(item: Shape, document: Shape) -> Sign:
    """What a look found is told from what was answered. What is pending is looked for, but of a
    document that finished elsewhere."""
    over = document["origin"] == Origin.IMPORTED and not document["unsettled"]
    if over and item["state"] == ItemState.PENDING:
        return OVER_ELSEWHERE
    if item["unlisted_since"] is not None:
        return UNLISTED
    was_found = item["state"] == ItemState.CONFIRMED and item["found_by"] != "reply"
    return FOUND if was_found else ITEM[item["state"]]


def found_by(item: Shape, document: Shape) -> str:
    """How the id of an item is known, in a sentence."""
    return why_found(Grade(item["found_by"]), Origin(document["origin"]))


def of_verdict(judged: Shape, *, is_decided: bool = False) -> Sign:
    """Of an item of `explain/1`; where no listing came to its end there is no verdict.

    `is_decided`: a person decided since, and nobody must any more.
    """
    listing = judged["listing"]
    if judged["verdict"] == "inconclusive" and listing and not listing["complete"]:
        return VERDICT["withheld"]
    if judged["verdict"] == "inconclusive" and judged["state"] == ItemState.HELD and not is_decided:
        return VERDICT["held"]
    if judged["proven_absent"]:
        return VERDICT["proven absent"]
    return VERDICT[judged["verdict"]]
