"""Creates of which it is proven that no byte left us, and those of which it is not."""

import asyncio
import gc
import socket
import ssl
from datetime import timedelta
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from adapters.graph.client import READS_AT_ONCE, GraphClient
from adapters.graph.sending import Progress
from adapters.graph.tokens import Tokens
from adapters.graph.transport import IN_FLIGHT_PER_CLIENT
from reconciler.call_outcome import Again, CreateRequest
from reconciler.model import Kind, Outcome
from tests.integration.test_graph_network import (
    CREATE,
    LATER,
    SOON,
    Server,
    hanging,
    opened,
)


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


async def never_sent(url: str, within: timedelta = LATER) -> None:
    async with opened(url) as graph:
        answer = await graph.create(CREATE, within=within)

    assert (answer.outcome, answer.again) == (Outcome.NOT_SENT, Again.NOW), answer
    assert answer.error is not None
    assert answer.error.row == "N01"


async def test_a_refused_connection_sent_nothing() -> None:
    """N01."""
    await never_sent(f"http://127.0.0.1:{free_port()}")


async def test_a_name_that_does_not_resolve_sent_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """N01."""

    async def fails(*_: object, **__: object) -> None:
        raise socket.gaierror("no such host")

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", fails)
    await never_sent("http://graph.invalid")


async def test_a_failed_tls_handshake_sent_nothing() -> None:
    """N01: the server speaks no TLS; no byte of the request has gone out."""

    async def plain(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(plain, "127.0.0.1", 0)
    async with server:
        await never_sent(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}")


@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
async def test_a_tls_handshake_that_hangs_sent_nothing() -> None:
    """N01. On a busy machine our deadline may come first; then httpcore leaves its socket open."""
    release = asyncio.Event()

    async def silent(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await release.wait()
        writer.close()

    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    async with server:
        await never_sent(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}", SOON)
        release.set()
    gc.collect()


async def test_a_deadline_while_waiting_for_a_slot_sent_nothing() -> None:
    """N01: all slots are taken by calls that hang."""
    async with (
        Server(hanging).running() as server,
        opened(server.url, concurrency=1) as graph,
    ):
        slots = 1 + READS_AT_ONCE + (-1 - READS_AT_ONCE) % IN_FLIGHT_PER_CLIENT
        busy = [asyncio.create_task(graph.create(CREATE, within=LATER)) for _ in range(slots)]
        await server.has_seen(slots)
        answer = await graph.create(CREATE, within=timedelta(milliseconds=20))
        for task in busy:
            task.cancel()
        await asyncio.gather(*busy, return_exceptions=True)

    assert (answer.outcome, len(server.requests)) == (Outcome.NOT_SENT, slots)


@pytest.mark.parametrize(
    ("events", "has_slot", "is_proven"),
    [
        ([], False, True),
        ([], True, False),
        (["connection.connect_tcp.started"], True, True),
        (["connection.connect_tcp.complete"], True, False),
        (["connection.connect_tcp.started", "connection.start_tls.started"], True, True),
        (["http11.send_request_headers.started"], True, False),
        (["connection.connect_tcp.started", "http11.send_request_headers.started"], True, False),
        (["connection.connect_tcp.started", "http11.send_request_body.started"], True, False),
    ],
)
async def test_a_deadline_proves_that_nothing_left_only_before_the_headers(
    events: list[str], has_slot: bool, is_proven: bool
) -> None:
    """N01, by httpcore's trace: no event at all, on a connection that was open, proves nothing."""
    progress = Progress(has_slot=has_slot)
    for event in events:
        await progress.trace(event, {})

    assert progress.proves_nothing_left is is_proven


async def test_a_closed_client_sends_nothing() -> None:
    async with Server(hanging).running() as server:
        graph = GraphClient(tokens=Tokens(default=SecretStr("OURTOKEN999")), url=server.url)
        await graph.aclose()
        answer = await graph.create(CREATE, within=LATER)

    assert (answer.outcome, server.requests) == (Outcome.NOT_SENT, [])


@pytest.mark.parametrize(
    ("raised", "outcome"),
    [
        (httpx.ConnectError("x"), Outcome.NOT_SENT),
        (httpx.ConnectTimeout("x"), Outcome.NOT_SENT),
        (httpx.PoolTimeout("x"), Outcome.NOT_SENT),
        (httpx.ProxyError("x"), Outcome.NOT_SENT),
        (httpx.WriteTimeout("x"), Outcome.UNKNOWN),
        (httpx.WriteError("x"), Outcome.UNKNOWN),
        (httpx.ReadTimeout("x"), Outcome.UNKNOWN),
        (httpx.ReadError("x"), Outcome.UNKNOWN),
        (httpx.CloseError("x"), Outcome.UNKNOWN),
        (httpx.RemoteProtocolError("x"), Outcome.UNKNOWN),
        (httpx.LocalProtocolError("x"), Outcome.UNKNOWN),
        (httpx.UnsupportedProtocol("x"), Outcome.UNKNOWN),
        (httpx.DecodingError("x"), Outcome.UNKNOWN),
        (httpx.TooManyRedirects("x"), Outcome.UNKNOWN),
        (httpx.InvalidURL("x"), Outcome.UNKNOWN),
        (httpx.StreamError("x"), Outcome.UNKNOWN),
        (ssl.SSLError("x"), Outcome.UNKNOWN),
        (OSError("x"), Outcome.UNKNOWN),
        (TimeoutError("x"), Outcome.UNKNOWN),
        (RuntimeError("Event loop is closed"), Outcome.UNKNOWN),
        (AssertionError(), Outcome.UNKNOWN),
        (ExceptionGroup("x", [ValueError("y")]), Outcome.UNKNOWN),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else str(value),
)
async def test_only_what_comes_before_sending_is_not_sent(
    raised: Exception, outcome: Outcome
) -> None:
    """R007: and no exception escapes."""

    def handler(_: httpx.Request) -> httpx.Response:
        raise raised

    async with opened("http://graph.test", transport=httpx.MockTransport(handler)) as graph:
        assert (await graph.create(CREATE, within=LATER)).outcome is outcome


async def test_a_transport_that_traces_nothing_proves_nothing() -> None:
    """A deadline under it is unknown: silence is no proof that nothing was sent."""

    async def handler(_: httpx.Request) -> httpx.Response:
        await asyncio.Event().wait()
        raise AssertionError

    async with opened("http://graph.test", transport=httpx.MockTransport(handler)) as graph:
        answer = await graph.create(CREATE, within=timedelta(milliseconds=20))

    assert answer.outcome is Outcome.UNKNOWN


@pytest.mark.parametrize(
    "params", [{"name": "a\0"}, {"name": "\ud83d"}, {"name": "x", "fields": "id,name"}]
)
async def test_an_input_that_cannot_be_sent_is_rejected_without_sending(
    params: dict[str, Any],
) -> None:
    async with Server(hanging).running() as server, opened(server.url) as graph:
        request = CreateRequest(account_id="act_1", kind=Kind.AD, params=params)
        answer = await graph.create(request, within=LATER)
        doubled = CreateRequest(account_id="act_act_1", kind=Kind.AD, params={"name": "x"})
        refused = await graph.create(doubled, within=LATER)

    assert (answer.outcome, answer.again) == (Outcome.REJECTED, Again.NEVER)
    assert refused.outcome is Outcome.REJECTED
    assert server.requests == []


async def test_without_a_token_nothing_is_sent_and_the_account_wants_one() -> None:
    async with Server(hanging).running() as server:
        graph = GraphClient(tokens=Tokens(), url=server.url)
        answer = await graph.create(CREATE, within=LATER)
        await graph.aclose()

    assert (answer.outcome, answer.again) == (Outcome.NOT_SENT, Again.ACCESS)
    assert server.requests == []
