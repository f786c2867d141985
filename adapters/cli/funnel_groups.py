"""Which items of an explanation are told at once: what is alike, and never more than a screenful.

A lost wave would say the same fifty times, and a thousand items of a thousand names nearly the
same a thousand times. Alike is what was judged by the same walks, with the same rows removed where
they were. Where that leaves too many blocks, what was concluded alike is told by one example.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Final

Shape = Mapping[str, Any]
Block = Sequence[Shape]

BLOCKS_SHOWN_MAX: Final = 20


def blocks_of(items: Sequence[Shape]) -> list[Block]:
    """The items in blocks, in their order."""
    alike = _grouped(items, _seen_alike)
    return alike if len(alike) <= BLOCKS_SHOWN_MAX else _grouped(items, _concluded_alike)


def is_told_by_one_example(block: Block) -> bool:
    """Whether its items were judged on other rows than the one that is shown."""
    return len({_seen_alike(item) for item in block}) > 1


def _grouped(items: Sequence[Shape], sameness: Callable[[Shape], Hashable]) -> list[Block]:
    groups: dict[Hashable, list[Shape]] = {}
    for item in items:
        groups.setdefault(sameness(item), []).append(item)
    return list(groups.values())


def _seen_alike(item: Shape) -> Hashable:
    """The walks, and who was removed where. What was found, each found its own."""
    listing = item["listing"]
    if item["verdict"] == "found" or listing is None:
        return str(item["item"])
    stages = tuple(
        (stage["stage"], stage["in"], stage["not_ours"], stage["doubt"], _removed(stage))
        for stage in item["stages"]
    )
    times = listing.get("started_at"), listing.get("ended_at"), listing["rows"]
    left = tuple(row["id"] for row in item.get("survivor_rows", ()))
    return (*_concluded(item), *times, stages, left)


def _concluded_alike(item: Shape) -> Hashable:
    return _concluded(item)


def _concluded(item: Shape) -> tuple[Hashable, ...]:
    listing = item["listing"]
    complete = None if listing is None else listing["complete"]
    told = item["verdict"], item["reason"], item["state"], item.get("grade")
    return (*told, item["proven_absent"], item["may_be_none"], item["kind"], complete)


def _removed(stage: Shape) -> tuple[tuple[str, str], ...]:
    return tuple((example["id"], example.get("why", "")) for example in stage["examples"])
