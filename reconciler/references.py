"""What items may refer to: items that exist, of the kind that the parameter wants, in no circle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Final

from .complaints import Complaints, shown
from .model import Kind
from .plan_values import Reference

KIND_WANTED: Final[Mapping[str, Kind]] = {
    "campaign_id": Kind.CAMPAIGN,
    "adset_id": Kind.ADSET,
    "creative_id": Kind.ADCREATIVE,
    "ad_id": Kind.AD,
}
"""At any depth: `creative.creative_id` wants a creative as much as `adset_id` wants an ad set."""


def check_reference(
    reference: Reference, kinds: Mapping[str, Kind | None], complaints: Complaints
) -> None:
    """Say if it refers to nobody, or to an item of another kind. None: a kind nobody could read."""
    if reference.key not in kinds:
        instead = "write the key of an item of this plan"
        complaints.say(reference.at, f"refers to {shown(reference.key)}, which is no item", instead)
        return
    kind = kinds[reference.key]
    wanted = KIND_WANTED.get(reference.param or "")
    if kind is not None and wanted is not None and kind is not wanted:
        problem = f"refers to {reference.key}, which is of kind {kind}, not {wanted}"
        complaints.say(reference.at, problem, f"refer to an item of kind {wanted}")


def check_circles(refs: Mapping[str, Iterable[str]], complaints: Complaints) -> None:
    """Say each circle once. `refs` maps every item's key to the keys it refers to."""
    # Sorted, so that the same plan gives the same words.
    left = {key: sorted(refs.keys() & set(refs[key])) for key in sorted(refs)}
    for _ in range(len(left)):  # each round takes the references of one item
        circle = _circle(left)
        if not circle:
            return
        path = " -> ".join([*circle, circle[0]])
        complaints.about(circle[0]).say(
            "params", f"refers to itself in a circle: {path}", "break the circle"
        )
        left[circle[0]] = []  # opens this circle, and leaves others through its items to be found


def _circle(refs: Mapping[str, list[str]]) -> list[str]:
    """One circle, begun at its least key so that the order of items does not show; or nothing."""
    try:
        TopologicalSorter(refs).prepare()
    except CycleError as error:
        circle: list[str] = error.args[1][:-1][::-1]
        start = circle.index(min(circle))
        return circle[start:] + circle[:start]
    return []
