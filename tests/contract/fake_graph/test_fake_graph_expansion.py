"""Lists inside rows, as a plain HTTP client reads them: pages of their own, cut silently (1.22)."""

from typing import Any

import httpx
import pytest

from fixtures.graph import FakeGraph
from fixtures.graph.field_list import Field, fields_in
from tests.contract.fake_graph.fault_requests import fill

CAMPAIGNS = "/v26.0/act_1001/campaigns"


async def asked(client: httpx.AsyncClient, path: str, fields: str, **more: str) -> Any:
    return (await client.get(path, params={"fields": fields, **more})).json()


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("id,name", [Field("id"), Field("name")]),
        ("id, adlabels{id,name} ,name", [Field("id"), Field("adlabels", "id,name"), Field("name")]),
        ("adsets.limit(2){id,ads{id}}", [Field("adsets", "id,ads{id}", 2)]),
        ("ads.limit(3)", [Field("ads", "", 3)]),
        ("ads.order(x).limit(3){id}", [Field("ads", "id", 3)]),
        ("", []),
        ("ads.limit(3", [Field("ads.limit(3")]),
        ("ads{id", [Field("ads{id")]),
        ("ads}id,name", [Field("ads}id,name")]),
    ],
)
def test_what_is_asked_for_is_read_to_its_braces(text: str, fields: list[Field]) -> None:
    assert fields_in(text) == fields


async def test_an_edge_in_braces_stands_in_each_row_and_pages_by_itself(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    fill(graph, 5)

    told = await asked(client, CAMPAIGNS, "name,adsets{id,ads.limit(2){name}}")

    (campaign,) = told["data"]
    (adset,) = campaign["adsets"]["data"]
    assert (campaign["name"], adset["id"]) == ("Spring", "2001")
    assert len(adset["ads"]["data"]) == 2
    assert "next" not in told["paging"], "the outer list is whole"
    assert "next" in adset["ads"]["paging"], "the inner one is not"


async def test_who_ignores_the_inner_next_loses_rows_and_who_follows_it_loses_none(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    """The inner `next` is a whole address, of the edge itself."""
    fill(graph, 30)

    told = await asked(client, "/v26.0/2001", "id,ads{name}")
    names = [row["name"] for row in told["ads"]["data"]]
    assert (len(names), told["id"]) == (25, "2001")
    more = (await client.get(told["ads"]["paging"]["next"])).json()

    names += [row["name"] for row in more["data"]]
    assert sorted(names, key=int) == [f"{number}" for number in range(30)]
    assert "next" not in more["paging"]


async def test_faults_of_the_world_strike_the_inner_list_too(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    """A cut page, and a lag: facts 1.12, 7.1."""
    fill(graph, 3)
    graph.faults.add("limit_cap:rows=1")
    graph.faults.add("listing_lag:edge=adset/ads,seconds=60")
    fill(graph, 2)

    told = await asked(client, "/v26.0/2001", "ads.limit(50){id}")
    assert len(told["ads"]["data"]) == 1

    graph.world.options.limit_max = 100
    told = await asked(client, "/v26.0/2001", "ads.limit(50){id}")
    assert len(told["ads"]["data"]) == 3


async def test_an_edge_with_nothing_on_it_is_left_out_and_fields_in_braces_are_not_edges(
    client: httpx.AsyncClient,
) -> None:
    assert await asked(client, "/v26.0/2001", "id,ads{id},campaign{id,name}") == {
        "id": "2001",
        "campaign": {"id": "1501"},
    }


@pytest.mark.parametrize(
    "fields", ["colour{id}", "adsets{colour}", "adsets{ads{colour}}", "adsets.limit(2", "ads{id"]
)
async def test_an_unknown_field_at_any_depth_fails_the_whole_call(
    graph: FakeGraph, client: httpx.AsyncClient, fields: str
) -> None:
    """Facts 5.2."""
    fill(graph, 1)

    assert (await asked(client, CAMPAIGNS, fields))["error"]["code"] == 100


async def test_of_an_account_too(client: httpx.AsyncClient) -> None:
    told = await asked(client, "/v26.0/act_1001", "name,campaigns{name},adcreatives{id}")

    assert told["name"] == "Account 1001"
    assert told["campaigns"]["data"] == [{"name": "Spring", "id": "1501"}]
    assert [row["id"] for row in told["adcreatives"]["data"]] == ["3001"]
