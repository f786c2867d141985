"""What a person took back of what a batch bound: when, by which run, and what became of it since.

The evidence of the look stays as it was sealed, and says FOUND for ever; this says the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from reconciler import events
from reconciler.model import Document, Grade, Item, ItemState, JudgedItem
from reconciler.ports import Recorded

from .values import shown_time

ITEMS_NAMED_MAX: Final = 5
"""In notes; `explain` has each."""


def reverts_of(key: str, journal: tuple[Recorded, ...]) -> list[dict[str, Any]]:
    """Every time that a batch's binding of this item was taken back, oldest first."""
    return [
        {
            "at": shown_time(line.at),
            "external_id": line.event.detail["taken_back"][key],
            **{name: line.event.detail[name] for name in ("run", "by", "reason")},
        }
        for line in journal
        if line.event.kind == events.BATCH_REVERTED and key in line.event.detail["taken_back"]
    ]


def since_found(item: Item, judged: JudgedItem, journal: tuple[Recorded, ...]) -> str | None:
    """Why what the latest look found stands no more; None where it stands, or found nothing."""
    if judged.verdict != "found" or item.state is not ItemState.HELD:
        return None
    later = tuple(line for line in journal if line.at >= judged.judged_at)
    for line in reversed(later):
        event = line.event
        if event.kind == events.BATCH_REVERTED and item.key in event.detail["taken_back"]:
            return in_words(reverts_of(item.key, later)[-1])
        if event.kind == events.CONTESTED and event.item == item.key:
            return f"it was given up to {event.detail['given_up_to']}, at {_at(line)}"
    return None


def in_words(revert: dict[str, Any]) -> str:
    """A revert in a sentence."""
    return (
        f"a person took {revert['external_id']} back with batch revert {revert['run']}, "
        f"{revert['by']}, {_clock(revert['at'])}: {revert['reason']}"
    )


def notes_of(document: Document, journal: tuple[Recorded, ...]) -> tuple[str, ...]:
    """What who looks at the document is told: what was taken back and waits, or is bound again."""
    told = [one for item in document.items for one in _note(item, journal)]
    more = len(told) - ITEMS_NAMED_MAX
    return (*told[:ITEMS_NAMED_MAX], *([f"and {more:,} more: see explain"] if more > 0 else []))


def _note(item: Item, journal: tuple[Recorded, ...]) -> Iterator[str]:
    reverts = reverts_of(item.key, journal)
    if not reverts:
        return
    latest, intent = reverts[-1], item.intent
    if item.state is ItemState.HELD:
        yield f"{item.key} is held: {in_words(latest)}"
    elif intent and intent.external_id == latest["external_id"] and not _is_decided(item):
        yield (
            f"WARNING: {item.key} is bound to {latest['external_id']} again, as a look found it, "
            f"though {in_words(latest)}"
        )


def _is_decided(item: Item) -> bool:
    return item.intent is not None and item.intent.found_by is Grade.PERSON


def _at(line: Recorded) -> str:
    return _clock(shown_time(line.at))


def _clock(time: str | None) -> str:
    return f"{(time or '')[:19].replace('T', ' ')} UTC"
