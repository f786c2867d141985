"""Whatever faults come together, the fake's own truth stays whole, and it replays from its seed."""

import httpx
from hypothesis import given, settings

from fixtures.graph import FakeGraph, WorldOptions, in_process
from fixtures.graph.edges import COPIES
from tests.contract.fake_graph.composed_faults import Played, Story, ids_in, stories
from tests.contract.fake_graph.fault_requests import LISTING, WALK_PAGES_MAX

EVERY_STATUS = '["ACTIVE","PAUSED","ARCHIVED","CAMPAIGN_PAUSED","ADSET_PAUSED"]'


@given(story=stories)
@settings(max_examples=60)
async def test_the_truth_is_whole_under_any_mixture_of_faults(story: Story) -> None:
    played = Played()
    graph = await played.through(story)
    graph.faults.clear()
    played.clock.advance(7 * 24 * 3600)  # whatever was to land or to show has
    graph.world.land_due()

    the_log_tells_of_everything(graph)
    nothing_was_made_that_nobody_asked_for(graph)
    told = played.told_ids()
    assert told <= {*graph.world.entities}, "an id was told of what never was"
    answered = {each.id for each in graph.world.log if each.replied}
    assert answered <= told, "the truth says that an id was told, and it was not"
    await a_walk_without_faults_is_exact(graph)


@given(story=stories)
@settings(max_examples=15)
async def test_the_same_story_from_the_same_seed_is_told_again(story: Story) -> None:
    first, second = Played(), Played()
    one, other = await first.through(story), await second.through(story)

    assert first.replies == second.replies
    assert one.world.log == other.world.log


def the_log_tells_of_everything(graph: FakeGraph) -> None:
    log = graph.world.log
    assert [each.id for each in log] == list(graph.world.entities)
    assert [each.number for each in log] == list(range(1, len(log) + 1))


def nothing_was_made_that_nobody_asked_for(graph: FakeGraph) -> None:
    asked = {each.number: each for each in graph.requests}
    for made in graph.world.log:
        if made.request is None:
            assert made.by_hand
        elif asked[made.request].edge == COPIES:
            assert made.copy_of is not None
        elif made.part_of is None:
            assert asked[made.request].body["name"] == made.name


async def a_walk_without_faults_is_exact(graph: FakeGraph) -> None:
    graph.world.options = WorldOptions()
    graph.world.version += 1
    ads = [each for each in graph.world.entities.values() if each.kind == "ad"][::-1]
    shown = [each.id for each in ads if each.status not in {"ARCHIVED", "DELETED"}]
    kept = [each.id for each in ads if each.status != "DELETED"]

    async with in_process(graph) as client:
        assert await walked(client) == shown
        assert await walked(client, effective_status=EVERY_STATUS) == kept
        log = await client.get("/v26.0/act_1001/activities?since=0&limit=500&category=AD")
    created = [row for row in log.json()["data"] if row["event_type"] == "create_ad"]
    assert [row["object_id"] for row in created] == [each.id for each in ads]


async def walked(client: httpx.AsyncClient, **params: str) -> list[str]:
    found: list[str] = []
    for _ in range(WALK_PAGES_MAX):
        told = (await client.get(LISTING, params={"limit": "7", **params})).json()
        found += ids_in(told["data"])
        paging = told.get("paging", {})
        if "next" not in paging:
            return found
        params |= {"after": paging["cursors"]["after"]}
    raise AssertionError("the walk has no end")
