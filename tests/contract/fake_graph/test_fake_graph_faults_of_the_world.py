"""Faults that last, as a plain HTTP client meets them: what the facts leave open, either way."""

import json
from typing import Any

import httpx
import pytest

from fixtures.graph import FakeGraph, SteppedClock
from tests.contract.fake_graph.fault_requests import LISTING, create, fill, made_count, page

CREATIVES = "/v26.0/act_1001/adcreatives"


def code(reply: httpx.Response) -> tuple[int, int | None]:
    error = reply.json()["error"]
    return error["code"], error.get("error_subcode")


async def listed(client: httpx.AsyncClient, path: str = LISTING, **params: str) -> list[str]:
    rows = (await client.get(path, params={"fields": "name", **params})).json()["data"]
    return [row["name"] for row in rows]


async def test_a_node_may_be_unreadable_at_first(
    graph: FakeGraph, client: httpx.AsyncClient, clock: SteppedClock
) -> None:
    """Facts 7.2, 7.12: and it says what it says of things that never were."""
    graph.faults.add("node_lag:seconds=30")
    clock.advance(60)
    made = (await create(client)).json()["id"]
    early = await client.get(f"/v26.0/{made}")
    clock.advance(30)

    assert code(early) == (100, 33)
    assert (await client.get(f"/v26.0/{made}")).status_code == 200


async def test_each_edge_has_a_lag_of_its_own(
    graph: FakeGraph, client: httpx.AsyncClient, clock: SteppedClock
) -> None:
    """Facts 7.1 to 7.3, 4.26: by container, by account, by label."""
    for fault in ("adset/ads,seconds=10", "account/ads,seconds=20", "label/ads,seconds=30"):
        graph.faults.add(f"listing_lag:edge={fault}")
    made = (await create(client, adlabels='[{"name":"rc1-x"}]')).json()["id"]
    (label,) = graph.world.entities[made].labels
    by_label = {"ad_label_ids": json.dumps([label])}
    seen = []
    for _ in range(4):
        container = await listed(client)
        account = await listed(client, "/v26.0/act_1001/ads")
        labelled = await listed(client, "/v26.0/act_1001/adsbylabels", **by_label)
        seen.append((len(container), len(account), len(labelled)))
        clock.advance(10)

    assert seen == [(0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1)]


async def test_a_walk_may_not_go_too_deep(graph: FakeGraph, client: httpx.AsyncClient) -> None:
    """Facts 1.10: asking again does not help, a narrower question does."""
    fill(graph, 5)
    graph.faults.add("depth_cap:rows=4")
    first = (await page(client, limit="4")).json()
    after = first["paging"]["cursors"]["after"]

    assert "next" in first["paging"]
    assert [code(await page(client, after=after)) for _ in range(2)] == [(100, None)] * 2
    narrow = json.dumps([{"field": "name", "operator": "EQUAL", "value": "0"}])
    assert await listed(client, filtering=narrow) == ["0"]


@pytest.mark.parametrize(("how", "told"), [("clamp", 2), ("error", 100)])
async def test_a_large_limit_is_cut_or_refused(
    graph: FakeGraph, client: httpx.AsyncClient, how: str, told: int
) -> None:
    """Facts 1.12."""
    fill(graph, 3)
    graph.faults.add(f"limit_cap:rows=2,how={how}")

    reply = (await page(client, limit="3")).json()
    assert (len(reply["data"]) if "data" in reply else reply["error"]["code"]) == told


async def test_asking_for_deleted_gives_none_or_an_error(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    """Facts 5.8, in both forms of asking (5.3, 5.5)."""
    fill(graph, 1)
    graph.world.delete(graph.world.live("ad")[0].id)
    clause = [{"field": "effective_status", "operator": "IN", "value": ["DELETED", "PAUSED"]}]
    forms: list[dict[str, Any]] = [
        {"effective_status": '["DELETED","PAUSED"]'},
        {"filtering": json.dumps(clause)},
    ]

    assert [await listed(client, **form) for form in forms] == [[], []]
    graph.faults.add("deleted_refused")
    assert [code(await page(client, **form))[0] for form in forms] == [100, 100]


async def test_creatives_of_equal_content_come_back_as_the_old_one(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    """Facts 4.9, 4E: the name is not content, the first name stays, and there is no time."""
    graph.faults.add("creatives_deduplicated")
    same = {"object_story_id": "1_2"}
    one, two = [await client.post(CREATIVES, data=same | {"name": name}) for name in "AB"]
    other = await client.post(CREATIVES, data={"object_story_id": "1_3", "name": "A"})

    assert one.json() == two.json() != other.json()
    assert made_count(graph) == 2
    told = await client.get(f"/v26.0/{two.json()['id']}", params={"fields": "name"})
    assert told.json()["name"] == "A"
    timed = await client.get(CREATIVES, params={"fields": "name,created_time"})
    assert code(timed)[0] == 100


async def test_a_label_of_a_known_name_may_be_made_again(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    """Facts 4.26."""
    graph.faults.add("label_names_repeat")
    for _ in range(2):
        await create(client, adlabels='[{"name":"rc1-x"}]')

    assert await listed(client, "/v26.0/act_1001/adlabels") == ["rc1-x", "rc1-x"]


async def test_a_long_name_may_be_cut(graph: FakeGraph, client: httpx.AsyncClient) -> None:
    """Facts 4.28."""
    refused = await create(client, name="x" * 401)
    graph.faults.add("long_names_cut:length_max=9")
    await create(client, name="0123456789")

    assert code(refused)[0] == 100
    assert await listed(client) == ["012345678"]


async def test_a_full_account_refuses_what_it_counts(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    """Facts 7.6, E35."""
    graph.faults.add("account_full:objects=1")
    replies = [await create(client) for _ in range(2)]

    assert replies[0].status_code == 200
    assert code(replies[1]) == (100, 2446867)
    assert (await client.post(CREATIVES, data={"object_story_id": "1"})).status_code == 200


async def test_what_is_new_may_be_under_review(
    graph: FakeGraph, client: httpx.AsyncClient, clock: SteppedClock
) -> None:
    """Facts 4.8: the effective status is not the one that was set."""
    graph.faults.add("review:seconds=60")
    await create(client)
    told = []
    for _ in range(2):
        told += (await page(client, fields="status,effective_status")).json()["data"]
        clock.advance(60)

    assert [row["effective_status"] for row in told] == ["PENDING_REVIEW", "PAUSED"]
    assert [row["status"] for row in told] == ["PAUSED", "PAUSED"]
