"""The clients' pool, deadlines of listings, and what the HTTP libraries log, on real sockets."""

import asyncio
import io
import logging
from datetime import timedelta

import httpx
import pytest
from pydantic import SecretStr

from adapters.graph import client, transport
from adapters.graph.transport import Lanes
from reconciler.call_outcome import Again
from reconciler.listing import IncompleteListing, Listing
from reconciler.model import Outcome, Reason
from tests.integration.test_graph_network import (
    CREATE,
    CREATED,
    LATER,
    SOON,
    Server,
    answering,
    hanging,
    opened,
    reply,
    walked,
)

# --- the pool -------------------------------------------------------------------------------------


async def test_cancelled_listings_take_no_places_for_good(monkeypatch: pytest.MonkeyPatch) -> None:
    """R098: two places, five listings cancelled while they connect, then a normal one."""
    monkeypatch.setattr(transport, "IN_FLIGHT_PER_CLIENT", 2)
    async with (
        Server(answering(reply(b'{"data":[]}'))).running() as server,
        opened(server.url, concurrency=1) as graph,
    ):
        for hops in range(12):
            tasks = [asyncio.create_task(walked(graph)) for _ in range(5)]
            for _ in range(hops):
                await asyncio.sleep(0)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

        assert isinstance(await walked(graph), Listing)


@pytest.mark.parametrize("when", ["in flight", "waiting for a slot"])
async def test_cancelled_creates_take_no_places_for_good(
    monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    """R098: three times as many as there are slots, all cut; the next create goes out at once."""
    monkeypatch.setattr(client, "READS_AT_ONCE", 1)
    slow = Server(hanging)
    async with slow.running(), opened(slow.url, concurrency=1) as graph:
        tasks = [asyncio.create_task(graph.create(CREATE, within=LATER)) for _ in range(12)]
        await slow.has_seen(4)
        cut = tasks if when == "in flight" else tasks[4:]
        for task in cut:
            task.cancel()
        await asyncio.gather(*cut, return_exceptions=True)
        slow.behave = answering(reply(CREATED))
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

        answer = await graph.create(CREATE, within=LATER)

    assert answer.outcome is Outcome.CREATED
    assert len(slow.requests) == 5


async def test_a_pool_that_lost_its_places_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """R098: its timeout is "not sent", and the next call has a new pool."""
    monkeypatch.setattr(transport, "KEEPALIVE_SECONDS", 0.01)
    async with Server(answering(reply(CREATED))).running() as server, opened(server.url) as graph:
        async with graph._lanes.lane() as lane:
            broken = lane.transport

        async def starved(*_: object, **__: object) -> httpx.Response:
            raise httpx.PoolTimeout("no place")

        closed = asyncio.Event()

        async def close() -> None:
            closed.set()

        monkeypatch.setattr(broken, "handle_async_request", starved)
        monkeypatch.setattr(broken, "aclose", close)
        first = await graph.create(CREATE, within=LATER)
        second = await graph.create(CREATE, within=LATER)

    assert (first.outcome, first.again) == (Outcome.NOT_SENT, Again.NOW)
    assert second.outcome is Outcome.CREATED
    assert closed.is_set()


async def test_no_transport_carries_more_than_four_requests() -> None:
    lanes = Lanes(3, "http://graph.test")
    seen: list[int] = []

    async def one() -> None:
        async with lanes.lane() as lane:
            await asyncio.sleep(0.001)
            seen.append(lane.busy)

    await asyncio.gather(*[one() for _ in range(40)])
    await lanes.aclose()

    assert max(seen) == 4


async def test_calls_in_a_row_share_one_connection() -> None:
    async with Server(answering(reply(CREATED))).running() as server, opened(server.url) as graph:
        for _ in range(5):
            await graph.create(CREATE, within=LATER)

    assert server.connections == 1


async def test_the_transport_neither_retries_nor_follows() -> None:
    """R005: whatever is configured, no automatic re-send of a create."""
    lanes = Lanes(1, "https://graph.test")
    async with lanes.lane() as lane:
        pool = lane.transport._pool  # type: ignore[attr-defined]
        assert (pool._retries, pool._http2, pool._keepalive_expiry) == (0, False, 5.0)
    await lanes.aclose()


# --- listings on real sockets ---------------------------------------------------------------------


async def test_a_listing_cut_by_the_deadline_of_a_page_is_incomplete() -> None:
    """R008, R027: each try has its own deadline, and there are three."""
    slept: list[timedelta] = []

    async def sleep(duration: timedelta) -> None:
        slept.append(duration)

    async with (
        Server(hanging).running() as server,
        opened(server.url, read_timeout=SOON, sleep=sleep) as graph,
    ):
        walk = await walked(graph)

    assert isinstance(walk, IncompleteListing)
    assert walk.reason is Reason.LISTING_INCOMPLETE
    assert len(server.requests) == 3
    assert len(slept) == 2
    assert max(slept) <= timedelta(seconds=0.8)


@pytest.mark.parametrize("level", [logging.INFO, logging.DEBUG])
async def test_nothing_is_logged_that_is_secret(level: int) -> None:
    """R096, R097: with the root logger at INFO and at DEBUG, also when the call fails."""
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    root = logging.getLogger()
    before = root.level
    link = b"https://h/x?access_token=TESTTOKEN123&after=c"
    pages = [
        reply(b'{"data":[{"id":"1"}],"paging":{"next":"' + link + b'"}}'),
        reply(b"{}", "302 Found", "Location: https://h/?access_token=TESTTOKEN123"),
    ]

    async def behave(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(pages.pop(0) if pages else b"")
        if not pages:
            writer.close()

    async with (
        Server(behave).running() as server,
        opened(server.url, app_secret=SecretStr("APPSECRET42"), fraction=lambda: 0.0) as graph,
    ):
        root.handlers.insert(0, handler)  # first, or another handler's filter would clean for it
        root.setLevel(level)
        try:
            walk = await walked(graph)
        finally:
            root.removeHandler(handler)
            root.setLevel(before)
        proof = httpx.URL("http://h" + server.requests[0].split()[1].decode()).params[
            "appsecret_proof"
        ]

    assert isinstance(walk, IncompleteListing)
    text = written.getvalue() + repr(walk)
    assert ("send_request_headers" in text) is (level == logging.DEBUG)
    for secret in ("TESTTOKEN123", "OURTOKEN999", "APPSECRET42", proof):
        assert secret not in text
    assert all(b"access_token" not in request for request in server.requests)
