"""The fake over HTTP without faults: forms of request, envelopes, headers, the control surface."""

import hashlib
import hmac
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from fixtures.graph import AnsweringOptions, FakeGraph, SteppedClock, in_process, small_world

ADS = "/v26.0/act_1001/ads"
AD = {
    "name": "A",
    "adset_id": "2001",
    "creative": json.dumps({"creative_id": "3001"}),
    "adlabels": json.dumps([{"name": "rc1-x"}]),
    "status": "PAUSED",
}
AD_JSON = AD | {"creative": {"creative_id": "3001"}, "adlabels": [{"name": "rc1-x"}]}


@pytest.fixture
def graph() -> FakeGraph:
    return FakeGraph(small_world(SteppedClock()))


@pytest.fixture
async def client(graph: FakeGraph) -> AsyncIterator[httpx.AsyncClient]:
    async with in_process(graph) as client:
        yield client


def error(reply: httpx.Response) -> dict[str, Any]:
    told = reply.json()["error"]
    assert isinstance(told, dict)
    return told


async def test_a_form_and_a_json_body_make_the_same(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    first = await client.post(ADS, data=AD)
    second = await client.post(ADS, json=AD_JSON)

    assert (first.status_code, set(first.json())) == (200, {"id"})
    one, other = graph.world.created_by("fake-token")
    assert one.params == other.params
    assert [one.id, other.id] == [first.json()["id"], second.json()["id"]]
    assert (one.labels, one.replied, one.request) == (["rc1-x"], True, 1)


async def test_the_token_may_come_in_header_query_or_form(graph: FakeGraph) -> None:
    async with in_process(graph, token=None) as client:
        replies = [
            await client.get("/v26.0/2001", headers={"authorization": "Bearer fake-token"}),
            await client.get("/v26.0/2001", params={"access_token": "fake-token"}),
            await client.post(ADS, data=AD | {"access_token": "fake-token"}),
        ]
        unknown = await client.get("/v26.0/2001", params={"access_token": "other"})

    assert [reply.status_code for reply in replies] == [200, 200, 200]
    assert (unknown.status_code, error(unknown)["code"]) == (400, 190)
    assert unknown.headers["www-authenticate"].startswith("OAuth")


async def test_the_record_of_requests_holds_no_token(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    await client.get(ADS, params={"access_token": "fake-token"})
    await client.post(ADS, data=AD | {"access_token": "fake-token"})

    assert "fake-token" not in repr([each.printable() for each in graph.requests])
    assert "fake-token" not in repr(graph.requests)
    assert (graph.count("GET", "ads"), graph.count("POST", "ads")) == (1, 1)


async def test_a_page_looks_as_documented(graph: FakeGraph, client: httpx.AsyncClient) -> None:
    for _ in range(3):
        await client.post(ADS, data=AD)

    page = await client.get(
        "/v26.0/2001/ads", params={"fields": "id,name", "limit": "2", "summary": "true"}
    )
    told = page.json()
    assert [set(row) for row in told["data"]] == [{"id", "name"}, {"id", "name"}]
    assert set(told["paging"]) == {"cursors", "next"}
    assert told["summary"] == {"total_count": 3}
    last = (await client.get(told["paging"]["next"])).json()
    assert set(last["paging"]) == {"cursors", "previous"}
    assert len(last["data"]) == 1


async def test_without_fields_only_the_id_is_shown(client: httpx.AsyncClient) -> None:
    await client.post(ADS, data=AD)

    assert [set(row) for row in (await client.get("/v26.0/2001/ads")).json()["data"]] == [{"id"}]


async def test_nothing_at_all_has_no_paging_key(client: httpx.AsyncClient) -> None:
    assert (await client.get("/v26.0/2001/ads")).json() == {"data": []}


@pytest.mark.parametrize("wish", ["never", "sent", "always"])
async def test_next_shows_the_token_only_when_told_to(wish: Any) -> None:
    options = AnsweringOptions(next_credential=wish)
    graph = FakeGraph(small_world(SteppedClock()), options=options)
    async with in_process(graph) as client:
        for _ in range(2):
            await client.post(ADS, data=AD)
        by_header = await client.get(ADS, params={"limit": "1"})
        by_query = await client.get(ADS, params={"limit": "1", "access_token": "fake-token"})

    shown = ["fake-token" in reply.json()["paging"]["next"] for reply in (by_header, by_query)]
    assert shown == {"never": [False, False], "sent": [False, True], "always": [True, True]}[wish]


async def test_effective_status_is_a_json_list(graph: FakeGraph, client: httpx.AsyncClient) -> None:
    made = (await client.post(ADS, data=AD)).json()["id"]
    graph.world.archive(made)
    params = {"effective_status": json.dumps(["ARCHIVED", "PAUSED"])}

    assert (await client.get(ADS)).json()["data"] == []
    assert len((await client.get(ADS, params=params)).json()["data"]) == 1
    bad = await client.get(ADS, params={"effective_status": '["SLEEPING"]'})
    assert (error(bad)["code"], error(bad)["error_subcode"]) == (100, 1487561)


async def test_rows_can_be_filtered(client: httpx.AsyncClient) -> None:
    await client.post(ADS, data=AD | {"name": "Winter"})
    await client.post(ADS, data=AD)
    clause = [{"field": "ad.name", "operator": "CONTAIN", "value": "winter"}]

    page = await client.get(ADS, params={"filtering": json.dumps(clause), "fields": "name"})
    assert [row["name"] for row in page.json()["data"]] == ["Winter"]
    bad = await client.get(ADS, params={"filtering": '[{"field":"x"}]'})
    assert error(bad)["code"] == 100


@pytest.mark.parametrize("path", ["/v26.0/2001/ads", "/v26.0/3001", "/v26.0/act_1001/adcreatives"])
async def test_an_unknown_field_fails_the_whole_call(client: httpx.AsyncClient, path: str) -> None:
    reply = await client.get(path, params={"fields": "id,nmae"})

    assert (reply.status_code, error(reply)["code"]) == (400, 100)


async def test_fields_on_a_create_can_hide_what_was_made(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    good = await client.post(ADS, params={"fields": "id,name"}, data=AD)
    trap = await client.post(ADS, params={"fields": "id,nmae"}, data=AD)

    assert good.json()["name"] == "A"
    assert (trap.status_code, error(trap)["code"]) == (400, 100)
    assert [each.replied for each in graph.world.created_by("fake-token")] == [True, False]


async def test_validate_only_makes_nothing(graph: FakeGraph, client: httpx.AsyncClient) -> None:
    reply = await client.post(ADS, data=AD | {"execution_options": '["validate_only"]'})

    assert reply.json() == {"success": True}
    assert graph.world.created_by("fake-token") == []


async def test_a_missing_parent_is_100_33_in_the_documented_envelope(
    client: httpx.AsyncClient,
) -> None:
    reply = await client.post(ADS, data=AD | {"adset_id": "9"})

    assert reply.status_code == 400
    assert {"message", "type", "code", "error_subcode", "fbtrace_id"} <= set(error(reply))
    assert (error(reply)["code"], error(reply)["error_subcode"]) == (100, 33)


async def test_every_reply_has_the_date_of_the_worlds_clock_and_the_usual_headers(
    client: httpx.AsyncClient,
) -> None:
    for reply in (await client.get("/v26.0/2001"), await client.get("/v26.0/9")):
        assert reply.headers["date"] == "Tue, 10 Mar 2026 12:00:04 GMT"
        assert reply.headers["facebook-api-version"] == "v26.0"
        assert reply.headers["x-fb-trace-id"]


async def test_an_expired_or_missing_version_is_served_by_another(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    """Facts 7.7: only the header tells which."""
    graph.options.app_version = "v25.0"
    served = {}
    for path in ("/v26.0/2001", "/v19.0/2001", "/2001"):
        served[path] = (await client.get(path)).headers["facebook-api-version"]

    assert served == {"/v26.0/2001": "v26.0", "/v19.0/2001": "v24.0", "/2001": "v25.0"}


async def test_a_reply_may_come_from_an_upgraded_version(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    """Facts 7.7."""
    graph.faults.add("version_upgraded:to=v27.0")
    reply = await client.get("/v26.0/2001")

    assert reply.headers.get_list("facebook-api-version") == ["v27.0"]
    assert "v27.0" in reply.headers["x-ad-api-version-warning"]


async def test_a_node_is_read_edited_and_deleted(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    made = (await client.post(ADS, data=AD)).json()["id"]
    node = f"/v26.0/{made}"

    edited = await client.post(node, data={"name": "B", "status": "ACTIVE"})
    assert edited.json() == {"success": True}
    fields = {"fields": "name,status"}
    assert (await client.get(node, params=fields)).json() == {
        "id": made,
        "name": "B",
        "status": "ACTIVE",
    }
    assert (await client.delete(node)).json() == {"success": True}
    assert (await client.get(node, params=fields)).json()["status"] == "DELETED"
    assert graph.world.live("ad") == []


async def test_a_label_is_made_by_itself_or_along(client: httpx.AsyncClient) -> None:
    labels = "/v26.0/act_1001/adlabels"
    await client.post(labels, data={"name": "rc1-x"})
    await client.post(ADS, data=AD)

    rows = (await client.get(labels, params={"fields": "id,name,created_time"})).json()["data"]
    assert [row["name"] for row in rows] == ["rc1-x"]
    by_label = await client.get(
        "/v26.0/act_1001/adsbylabels", params={"ad_label_ids": json.dumps([rows[0]["id"]])}
    )
    assert len(by_label.json()["data"]) == 1


@pytest.mark.parametrize(
    ("method", "path", "code"),
    [
        ("GET", "/v26.0/?ids=1501,2001", 100),
        ("GET", "/v26.0/act_1001/nonsense", 2500),
        ("GET", "/v26.0/1501/campaigns", 2500),
        ("GET", "/v26.0/999/ads", 100),
        ("DELETE", "/v26.0/act_1001/campaigns", 100),
        ("DELETE", "/v26.0/act_1001", 100),
        ("GET", "/v26.0/act_1001/ads?limit=0", 100),
        ("GET", "/v26.0/act_1001/ads?effective_status=ACTIVE", 100),
        ("POST", "/v26.0/", 2500),
    ],
)
async def test_what_is_not_served_is_an_error(
    client: httpx.AsyncClient, method: str, path: str, code: int
) -> None:
    reply = await client.request(method, path)

    assert (reply.status_code, error(reply)["code"]) == (400, code)


async def test_the_proof_of_the_app_secret_is_checked_when_demanded() -> None:
    graph = FakeGraph(small_world(), options=AnsweringOptions(app_secret="s"))
    proof = hmac.new(b"s", b"fake-token", hashlib.sha256).hexdigest()
    async with in_process(graph) as client:
        without = await client.get("/v26.0/2001")
        right = await client.get("/v26.0/2001", params={"appsecret_proof": proof})

    assert (without.status_code, right.status_code) == (400, 200)


async def test_the_control_surface_shows_the_truth_and_acts_by_hand(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    made = (await client.post(ADS, data=AD)).json()["id"]
    await client.post("/_fake/colleague", json={"do": "rename", "id": made, "name": "B"})
    await client.post("/_fake/colleague", json={"do": "copy", "id": made})
    added = await client.post("/_fake/faults", json={"fault": "html_200:nth=2"})
    unknown = await client.post("/_fake/faults", json={"fault": "no_such_thing"})
    world = (await client.get("/_fake/world")).json()

    assert [each["name"] for each in world["entities"] if each["kind"] == "ad"] == ["B", "B"]
    assert world["log"][-1]["copy_of"] == made
    assert added.json()["scheduled"][0]["name"] == "html_200"
    assert unknown.status_code == 400
    assert len(graph.requests) == 1
    await client.delete("/_fake/faults")
    assert graph.faults.scheduled == []
    assert (await client.get("/_fake/nonsense")).status_code == 404
