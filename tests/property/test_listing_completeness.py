"""A listing that is called complete has every row that existed throughout, whatever drifted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from hypothesis import event, example, given
from hypothesis import strategies as st

from fixtures.graph import FakeGraph, SteppedClock, WorldOptions, small_world
from reconciler.listing import IncompleteListing, Listing, Walk
from reconciler.model import Reason
from tests.integration.fake_listing import everything, walked
from tests.property.drift import HARD, Drift, Happening, What, happenings


@dataclass(frozen=True)
class Story:
    """A container of `count` ads, and what befalls each request for a page of it in turn."""

    options: WorldOptions
    count: int
    befalling: list[Happening]
    page_size: int

    def begun(self) -> Drift:
        """A fake in which it happens."""
        graph = FakeGraph(small_world(SteppedClock(), options=replace(self.options)))
        drift = Drift(graph, self.count)
        drift.befalls(self.befalling)
        return drift


def stories(befalling: st.SearchStrategy[list[Happening]]) -> st.SearchStrategy[Story]:
    options = st.builds(
        WorldOptions,
        order=st.sampled_from(["newest", "oldest", "shuffled"]),
        cursor_binding=st.sampled_from(["item", "position"]),
    )
    return st.builds(Story, options, st.integers(0, 12), befalling, st.integers(1, 6))


def starts_well(name: str | None) -> bool:
    """As a look narrows: by name. Rows that need not last may come to be wanted, or cease to be."""
    return name is None or name.startswith(("ad 1", "ad 2", "renamed 1"))


def keeps_some(row: Any) -> bool:
    return starts_well(row.name)


def ids(walk: Walk) -> set[str]:
    assert isinstance(walk, Listing), walk
    return {row.id for row in walk.rows}


@given(
    story=stories(st.lists(happenings, max_size=14)),
    max_pages=st.integers(3, 60),
    is_narrowed=st.booleans(),
)
@example(Story(WorldOptions(), 5, [(What.EMPTY, 1), (What.EMPTY, 1), (What.LOST, 1)], 2), 60, False)
@example(Story(WorldOptions(), 9, [(What.CALM, 1), (What.HEAVY, 1), (What.LOST, 1)], 6), 60, True)
@example(Story(WorldOptions(), 6, [(What.EMPTY, 1), (What.SAME_CURSOR, 1)], 2), 60, False)
async def test_a_listing_called_complete_has_all_that_existed_throughout(
    story: Story, max_pages: int, is_narrowed: bool
) -> None:
    """Facts 1.2 to 1.5, 1.8, 1.9, 1.13, 1.15, 1.18, 1.19; assumption A4."""
    drift = story.begun()
    keep = keeps_some if is_narrowed else everything

    walk = await walked(drift.graph, keep, page_size=story.page_size, max_pages=max_pages)

    event(type(walk).__name__)
    if isinstance(walk, IncompleteListing):
        assert walk.reason in (Reason.LISTING_INCOMPLETE, Reason.THROTTLED)
        return
    assert drift.ended, "complete, although the API never said that this is the end"
    assert drift.lasting <= set(drift.given), "what befell the pages hid a row: mend this test"
    named = {each: drift.graph.world.entities[each].name for each in drift.lasting}
    assert ids(walk) >= {each for each in named if not is_narrowed or starts_well(named[each])}
    assert walk.row_count == len(set(drift.given))
    assert walk.saw_an_id_twice == (len(drift.given) > len(set(drift.given)))


MILD = [
    what
    for what in What
    if what not in {*HARD, What.LOST, What.DELETE, What.TROUBLE, What.POSTPONE}
]
"""All but what ends a walk, or may in numbers."""


@given(
    story=stories(st.lists(st.tuples(st.sampled_from(MILD), st.integers(1, 4)), max_size=10)),
    mishap=st.sampled_from([What.LOST, What.TROUBLE]),
    at=st.integers(0, 10),
)
@example(  # one row a page, as the API has it by then, cannot both repeat and go on
    story=Story(WorldOptions(), 9, [(What.CLAMP, 1), (What.REPEAT, 4)], 2), mishap=What.LOST, at=8
)
async def test_a_walk_that_meets_nothing_worse_than_one_mishap_is_complete(
    story: Story, mishap: What, at: int
) -> None:
    """Or else every container of a busy account would be held, which helps nobody."""
    befalling = [*story.befalling[:at], (mishap, 1), *story.befalling[at:]]
    drift = replace(story, befalling=befalling).begun()

    walk = await walked(drift.graph, page_size=story.page_size)

    assert ids(walk) >= drift.lasting
