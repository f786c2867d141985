"""What a person makes by hand under /_fake/, and which app the activity log names for it."""

from typing import Any

import httpx
import pytest

from fixtures.graph import FakeGraph
from tests.contract.fake_graph.fault_requests import create
from tests.contract.fake_graph.test_fake_graph_activities import log

AD = {"do": "create", "edge": "ads", "name": "A", "parent_id": "2001"}


async def by_hand(client: httpx.AsyncClient, **body: Any) -> httpx.Response:
    return await client.post("/_fake/colleague", json=AD | body)


async def made(client: httpx.AsyncClient, **body: Any) -> str:
    reply = await by_hand(client, **body)
    assert reply.status_code == 200, reply.text
    return str(reply.json()["id"])


async def test_the_log_names_the_app_that_was_said_and_else_the_platforms_own(
    client: httpx.AsyncClient,
) -> None:
    wanted = {
        (await create(client)).json()["id"]: ("77001", "our app"),
        await made(client): ("77009", "Ads Manager"),
        await made(client, app="88002"): ("88002", "app 88002"),
        await made(client, app="77001"): ("77001", "our app"),
        await made(client, app="77009"): ("77009", "Ads Manager"),
        await made(client): ("77009", "Ads Manager"),
    }

    rows = await log(client, fields="object_id,application_id,application_name")

    told = {row["object_id"]: (row["application_id"], row["application_name"]) for row in rows}
    assert told == wanted


async def test_what_an_app_made_by_hand_is_listed_as_any_other(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    ad = await made(client, app="88002", labels=["L"], status="ACTIVE")

    (row,) = (await client.get("/v26.0/2001/ads", params={"fields": "name,status"})).json()["data"]
    assert row == {"id": ad, "name": "A", "status": "ACTIVE"}
    assert [one.actor for one in graph.world.log if one.id == ad] == ["app 88002"]


async def test_what_is_moved_by_hand_is_listed_where_it_went(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    ad = await made(client)
    other = graph.world.colleague_creates("adsets", "Other", parent_id="1501")
    move = {"do": "move", "id": ad, "parent_id": other.id}
    to_nowhere = {"do": "move", "id": ad, "parent_id": "1501"}

    refused = await client.post("/_fake/colleague", json=to_nowhere)
    done = await client.post("/_fake/colleague", json=move)

    assert (refused.status_code, done.status_code) == (400, 200)
    assert "parent_id must be the id of its adset" in refused.json()["error"]
    at = {
        place: [row["id"] for row in (await client.get(f"/v26.0/{place}/ads")).json()["data"]]
        for place in ("2001", other.id)
    }
    assert at == {"2001": [], other.id: [ad]}


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({"app": 88002}, "app must be the id of an app, digits as text, not 88002"),
        ({"app": "ours"}, "digits as text, not 'ours'"),
        ({"app": ""}, "digits as text, not ''"),
        ({"app": "88002", "actor": "ann"}, "say app or actor, not both"),
        ({"edge": "ad"}, "there is no edge 'ad': say one of campaigns, adsets, adcreatives, ads"),
        ({"account_id": "act_9"}, "there is no account 'act_9'"),
        ({"parent_id": "9"}, "parent_id must be the id of its adset, in act_1001"),
        ({"parent_id": "1501"}, "parent_id must be the id of its adset"),
        ({"parent_id": None}, "parent_id must be the id of its adset"),
        ({"edge": "campaigns"}, "the parent of every campaign is its account: leave parent_id out"),
        ({"edge": "adsets"}, "parent_id must be the id of its campaign"),
    ],
)
async def test_what_cannot_be_made_is_refused_with_the_reason_and_makes_nothing(
    graph: FakeGraph, client: httpx.AsyncClient, body: dict[str, Any], why: str
) -> None:
    before = len(graph.world.log), dict(graph.world.applications)

    refused = await by_hand(client, **body)

    assert refused.status_code == 400
    assert why in refused.json()["error"]
    assert (len(graph.world.log), graph.world.applications) == before
