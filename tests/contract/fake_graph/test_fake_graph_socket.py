"""The fake on a real socket: connections really end, and another process can look at the truth."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from fixtures.graph import FakeGraph, SteppedClock, small_world
from fixtures.graph.socket_server import fake_process, running_fake

ADS = "/v26.0/act_1001/ads"
AD = {"name": "A", "adset_id": "2001", "creative": '{"creative_id":"3001"}', "status": "PAUSED"}
BEARER = {"authorization": "Bearer fake-token"}


@pytest.fixture
def graph() -> FakeGraph:
    return FakeGraph(small_world(SteppedClock()))


@pytest.fixture
def client(graph: FakeGraph) -> Iterator[httpx.Client]:
    with (
        running_fake(graph) as url,
        httpx.Client(base_url=url, headers=BEARER, timeout=5) as client,
    ):
        yield client


def test_a_create_over_a_socket_is_answered_and_known_to_be(
    graph: FakeGraph, client: httpx.Client
) -> None:
    reply = client.post(ADS, data=AD)
    client.get("/_fake/requests")  # the server noted the first reply before it reads a second

    (creation,) = graph.world.created_by("fake-token")
    assert (reply.json(), creation.replied) == ({"id": creation.id}, True)
    assert reply.headers.get_list("date") == ["Tue, 10 Mar 2026 12:00:04 GMT"]
    assert "server" not in reply.headers


def test_a_create_whose_sender_died_before_all_of_it_was_sent_makes_nothing(
    graph: FakeGraph, client: httpx.Client
) -> None:
    """A killed process leaves a head without a body: half a request is none."""
    head = f"POST {ADS} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer fake-token\r\n"
    with socket.create_connection((client.base_url.host, client.base_url.port or 0), 5) as plug:
        plug.sendall(f"{head}content-length: 100\r\n\r\nname=A".encode())
        plug.shutdown(socket.SHUT_WR)
        assert plug.recv(1) == b""  # the server has dealt with it

    assert client.get("/_fake/requests").json() == []
    assert graph.world.created_by("fake-token") == []


@pytest.mark.parametrize(
    ("fault", "error", "text"),
    [
        ("reply_lost_after_commit", httpx.RemoteProtocolError, "without sending a response"),
        ("reply_lost_after_commit:reset=true", httpx.ReadError, "reset"),
        ("truncated_body:keep=5", httpx.RemoteProtocolError, "received 5 bytes"),
        ("hang:commit=true", httpx.ReadTimeout, "timed out"),
        ("trickle:seconds=0.3", httpx.ReadTimeout, "timed out"),
    ],
)
def test_a_lost_reply_is_a_transport_error_and_the_entity_is_there(
    graph: FakeGraph, client: httpx.Client, fault: str, error: type[Exception], text: str
) -> None:
    graph.faults.add(fault)

    with pytest.raises(error, match=text):
        client.post(ADS, data=AD, timeout=0.1)
    assert [each.replied for each in graph.world.created_by("fake-token")] == [False]


def test_a_trickle_outlives_every_read_timeout(graph: FakeGraph, client: httpx.Client) -> None:
    graph.faults.add("trickle:seconds=0.005")

    assert client.post(ADS, data=AD, timeout=0.1).json()["id"]


def test_the_connection_serves_on_after_a_fault(graph: FakeGraph, client: httpx.Client) -> None:
    graph.faults.add("html_200")

    assert client.post(ADS, data=AD).text == "Service Unavailable"
    assert client.post(ADS, data=AD).json()["id"]


def test_a_process_of_its_own_keeps_a_log_that_survives_it(tmp_path: Path) -> None:
    log = tmp_path / "creations.jsonl"
    flags = ["--log", str(log), "--token", "T", "--fault", "reply_lost_after_commit:nth=2"]
    flags += ["--place", "act_1001/adset:2002:1501:Second / set", "--seed", "1"]
    with (
        fake_process(*flags) as url,
        httpx.Client(base_url=url, headers={"authorization": "Bearer T"}, timeout=5) as client,
    ):
        assert client.post(ADS, data=AD | {"adset_id": "2002"}).json()["id"]
        with pytest.raises(httpx.RemoteProtocolError):
            client.post(ADS, data=AD)
        told = client.get("/_fake/world").json()["log"]

    kept = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert [each["id"] for each in kept] == [each["id"] for each in told]
    assert [each["replied"] for each in told if each["actor"] == "T"] == [True, False]
