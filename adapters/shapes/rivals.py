"""Who else claims a row that is contested: the other document, its item, and on what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from reconciler import events
from reconciler.model import Item, Reason
from reconciler.ports import Recorded

Shape = dict[str, Any]

NAMED_MAX: Final = 3
"""In a sentence; the shape has them all."""


def rivals(
    item: Item, judged: Reason | None, body: Mapping[str, Any], journal: tuple[Recorded, ...]
) -> list[Shape]:
    """Each with the row, the other document and its item, and `how` it claims it.

    `item` of it is None where the journal names the document alone. Empty where nothing is
    contested, and of evidence from before it named them.
    """
    standing = item.intent.reason if item.intent else None
    if Reason.CONTESTED not in (standing, judged):
        return []
    lost = _given_up(item, journal) if standing is Reason.CONTESTED else ()
    found = {
        (one["external_id"], one["document_id"], one["item"]): one
        for one in (*lost, *_also_fitting(body), *_bound_elsewhere(body))
    }
    return list(found.values())


def named(why: str, found: Sequence[Shape]) -> str:
    """The sentence with the rivals in it, as far as a sentence goes."""
    if not found:
        return why
    told = [_in_words(one) for one in found[:NAMED_MAX]]
    more = [f"and {len(found) - NAMED_MAX:,} more"] * (len(found) > NAMED_MAX)
    return f"{why}: {'; '.join((*told, *more))}"


def _in_words(rival: Shape) -> str:
    whose = f"item {rival['item']} of {rival['document_id']}"
    return (
        f"{whose if rival['item'] else rival['document_id']} {rival['how']}: {rival['external_id']}"
    )


def _also_fitting(body: Mapping[str, Any]) -> Iterator[Shape]:
    """What the row fits as well by its name and time."""
    for one in body.get("contested_by", ()):
        yield {**one, "how": "may have made it by its name and time"}


def _bound_elsewhere(body: Mapping[str, Any]) -> Iterator[Shape]:
    for stage in body.get("stages", ()):
        for example in stage["examples"]:
            bound = example.get("row", {}).get("bound_to")
            if example.get("reason") == Reason.CONTESTED and bound:
                by = f"has it by {bound[2].replace('_', ' ')}"
                yield _rival(example["id"], bound[0], bound[1], by)


def _given_up(item: Item, journal: tuple[Recorded, ...]) -> Iterator[Shape]:
    for line in journal:
        event = line.event
        if event.kind == events.CONTESTED and event.item == item.key:
            to = event.detail["given_up_to"]
            yield _rival(event.detail["external_id"], to, None, "took it from this item")


def _rival(external_id: str, document_id: str, item: str | None, how: str) -> Shape:
    return {"external_id": external_id, "document_id": document_id, "item": item, "how": how}
