"""Faults that meet creates and refusals, as a plain HTTP client sees them."""

import json
from typing import Any

import httpx
import pytest

from fixtures.graph import (
    FakeGraph,
    SteppedClock,
    fault_named,
)
from tests.contract.fake_graph.fault_requests import create, made_count, page


@pytest.mark.parametrize(("reset", "seen"), [(False, "Remote"), (True, "Read")])
async def test_a_reply_lost_after_commit_leaves_an_entity_behind(
    graph: FakeGraph, client: httpx.AsyncClient, *, reset: bool, seen: str
) -> None:
    graph.faults.add(fault_named("reply_lost_after_commit", reset=reset))

    with pytest.raises(httpx.TransportError) as caught:
        await create(client)
    assert type(caught.value).__name__.startswith(seen)
    assert [each.replied for each in graph.world.unanswered()] == [False]


async def test_a_request_lost_before_commit_looks_the_same_and_leaves_nothing(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    graph.faults.add("lost_before_commit")

    with pytest.raises(httpx.RemoteProtocolError):
        await create(client)
    assert made_count(graph) == 0


@pytest.mark.parametrize(
    ("fault", "count"), [("error_after_commit", 1), ("error_before_commit", 0)]
)
@pytest.mark.parametrize(
    "told",
    [
        ("", 500, 2),
        (":code=1,subcode=99", 500, 1),
        (":code=-3", 500, -3),
        (":code=960,status=400", 400, 960),
        (":shape=bare", 500, 1),
    ],
)
async def test_an_error_does_not_tell_whether_the_entity_was_made(
    graph: FakeGraph, client: httpx.AsyncClient, fault: str, count: int, told: tuple[str, int, int]
) -> None:
    flags, status, code = told
    graph.faults.add(fault + flags)

    reply = await create(client)

    assert (reply.status_code, reply.json()["error"]["code"]) == (status, code)
    assert made_count(graph) == count


async def test_an_error_may_be_a_page_or_an_empty_object(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    graph.faults.add("error_after_commit:shape=html,status=502")
    graph.faults.add("error_after_commit:shape=empty_error,nth=2")

    page_reply, empty = await create(client), await create(client)

    assert (page_reply.status_code, page_reply.headers["content-type"]) == (502, "text/html")
    assert (empty.status_code, empty.json()) == (500, {"error": {}})
    assert made_count(graph) == 2


@pytest.mark.parametrize("then", ["lost", "error", "hang"])
async def test_a_late_commit_lands_after_the_caller_gave_up(
    graph: FakeGraph, client: httpx.AsyncClient, clock: SteppedClock, then: str
) -> None:
    graph.faults.add(f"late_commit:seconds=5,then={then},hang_seconds=0.001")
    if then == "error":
        assert (await create(client)).status_code == 500
    else:
        with pytest.raises(httpx.TransportError):
            await create(client)

    assert made_count(graph) == 0
    clock.advance(5)
    assert made_count(graph) == 1


async def test_a_late_create_is_checked_when_it_lands(
    graph: FakeGraph, client: httpx.AsyncClient, clock: SteppedClock
) -> None:
    graph.faults.add("late_commit")

    with pytest.raises(httpx.RemoteProtocolError):
        await create(client)
    graph.world.delete("2001")
    clock.advance(60)
    assert made_count(graph) == 0


async def test_a_retrying_proxy_creates_twice_and_tells_one_id(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    graph.faults.add("created_twice")

    told = (await create(client)).json()["id"]

    one, other = graph.world.created_by("fake-token")
    assert (other.id, one.replied, other.replied) == (told, False, True)


@pytest.mark.parametrize(
    ("flags", "sent", "kept"),
    [
        ("", " A  [x] ", "A [x]"),
        (":how=escape", "A & B", "A &amp; B"),
        (":how=cut,length_max=3", "ABCDE", "ABC"),
    ],
)
async def test_a_name_may_be_stored_otherwise_than_sent(
    graph: FakeGraph, client: httpx.AsyncClient, flags: str, sent: str, kept: str
) -> None:
    graph.faults.add("name_stored" + flags)
    await create(client, name=sent)

    (creation,) = graph.world.created_by("fake-token")
    assert (creation.name, creation.stored_name) == (sent, kept)
    assert (await page(client)).json()["data"][0]["name"] == kept


@pytest.mark.parametrize(
    ("fault", "body"),
    [
        ("html_200", b"Service Unavailable"),
        ("empty_200", b""),
        ("null_200", b"null"),
        ("bare_string_200", b'"Service Unavailable"'),
        ("id_less_200", b'{"success":true}'),
    ],
)
@pytest.mark.parametrize("commit", [True, False])
async def test_a_200_without_an_id_says_nothing(
    graph: FakeGraph, client: httpx.AsyncClient, fault: str, body: bytes, *, commit: bool
) -> None:
    graph.faults.add(fault_named(fault, commit=commit))

    reply = await create(client)

    assert (reply.status_code, reply.content) == (200, body)
    assert made_count(graph) == int(commit)


async def test_an_error_may_come_under_200(graph: FakeGraph, client: httpx.AsyncClient) -> None:
    graph.faults.add("error_200")

    reply = await create(client)

    assert (reply.status_code, reply.json()["error"]["code"]) == (200, 2)


@pytest.mark.parametrize(
    ("code", "subcode", "header"),
    [
        (80004, 2446079, "x-business-use-case-usage"),
        (17, 2446079, "x-ad-account-usage"),
        (4, None, "x-app-usage"),
        (613, None, "x-business-use-case-usage"),
    ],
)
async def test_a_throttle_comes_with_its_usage_header(
    graph: FakeGraph, client: httpx.AsyncClient, code: int, subcode: int | None, header: str
) -> None:
    graph.faults.add(fault_named("throttle", code=code))

    reply = await create(client)

    told = reply.json()["error"]
    assert (reply.status_code, told["code"], told.get("error_subcode")) == (400, code, subcode)
    assert json.loads(reply.headers[header])
    assert made_count(graph) == 0


async def test_a_throttle_tells_minutes_by_business_case_and_seconds_by_account(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    graph.faults.add("throttle:minutes=7")
    graph.faults.add("throttle:code=17,minutes=4,nth=2")

    by_case = json.loads((await create(client)).headers["x-business-use-case-usage"])
    by_account = json.loads((await create(client)).headers["x-ad-account-usage"])

    entries: list[dict[str, Any]] = by_case["1001"]
    assert [entry["estimated_time_to_regain_access"] for entry in entries] == [0, 7]
    assert by_account["reset_time_duration"] == 240


async def test_a_throttled_write_may_have_been_executed(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    graph.faults.add("throttle:commit=true,with_headers=false")

    reply = await create(client)

    assert (reply.status_code, "x-business-use-case-usage" in reply.headers) == (400, False)
    assert made_count(graph) == 1


async def test_to_go_on_calling_lengthens_a_block(
    graph: FakeGraph, client: httpx.AsyncClient, clock: SteppedClock
) -> None:
    """Facts 2.11, 3.2: the header tells the seconds that are left."""
    graph.faults.add("blocked:seconds=60")
    told = []
    for wait in (0, 59, 59, 60):
        clock.advance(wait)
        reply = await create(client)
        usage = json.loads(reply.headers.get("x-ad-account-usage", "{}"))
        told.append((reply.status_code, usage.get("reset_time_duration")))

    assert told == [(400, 60), (400, 60), (400, 60), (200, None)]
    assert made_count(graph) == 1


async def test_usage_comes_with_successful_replies(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    graph.faults.add("usage:percent=96")

    reply = await create(client)

    assert reply.status_code == 200
    assert '"call_count": 96' in reply.headers["x-business-use-case-usage"]


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        ("", (400, 190, 463)),
        (":status=401,subcode=460", (401, 190, 460)),
        (":code=200,status=403", (403, 200, None)),
        (":code=10", (400, 10, None)),
        (":code=100", (400, 100, 33)),
    ],
)
async def test_access_lost_refuses_everything_until_it_is_back(
    graph: FakeGraph, client: httpx.AsyncClient, flags: str, told: tuple[int, int, int | None]
) -> None:
    graph.faults.add("access_lost" + flags)

    for reply in (await create(client), await page(client)):
        error = reply.json()["error"]
        assert (reply.status_code, error["code"], error.get("error_subcode")) == told
    graph.faults.clear()
    assert (await create(client)).status_code == 200


async def test_a_validation_error_blames_a_field_in_an_object_or_a_text(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    graph.faults.add("validation_error:field=targeting_spec.interested_in")
    graph.faults.add("validation_error:error_data=text,nth=2")

    first = (await create(client)).json()["error"]["error_data"]
    second = (await create(client)).json()["error"]["error_data"]

    assert first == {"blame_field_specs": [["targeting_spec", "interested_in"]]}
    assert json.loads(second) == {"blame_field_specs": [["daily_budget"]]}
    assert made_count(graph) == 0


async def test_a_failed_read_after_write_hides_the_write(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    graph.faults.add("read_after_write_failed")

    reply = await create(client)

    assert (reply.status_code, reply.json()["error"]["code"]) == (400, 100)
    assert made_count(graph) == 1


async def test_a_flaky_creative_says_it_is_not_transient(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    graph.faults.add("flaky_creative")

    told = (await create(client)).json()["error"]

    assert (told["code"], told["error_subcode"], told["is_transient"]) == (100, 1487390, False)
