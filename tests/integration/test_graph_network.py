"""The client on real sockets: broken connections, slow servers, cancelled calls."""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import SecretStr

from adapters.graph.client import GraphClient
from adapters.graph.tokens import Tokens
from reconciler.call_outcome import Again, Answer, CreateRequest
from reconciler.listing import Statuses, Walk, WalkRequest
from reconciler.model import Container, ContainerKind, Kind, Outcome

CREATE = CreateRequest(account_id="act_1001", kind=Kind.ADSET, params={"name": "Spring"})
REQUEST = WalkRequest(
    account_id="act_1001",
    container=Container(kind=ContainerKind.ACCOUNT, id="act_1001"),
    kind=Kind.ADSET,
    statuses=Statuses.NO_FILTER,
)
SOON = timedelta(milliseconds=400)
LATER = timedelta(seconds=10)
CREATED = b'{"id":"120200000000000777"}'

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Behaviour = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Server:
    """A raw server: reads one request after another and lets `behave` answer on the bare stream."""

    def __init__(self, behave: Behaviour) -> None:
        self.behave = behave
        self.requests: list[bytes] = []
        self.connections = 0
        self.url = ""
        self._tasks: set[asyncio.Task[None]] = set()
        self._seen = asyncio.Semaphore(0)

    async def has_seen(self, count: int) -> None:
        """Wait until this many requests have come whole."""
        for _ in range(count):
            await self._seen.acquire()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        try:
            while not writer.is_closing():
                self.requests.append(await read_request(reader))
                self._seen.release()
                await self.behave(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()
            self._tasks.discard(task)

    @asynccontextmanager
    async def running(self, tls: ssl.SSLContext | None = None) -> AsyncIterator["Server"]:
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0, ssl=tls)
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        try:
            yield self
        finally:
            server.close()
            for task in list(self._tasks):
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            await server.wait_closed()


async def read_request(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    lines = head.lower().split(b"\r\n")
    length = next((int(line[15:]) for line in lines if line.startswith(b"content-length:")), 0)
    return head + await reader.readexactly(length)


def reply(body: bytes, status: str = "200 OK", *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


def answering(*chunks: bytes, close: bool = False) -> Behaviour:
    async def behave(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for chunk in chunks:
            writer.write(chunk)
            await writer.drain()
        if close:
            writer.close()

    return behave


async def hanging(_: asyncio.StreamReader, __: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()


@asynccontextmanager
async def opened(url: str, **settings: Any) -> AsyncIterator[GraphClient]:
    graph = GraphClient(tokens=Tokens(default=SecretStr("OURTOKEN999")), url=url, **settings)
    _ = graph._lanes._ssl_context  # built now: a short deadline is for the network alone
    try:
        yield graph
    finally:
        await graph.aclose()


async def created_by(behave: Behaviour, within: timedelta = LATER) -> tuple[Answer, Server]:
    async with Server(behave).running() as server, opened(server.url) as graph:
        return await graph.create(CREATE, within=within), server


async def now() -> datetime:
    return datetime.now(UTC)


async def walked(graph: GraphClient) -> Walk:
    return await graph.walk(REQUEST, lambda row: True, now)


async def resetting(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    sock = writer.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    writer.transport.abort()


async def trickling(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 27\r\n\r\n")
    for byte in CREATED:
        await asyncio.sleep(0.04)
        writer.write(bytes([byte]))
        await writer.drain()


# --- one create, one POST, whatever comes ---------------------------------------------------------


async def test_a_create_is_one_plain_form_post() -> None:
    answer, server = await created_by(answering(reply(CREATED)))

    assert answer == Answer(outcome=Outcome.CREATED, external_id="120200000000000777")
    head, _, body = server.requests[0].partition(b"\r\n\r\n")
    assert head.startswith(b"POST /v26.0/act_1001/adsets HTTP/1.1\r\n")
    assert b"\r\nauthorization: bearer ourtoken999" in head.lower()
    assert body == b"name=Spring"


@pytest.mark.parametrize(
    ("case", "behave"),
    [
        ("R005: stored, answered too late", hanging),
        ("R006: closed with no byte sent", answering(close=True)),
        ("R006: reset", resetting),
        ("R008: a byte at a time", trickling),
        ("cut inside the headers", answering(b"HTTP/1.1 200 OK\r\nContent-", close=True)),
        ("cut inside the body", answering(reply(CREATED)[:-4], close=True)),
        ("cut chunked body", answering(CHUNKED := b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked"
                                       b"\r\n\r\n1b\r\n" + CREATED, close=True)),
        ("no HTTP", answering(b"SSH-2.0-OpenSSH\r\n", close=True)),
        ("not gzip", answering(reply(CREATED, "200 OK", "Content-Encoding: gzip"))),
        ("empty 200", answering(reply(b""))),
        ("HTML 200", answering(reply(b"<html>Service Unavailable</html>"))),
        ("502", answering(reply(b"<html>", "502 Bad Gateway"))),
        ("redirect", answering(reply(b"", "307 Temporary Redirect", "Location: /elsewhere"))),
        ("a megabyte", answering(reply(b" " * (2**20 + 1) + CREATED))),
        ("an odd charset", answering(reply(b"\xff\xfe{", "200 OK", "Content-Type: x; charset=x"))),
    ],
)  # fmt: skip
async def test_an_unanswered_create_is_unknown_and_was_sent_once(
    case: str, behave: Behaviour
) -> None:
    """R005, R006, R007, R008."""
    started = asyncio.get_running_loop().time()
    answer, server = await created_by(behave, SOON if "R00" in case else LATER)

    assert (answer.outcome, answer.again) == (Outcome.UNKNOWN, Again.BACKOFF), case
    assert len(server.requests) == 1, case
    assert asyncio.get_running_loop().time() - started < LATER.total_seconds(), case
    assert answer.error is not None
    assert "OURTOKEN999" not in repr(answer)


async def test_a_connection_closed_while_it_was_idle_costs_no_second_post() -> None:
    """The far side closes after its answer: the next create finds out while writing or reading."""
    replies = iter([answering(reply(CREATED)), answering(close=True)])

    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await next(replies)(reader, writer)

    async with Server(behave).running() as server, opened(server.url) as graph:
        first = await graph.create(CREATE, within=LATER)
        second = await graph.create(CREATE, within=LATER)

    assert (first.outcome, second.outcome) == (Outcome.CREATED, Outcome.UNKNOWN)
    assert len(server.requests) == 2
    assert server.connections == 1


async def test_of_many_creates_the_slow_ones_are_unknown_and_the_rest_created() -> None:
    """R009: 20 at once, three of them answered after the deadline, 20 POSTs."""
    count = 0

    async def behave(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal count
        count += 1
        if count in (3, 9, 17):
            await asyncio.Event().wait()
        writer.write(reply(CREATED))

    async with Server(behave).running() as server, opened(server.url, concurrency=20) as graph:
        each = [graph.create(CREATE, within=timedelta(seconds=1)) for _ in range(20)]
        outcomes = [answer.outcome for answer in await asyncio.gather(*each)]

    assert outcomes.count(Outcome.CREATED) == 17
    assert outcomes.count(Outcome.UNKNOWN) == 3
    assert len(server.requests) == 20


async def test_a_cancelled_create_raises_at_once() -> None:
    async with Server(hanging).running() as server, opened(server.url) as graph:
        task = asyncio.create_task(graph.create(CREATE, within=LATER))
        await server.has_seen(1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
