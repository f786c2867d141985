"""The insights edge, as a plain HTTP client reads it: rows by level, and a header of its own."""

import json
from typing import Any

import httpx
import pytest

from adapters.graph.throttle import usage_of
from fixtures.graph import FakeGraph


@pytest.fixture
def graph(graph: FakeGraph) -> FakeGraph:
    """Two ads of ad set 2001 that delivered, and one that did not."""
    for ad_id, impressions in {"4001": 3, "4002": 4}.items():
        graph.world.place("ads", ad_id, parent_id="2001", impressions=impressions)
    graph.world.place("ads", "4003", parent_id="2001")
    return graph


async def asked(client: httpx.AsyncClient, node: str, **params: str) -> httpx.Response:
    return await client.get(f"/v26.0/{node}/insights", params=params)


async def rows(client: httpx.AsyncClient, node: str, **params: str) -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = (await asked(client, node, **params)).json()["data"]
    return told


async def test_a_row_tells_what_was_delivered_below_the_node(client: httpx.AsyncClient) -> None:
    """Numbers are texts (facts 5.11)."""
    for node in ("act_1001", "1501", "2001"):
        (row,) = await rows(client, node)
        assert row == {
            "impressions": "7",
            "spend": "0",
            "date_start": "2026-03-10",
            "date_stop": "2026-03-10",
        }
    assert await rows(client, "4003") == []


async def test_a_level_below_has_a_row_for_each_object_that_delivered_in_pages(
    client: httpx.AsyncClient,
) -> None:
    fields = "ad_id,campaign_id,impressions"
    first = (await asked(client, "1501", level="ad", fields=fields, limit="1")).json()
    last = (await client.get(first["paging"]["next"])).json()

    assert [first["data"], last["data"]] == [
        [{"ad_id": "4001", "campaign_id": "1501", "impressions": "3"}],
        [{"ad_id": "4002", "campaign_id": "1501", "impressions": "4"}],
    ]
    assert "next" not in last["paging"]


@pytest.mark.parametrize(
    ("node", "params", "status", "code"),
    [
        ("2001", {"level": "campaign"}, 500, 1),
        ("2001", {"level": "colour"}, 500, 1),
        ("2001", {"fields": "colour"}, 400, 100),
        ("3001", {}, 400, 100),
        ("9999", {}, 400, 100),
    ],
)
async def test_a_wrong_level_is_an_unknown_error_and_a_wrong_field_a_plain_one(
    client: httpx.AsyncClient, node: str, params: dict[str, str], status: int, code: int
) -> None:
    """Facts E02, 5.2."""
    reply = await asked(client, node, **params)

    assert (reply.status_code, reply.json()["error"]["code"]) == (status, code)


async def test_its_replies_tell_its_own_allowance_in_a_header_of_their_own(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    """Facts 3.5."""
    plain = json.loads((await asked(client, "2001")).headers["x-fb-ads-insights-throttle"])
    graph.faults.add("insights_usage:percent=91")
    full = (await asked(client, "2001")).headers

    assert plain["acc_id_util_pct"] == 0
    assert usage_of(full).percent == 91
    assert "x-fb-ads-insights-throttle" not in (await client.get("/v26.0/2001/ads")).headers


async def test_a_block_for_insights_is_told_as_that_and_keeps_nobody_from_creating(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    """Facts E22, 3.3: by `type`."""
    graph.faults.add("throttle:code=80000,minutes=7,on_edge=insights")
    graph.faults.add("usage:code=80000,percent=100,minutes=7,on_edge=ads")

    refused = await asked(client, "2001")
    listed = await client.get("/v26.0/2001/ads")

    assert refused.json()["error"]["code"] == 80000
    assert (usage_of(listed.headers).percent, usage_of(listed.headers).block) == (100, None)
