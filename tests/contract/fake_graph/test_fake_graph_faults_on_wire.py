"""Faults of the connection itself, as a plain HTTP client sees them."""

import json
import time

import httpx
import pytest

from fixtures.graph import (
    FakeGraph,
    fault_named,
    in_process,
    small_world,
)
from tests.contract.fake_graph.fault_requests import create, made_count


@pytest.mark.parametrize("commit", [True, False])
async def test_a_connection_lost_says_nothing_of_the_commit(
    graph: FakeGraph, client: httpx.AsyncClient, *, commit: bool
) -> None:
    graph.faults.add(fault_named("connection_lost", commit=commit))

    with pytest.raises(httpx.RemoteProtocolError):
        await create(client)
    assert made_count(graph) == int(commit)


async def test_a_hang_ends_as_a_timeout(graph: FakeGraph, client: httpx.AsyncClient) -> None:
    graph.faults.add("hang:seconds=0.001,commit=true")

    with pytest.raises(httpx.ReadTimeout):
        await create(client)
    assert made_count(graph) == 1


async def test_a_trickle_takes_a_wait_for_every_byte(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    graph.faults.add("trickle:seconds=0.001")
    begun = time.monotonic()

    reply = await create(client)

    assert time.monotonic() - begun > 0.001 * len(reply.content)
    assert reply.json()["id"]


async def test_a_truncated_body_breaks_off_with_the_connection(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    graph.faults.add("truncated_body")

    with pytest.raises(httpx.RemoteProtocolError, match="complete message body"):
        await create(client)
    assert [each.replied for each in graph.world.created_by("fake-token")] == [False]


async def test_cut_json_is_a_whole_reply_that_cannot_be_read(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    graph.faults.add("cut_json")

    reply = await create(client)

    assert reply.status_code == 200
    with pytest.raises(json.JSONDecodeError):
        reply.json()


async def test_an_html_page_answers_for_the_api(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    graph.faults.add("html_page:status=504,commit=true")

    reply = await create(client)

    assert (reply.status_code, reply.text.startswith("<!DOCTYPE html>")) == (504, True)
    assert made_count(graph) == 1


async def test_a_redirect_points_elsewhere(graph: FakeGraph, client: httpx.AsyncClient) -> None:
    graph.faults.add("redirected")

    reply = await create(client)

    assert (reply.status_code, reply.headers["location"]) == (307, "https://graph.example.org/")
    assert made_count(graph) == 0


async def test_a_delay_lies_before_or_after_the_commit(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    waited_with: list[int] = []

    async def sleep(_: float) -> None:
        waited_with.append(made_count(slow))

    slow = FakeGraph(small_world(), sleep=sleep)
    slow.faults.add("delay:seconds=5,count=1")
    slow.faults.add("delay:seconds=5,nth=2,after_commit=true")
    async with in_process(slow) as slow_client:
        for _ in range(2):
            await create(slow_client)

    assert waited_with == [0, 2]


async def test_an_error_may_quote_the_callers_secrets(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    graph.faults.add("secrets_quoted")

    reply = await create(client, appsecret_proof="0123")

    assert reply.status_code == 500
    assert "fake-token" in reply.json()["error"]["message"]
    assert "appsecret_proof=0123" in reply.json()["error"]["message"]
