"""The quota that counts by itself, as a plain HTTP client meets it (facts 3.1, 3.9 to 3.11)."""

import json
from typing import Any

import httpx

from fixtures.graph import FakeGraph, SteppedClock
from tests.contract.fake_graph.composed_faults import batch_of
from tests.contract.fake_graph.fault_requests import create, made_count, page


def usage(headers: Any) -> dict[str, Any]:
    (entries,) = json.loads(headers["x-business-use-case-usage"]).values()
    (ours,) = [each for each in entries if each["type"] == "ads_management"]
    return {name: ours[name] for name in ("call_count", "estimated_time_to_regain_access")}


async def test_every_reply_tells_how_much_of_the_quota_is_used(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    graph.faults.add("quota:calls=8")

    told = [usage((await ask).headers) for ask in (create(client), page(client), create(client))]

    assert [each["call_count"] for each in told] == [12, 25, 37]


async def test_each_child_of_a_batch_is_a_call_and_tells_it_in_its_own_headers(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    """Facts 3.7, 3.11."""
    graph.faults.add("quota:calls=10")

    reply = await client.post("/", data={"batch": batch_of(*"ABCD")})

    assert "x-business-use-case-usage" not in reply.headers
    counts = [
        usage({each["name"]: each["value"] for each in child["headers"]})["call_count"]
        for child in reply.json()
    ]
    assert sorted(counts) == [10, 20, 30, 40]
    assert usage((await page(client)).headers)["call_count"] == 50


async def test_beyond_the_quota_nothing_is_made_until_the_oldest_call_is_forgotten(
    graph: FakeGraph, client: httpx.AsyncClient, clock: SteppedClock
) -> None:
    graph.faults.add("quota:calls=2,seconds=600")
    await create(client)
    clock.advance(60)
    await create(client)

    refused = await create(client)

    assert (refused.status_code, refused.json()["error"]["code"]) == (400, 80004)
    assert usage(refused.headers) == {"call_count": 100, "estimated_time_to_regain_access": 9.0}
    assert made_count(graph) == 2
    clock.advance(600)
    assert (await create(client)).status_code == 200


async def test_a_refused_call_counts_and_so_keeps_the_account_blocked(
    graph: FakeGraph, client: httpx.AsyncClient, clock: SteppedClock
) -> None:
    """Facts 2.11: who calls on lengthens the block."""
    graph.faults.add("quota:calls=1,seconds=600")
    await create(client)
    clock.advance(590)
    await create(client)
    clock.advance(20)

    assert (await create(client)).status_code == 400


async def test_a_write_may_cost_more_than_a_read_and_accounts_count_apart(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    """Facts 3.10."""
    graph.world.add_account("act_1002")
    graph.faults.add("quota:calls=10,write=3")

    assert usage((await create(client)).headers)["call_count"] == 30
    other = await client.get("/v26.0/act_1002/ads")
    assert usage(other.headers)["call_count"] == 10
    assert usage((await page(client)).headers)["call_count"] == 40
