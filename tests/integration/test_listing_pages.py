"""The pages a walk asks for: how large, by what, with which credentials (facts 1.11 to 1.22)."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import Any

import pytest
from pydantic import SecretStr

from fixtures.graph.call import Call
from fixtures.graph.fault import Fault, Proceed, Setting, at_listings
from fixtures.graph.reply import Reply
from reconciler.listing import Statuses, WalkRequest
from reconciler.model import Container, ContainerKind, Kind, Reason
from tests.integration.fake_listing import (
    ADS,
    at_t0,
    client_of,
    complete,
    cursors,
    everything,
    fake_with,
    incomplete,
    limits,
    listings,
    names,
    walked,
)

SEVEN = ["6", "5", "4", "3", "2", "1", "0"]


# --- the size of a page ---------------------------------------------------------------------------


@pytest.mark.parametrize(("edge", "wanted"), [("clamp", SEVEN), ("error", None)])
async def test_a_limit_above_the_edges_own(edge: str, wanted: list[str] | None) -> None:
    """Not established which (section 11): clamped pages are read, a refusal is no empty listing."""
    walk = await walked(fake_with(7, limit_max=3, large_limit=edge), page_size=500)

    if wanted is None:
        assert incomplete(walk).reason is Reason.LISTING_INCOMPLETE
    else:
        assert names(walk) == wanted


@pytest.mark.parametrize("light", [0, 1, 2, 25, 99])
async def test_a_heavy_page_is_halved_down_to_one_row_and_no_further(light: int) -> None:
    """R029. The size that worked is remembered by the client; that one row was too heavy is not."""
    graph = fake_with(7)
    graph.faults.add(f"too_heavy:limit_max={light}")
    client = client_of(graph, page_size=100)

    walks = [await client.walk(ADS, everything, at_t0) for _ in range(2)]

    if light == 0:
        assert [incomplete(walk).reason for walk in walks] == [Reason.LISTING_INCOMPLETE] * 2
        assert limits(graph) == [100, 50, 25, 12, 6, 3, 1] * 2
    else:
        assert [names(walk) for walk in walks] == [SEVEN] * 2
        assert all(later <= earlier for earlier, later in pairwise(limits(graph)))
        assert sum(limit <= light for limit in set(limits(graph))) == 1


async def test_a_page_that_becomes_heavy_keeps_its_cursor() -> None:
    """Facts 1.15: asked again, it belongs to the same walk: no restart, no row twice or missing."""
    graph = fake_with(7)
    graph.faults.add("too_heavy:limit_max=1", nth=2, count=2)

    walk = complete(await walked(graph, page_size=4))

    assert [row.name for row in walk.rows] == SEVEN
    assert (walk.row_count, walk.saw_an_id_twice) == (7, False)
    assert limits(graph) == [4, 4, 2, 1, 1, 1]
    assert [cursor is None for cursor in cursors(graph)] == [True] + [False] * 5
    assert len(set(cursors(graph)[1:4])) == 1


@pytest.mark.parametrize("then", ["lost_cursor", "page_error", "odd_rows"])
async def test_a_size_that_worked_outlives_a_restart_and_other_trouble(then: str) -> None:
    graph = fake_with(7)
    graph.faults.add("too_heavy:limit_max=2")
    graph.faults.add(then, nth=5)

    assert names(await walked(graph, page_size=8)) == SEVEN
    assert limits(graph)[:3] == [8, 4, 2]
    assert set(limits(graph)[3:]) == {2}


async def test_walks_of_one_edge_that_fail_together_halve_it_once() -> None:
    """All eight have asked for 100 before the first of them is answered."""
    graph = fake_with(7)
    eight = asyncio.Barrier(8)

    async def all_at_once(call: Call, proceed: Proceed, _: Setting) -> Reply:
        await eight.wait()
        return await proceed(call)

    graph.faults.add(Fault("all_at_once", at_listings, strike=all_at_once), count=8)
    graph.faults.add("too_heavy:limit_max=60")
    client = client_of(graph, page_size=100, concurrency=20)

    walks = await asyncio.gather(*[client.walk(ADS, everything, at_t0) for _ in range(8)])

    assert [names(walk) for walk in walks] == [SEVEN] * 8
    assert set(limits(graph)) == {100, 50}


async def test_a_size_at_which_no_walk_comes_to_its_end_is_forgotten() -> None:
    """A heavy hour leaves pages of one row behind, and a container of 7 then has too many pages."""
    graph = fake_with(7)
    heavy = graph.faults.add("too_heavy:limit_max=1")
    client = client_of(graph, page_size=4, max_pages=5)
    capped = incomplete(await client.walk(ADS, everything, at_t0))
    graph.faults.scheduled.remove(heavy)

    walk = await client.walk(ADS, everything, at_t0)

    assert "cap" in capped.detail
    assert names(walk) == SEVEN


# --- what is asked --------------------------------------------------------------------------------

REQUESTS = [
    WalkRequest(
        account_id="act_1001",
        container=Container(kind=ContainerKind.ACCOUNT, id="act_1001"),
        kind=kind,
        statuses=statuses,
    )
    for kind in Kind
    for statuses in Statuses
]


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda each: f"{each.kind}-{each.statuses}")
async def test_a_page_is_asked_for_by_its_cursor_alone(request_: WalkRequest) -> None:
    """R033: and the API takes our statuses at every level, where it refuses those of another."""
    graph = fake_with(3)
    for edge in ("campaigns", "adsets", "adcreatives"):
        graph.world.colleague_creates(edge, "other", parent_id="1501")

    complete(await walked(graph, request=request_, page_size=1))

    known = {"fields", "limit", "after", "effective_status"}
    assert len(listings(graph)) > 1
    assert [set(call.query) - known for call in listings(graph)] == [set()] * len(listings(graph))


@pytest.mark.parametrize("credential", ["never", "sent", "always"])
@pytest.mark.parametrize("demanded", [False, True])
async def test_a_token_in_the_link_goes_nowhere(credential: str, demanded: bool) -> None:
    """R030, R097: our own token and proof go with every page, in the header, once."""
    graph = fake_with(5)
    graph.options.next_credential = credential  # type: ignore[assignment]
    graph.faults.add("foreign_next")
    secret: dict[str, Any] = {}
    if demanded:
        graph.options.app_secret = "app-secret"
        secret = {"app_secret": SecretStr("app-secret")}

    assert len(names(await walked(graph, page_size=2, **secret))) == 5
    assert {call.token_place for call in listings(graph)} == {"header"}
    assert {"access_token" in call.query for call in listings(graph)} == {False}
    assert {call.headers["host"] for call in listings(graph)} == {"graph.test"}


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda each: f"{each.kind}-{each.statuses}")
async def test_nothing_nested_is_asked_for(request_: WalkRequest) -> None:
    graph = fake_with(1)

    await walked(graph, request=request_)

    assert not any(set(call.query["fields"]) & set("{}.()") for call in listings(graph))
