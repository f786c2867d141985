"""Several requests in one, as a plain HTTP client sends and reads them (facts 4B)."""

import json
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest

from fixtures.graph import FakeGraph, SteppedClock
from tests.contract.fake_graph.fault_requests import AD, made_count

CAMPAIGN = {"name": "C", "status": "PAUSED"}


def post(edge: str = "ads", *, of: str = "act_1001", **more: Any) -> dict[str, Any]:
    """A create as one operation; `params` are the form's."""
    params = more.pop("params", AD if edge == "ads" else CAMPAIGN)
    body = urlencode(params, safe="{}$:.=")
    return {"method": "POST", "relative_url": f"{of}/{edge}", "body": body, **more}


def get(url: str, **more: Any) -> dict[str, Any]:
    return {"method": "GET", "relative_url": url, **more}


async def batch(client: httpx.AsyncClient, *operations: Any, **params: str) -> list[Any]:
    reply = await client.post("/v26.0/", data={"batch": json.dumps(operations), **params})
    assert reply.status_code == 200, reply.text
    told = reply.json()
    assert isinstance(told, list)
    return told


def body(told: dict[str, Any]) -> Any:
    return json.loads(told["body"])


def code(told: dict[str, Any]) -> int:
    return int(body(told)["error"]["code"])


# --- what it says ---------------------------------------------------------------------------------


async def test_replies_stand_in_the_order_of_the_requests(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    """Facts 4.12, 4.17, 9.11: a child that fails does not fail the others, nor the whole."""
    told = await batch(
        client, post(), post(params=AD | {"name": ""}), get("2001?fields=name"), post()
    )

    assert [each["code"] for each in told] == [200, 400, 200, 200]
    ids = [each.id for each in graph.world.created_by("fake-token")]
    assert [body(told[0])["id"], body(told[3])["id"]] == ids
    assert (code(told[1]), body(told[2])["name"]) == (100, "Spring / all")
    assert all(each.replied for each in graph.world.created_by("fake-token"))


async def test_the_batch_may_come_as_form_or_json_with_or_without_a_version(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    operations = [post()]
    replies = [
        await client.post("/", data={"batch": json.dumps(operations)}),
        await client.post("/v26.0", json={"batch": operations}),
        await client.post("/v26.0/", json={"batch": json.dumps(operations)}),
    ]

    assert [reply.json()[0]["code"] for reply in replies[:2]] == [200, 200]
    assert replies[2].status_code == 400, "in JSON a list is a list"
    assert made_count(graph) == 2


async def test_children_bear_headers_unless_they_are_not_wanted(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    """Facts 3.7, 4.11: usage stands in the child's, not in those of the whole."""
    graph.faults.add("usage:percent=85,on_edge=ads")
    reply = await client.post("/", json={"batch": [post()]})
    (child,) = reply.json()
    (bare,) = await batch(client, post(), include_headers="false")

    headers = {each["name"]: each["value"] for each in child["headers"]}
    assert "85" in headers["x-business-use-case-usage"]
    assert headers["facebook-api-version"] == "v26.0"
    assert "x-business-use-case-usage" not in reply.headers
    assert set(bare) == {"code", "body"}


async def test_each_child_counts_as_a_request_of_its_own(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    """Facts 3.11."""
    await batch(client, post(), post())

    assert graph.count("POST", "ads") == 2
    assert [each.batch for each in graph.requests] == [None, 1, 1]
    assert [each.request for each in graph.world.created_by("fake-token")] == [2, 3]


async def test_a_child_may_bear_a_token_of_its_own(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    """Facts 4.11: the whole needs one all the same."""
    graph.options.tokens["other-token"] = "other"
    told = await batch(
        client,
        post(),
        post(access_token="other-token"),
        post(params=AD | {"access_token": "other-token"}),
        get("2001?access_token=unknown"),
    )
    without = await client.post("/", json={"batch": [post()]}, headers={"authorization": ""})

    assert [each.actor for each in graph.world.log[-3:]] == ["fake-token", "other", "other"]
    assert code(told[3]) == 190
    assert without.json()["error"]["code"] == 190


# --- null -----------------------------------------------------------------------------------------


async def test_null_stands_for_what_was_made_and_for_what_was_not(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    """Facts 4.13 (a)."""
    graph.faults.add("null_child:nth=2")
    graph.faults.add("null_child:nth=3,commit=false")
    told = await batch(client, *(post(params=AD | {"name": name}) for name in "ABC"))

    assert [each is None for each in told] == [False, True, True]
    made = graph.world.created_by("fake-token")
    assert [(each.name, each.replied) for each in made] == [("A", True), ("B", False)]


async def test_a_null_child_may_be_made_later(
    graph: FakeGraph, client: httpx.AsyncClient, clock: SteppedClock
) -> None:
    graph.faults.add("null_child:late_seconds=5")
    told = await batch(client, post())
    early = made_count(graph)
    clock.advance(5)

    assert (told, early, made_count(graph)) == ([None], 0, 1)


async def test_every_fault_of_a_create_strikes_a_child(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    """A lost reply is null; a body that is no JSON is the child's body; a cut one is cut."""
    for number, fault in enumerate(
        ["reply_lost_after_commit", "html_200", "error_after_commit", "created_twice"], start=1
    ):
        graph.faults.add(f"{fault}:nth={number}")
    graph.faults.add("truncated_body:keep=3,on_edge=ads,nth=5")
    told = await batch(client, *[post()] * 5)

    assert told[0] is None
    assert told[1]["body"] == "Service Unavailable"
    assert (told[2]["code"], code(told[2])) == (500, 2)
    assert set(body(told[3])) == {"id"}
    assert told[4]["body"] == '{"i'
    assert made_count(graph) == 6


@pytest.mark.parametrize(
    ("omits", "is_null"), [({}, True), ({"omit_response_on_success": False}, False)]
)
async def test_a_parent_that_others_wait_for_is_null_unless_told_otherwise(
    graph: FakeGraph, client: httpx.AsyncClient, omits: dict[str, Any], is_null: bool
) -> None:
    """Facts 4.13 (b): a success, and it looks like (a)."""
    parent = post("campaigns", name="c", **omits)
    adset = {"name": "S", "campaign_id": "{result=c:$.id}"}
    told = await batch(client, parent, post("adsets", params=adset))

    campaign, made = graph.world.created_by("fake-token")
    assert made.parent_id == campaign.id
    assert ((told[0] is None), campaign.replied) == (is_null, not is_null)
    assert body(told[1]) == {"id": made.id}


async def test_a_failed_parent_is_told_and_stops_those_that_wait_for_it(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    parent = post("campaigns", name="c", params={"name": "x" * 401})
    by_name, by_path = post(depends_on="c"), post(params=AD | {"adset_id": "{result=c:$.id}"})
    told = await batch(client, parent, by_name, by_path, post())

    assert [each["code"] for each in told] == [400, 400, 400, 200]
    assert made_count(graph) == 1


# --- references -----------------------------------------------------------------------------------


async def test_answers_flow_into_those_that_come_after(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    """Facts 4.11: into path, query, text and JSON text, in whatever order they stand."""
    named: dict[str, Any] = {"omit_response_on_success": False}
    ad = AD | {
        "name": "under {result=s:$.id}",
        "adset_id": "{result=s:$.id}",
        "creative": '{"creative_id":"{result=k:$.id}"}',
    }
    told = await batch(
        client,
        post(params=ad, name="a", **named),
        post("adcreatives", params={"object_story_id": "1_2"}, name="k", **named),
        post("adsets", params={"name": "S", "campaign_id": "1501"}, name="s", **named),
        get("{result=s:$.id}/ads?fields=name", depends_on="a", name="l", **named),
        get("act_1001/ads?ad_label_ids={result=l:$.data.*.id}", name="x"),
        get("{result=l:$.data[0].id}?fields=adset_id"),
    )

    assert [each["code"] for each in told] == [200, 200, 200, 200, 400, 200]
    adset_id = body(told[2])["id"]
    assert [row["name"] for row in body(told[3])["data"]] == [f"under {adset_id}"]
    assert body(told[5])["adset_id"] == adset_id
    assert graph.world.created_by("fake-token", "ad")[0].parent_id == adset_id
    assert graph.requests[5].query["ad_label_ids"] == body(told[0])["id"]


@pytest.mark.parametrize(
    "operations",
    [
        [post(depends_on="nobody")],
        [post(params=AD | {"adset_id": "{result=nobody:$.id}"})],
        [post(name="a", depends_on="b"), post(name="b", depends_on="a")],
        [get("2001", name="a"), get("{result=a:$.nothing}")],
        [get("2001", name="a"), get("{result=a:$}")],
    ],
)
async def test_a_reference_that_leads_nowhere_is_an_error_of_that_child(
    graph: FakeGraph, client: httpx.AsyncClient, operations: list[Any]
) -> None:
    told = await batch(client, *operations)

    assert code(told[-1]) == 100
    assert made_count(graph) == 0


# --- limits ---------------------------------------------------------------------------------------


async def test_only_the_first_ad_set_of_a_campaign_is_taken(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    """Facts 4.16."""
    graph.world.colleague_creates("campaigns", "other")
    other = graph.world.live("campaign", name="other")[0].id
    adsets = [
        post("adsets", params={"name": "S", "campaign_id": i}) for i in ("1501", "1501", other)
    ]
    told = await batch(client, *adsets)

    assert [each["code"] for each in told] == [200, 400, 200]


@pytest.mark.parametrize("wrong", ["[]", "{}", "x", json.dumps([post()] * 51)])
async def test_what_is_no_batch_is_refused_whole(
    graph: FakeGraph, client: httpx.AsyncClient, wrong: str
) -> None:
    """Facts 4.11: 50 at most."""
    reply = await client.post("/", data={"batch": wrong})

    assert (reply.status_code, reply.json()["error"]["code"]) == (400, 100)
    assert made_count(graph) == 0
    assert len(await batch(client, *[get("2001")] * 50)) == 50


async def test_what_is_no_operation_is_refused_by_itself(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    nested = {"method": "POST", "relative_url": "", "body": f"batch={json.dumps([post()])}"}
    strange: list[Any] = [
        1,
        {},
        {"method": ["POST"]},
        post() | {"body": AD},
        nested,
        get("?ids=1,2"),
    ]
    told = await batch(client, *strange, post())

    assert [each["code"] for each in told] == [400] * 6 + [200]
    assert made_count(graph) == 1


# --- the whole ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("batch_timed_out", (400, "960")),
        ("batch_body_lost", (200, "null")),
        ("batch_body_lost:shape=empty", (200, "")),
        ("batch_body_lost:shape=object", (200, '{"success":true}')),
        ("throttle", (400, "80004")),
    ],
)
@pytest.mark.parametrize("commit", ["true", "false"])
async def test_the_whole_may_fail_whatever_was_made(
    graph: FakeGraph, client: httpx.AsyncClient, fault: str, told: tuple[int, str], commit: str
) -> None:
    """Facts 4.15, E07."""
    name, _, more = fault.partition(":")
    graph.faults.add(f"{name}:{more},commit={commit}")
    reply = await client.post("/", json={"batch": [post(), post()]})

    assert reply.status_code == told[0]
    assert told[1] in reply.text
    assert made_count(graph) == (2 if commit == "true" else 0)
    assert not any(each.replied for each in graph.world.created_by("fake-token"))


@pytest.mark.parametrize(("how", "names"), [("short", "AB"), ("long", "ABCC"), ("swapped", "BCA")])
async def test_replies_may_be_too_few_too_many_or_out_of_place(
    graph: FakeGraph, client: httpx.AsyncClient, how: str, names: str
) -> None:
    graph.faults.add(f"misaligned_batch:how={how}")
    told = await batch(client, *(post(params=AD | {"name": name}) for name in "ABC"))

    made = {each.id: each.name for each in graph.world.created_by("fake-token")}
    assert "".join(made[body(each)["id"]] for each in told) == names
    answered = {each.name for each in graph.world.created_by("fake-token") if each.replied}
    assert answered == set(names)


@pytest.mark.parametrize(
    ("how", "keys"),
    [
        ("text", None),
        ("no_body", {"code", "headers"}),
        ("no_code", {"headers", "body"}),
        ("no_headers", {"code", "body"}),
        ("body_object", {"code", "headers", "body"}),
    ],
)
async def test_a_member_may_have_another_shape(
    graph: FakeGraph, client: httpx.AsyncClient, how: str, keys: set[str] | None
) -> None:
    graph.faults.add(f"odd_child:how={how},place=1")
    told = await batch(client, post(), post())

    assert set(told[0]) == {"code", "headers", "body"}
    assert (set(told[1]) if isinstance(told[1], dict) else None) == keys
    assert how != "body_object" or told[1]["body"] == {"id": 1}
