"""Own certificate authorities and proxies, by the usual variables, on real sockets."""

from __future__ import annotations

import asyncio
import base64
import logging
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from pydantic import SecretStr

from adapters.graph.client import GraphClient
from adapters.graph.redaction import Redaction
from adapters.graph.tokens import Tokens
from fixtures.own_authority import OwnAuthority
from reconciler.call_outcome import Answer
from reconciler.model import Outcome
from tests.integration.test_graph_network import (
    CREATE,
    CREATED,
    LATER,
    SOON,
    Server,
    answering,
    hanging,
    opened,
    read_request,
    reply,
)

HERE = "127.0.0.1"
PASSWORD = "pr0xyCANARYpassword"
VARIABLES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "ssl_cert_file", "ssl_cert_dir")


@pytest.fixture(scope="module")
def authority() -> OwnAuthority:
    return OwnAuthority()


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def tls(pem: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    return context


class Proxy:
    """A proxy that tunnels every CONNECT to `to`, whatever was asked for, or answers `refusal`."""

    def __init__(self, to: str, refusal: bytes | None = None) -> None:
        self.host, port = to.rpartition("/")[2].split(":")
        self.port = int(port)
        self.refusal = refusal
        self.heads: list[bytes] = []
        self.url = ""
        self._tasks: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[Proxy]:
        server = await asyncio.start_server(self._connected, HERE, 0)
        self.url = f"http://{HERE}:{server.sockets[0].getsockname()[1]}"
        try:
            yield self
        finally:
            server.close()
            for task in list(self._tasks):
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            await server.wait_closed()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            await self._serve(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()
            self._tasks.discard(task)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await read_request(reader)
        self.heads.append(request)
        if self.refusal is not None:
            writer.write(self.refusal)
            await writer.drain()
            return
        far_reader, far_writer = await asyncio.open_connection(self.host, self.port)
        if request.startswith(b"CONNECT"):
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        else:
            far_writer.write(request)
        try:
            await asyncio.gather(_pump(reader, far_writer), _pump(far_reader, writer))
        finally:
            far_writer.close()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while chunk := await reader.read(65_536):
        writer.write(chunk)
        await writer.drain()
    writer.close()


async def created(url: str) -> Answer:
    async with opened(url) as graph:
        return await graph.create(CREATE, within=LATER)


def made(answer: Answer) -> bool:
    return answer.outcome is Outcome.CREATED


def never_left(answer: Answer) -> bool:
    assert answer.error is not None
    return (answer.outcome, answer.error.row) == (Outcome.NOT_SENT, "N01")


OK = answering(reply(CREATED))


# --- own certificate authorities ------------------------------------------------------------------


async def test_a_server_of_an_own_authority_is_trusted_where_a_file_or_a_folder_names_it(
    authority: OwnAuthority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trusted, folder = tmp_path / "ca.pem", tmp_path / "trusted"
    folder.mkdir()
    trusted.write_text(authority.certificate)
    authority.put_into(folder)
    async with Server(OK).running(tls(authority.certificate_for(HERE, tmp_path))) as server:
        stranger = await created(server.url)
        monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
        by_file = await created(server.url)
        monkeypatch.delenv("SSL_CERT_FILE")
        monkeypatch.setenv("SSL_CERT_DIR", str(folder))
        by_folder = await created(server.url)

    assert never_left(stranger)
    assert "CERTIFICATE_VERIFY_FAILED" in str(stranger.error)
    assert made(by_file)
    assert made(by_folder)
    assert len(server.requests) == 2


@pytest.mark.parametrize(("host", "days"), [("graph.test", 30), (HERE, -1)])
async def test_a_certificate_of_another_host_or_an_old_one_is_refused_before_anything_leaves(
    authority: OwnAuthority,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    host: str,
    days: int,
) -> None:
    trusted = tmp_path / "ca.pem"
    trusted.write_text(authority.certificate)
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
    context = tls(authority.certificate_for(host, tmp_path, days=days))
    async with Server(OK).running(context) as server:
        answer = await created(server.url)

    assert never_left(answer)
    assert server.requests == []


async def test_a_certificate_file_that_is_not_there_is_named_and_nothing_is_sent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/ca.pem")

    graph = GraphClient(tokens=Tokens(default=SecretStr("OURTOKEN999")), url="https://127.0.0.1:1")
    answer = await graph.create(CREATE, within=LATER)
    await graph.aclose()

    assert never_left(answer)
    assert "SSL_CERT_FILE" in str(answer.error)


# --- proxies --------------------------------------------------------------------------------------


@pytest.fixture
def trusting(
    authority: OwnAuthority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> ssl.SSLContext:
    """What graph.test shows; its authority is trusted."""
    trusted = tmp_path / "ca.pem"
    trusted.write_text(authority.certificate)
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
    return tls(authority.certificate_for("graph.test", tmp_path))


@pytest.mark.parametrize("variable", ["HTTPS_PROXY", "https_proxy", "ALL_PROXY"])
async def test_a_create_goes_through_the_proxy_which_sees_no_token(
    trusting: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    """The proxy resolves the name; the tunnel is checked against the host that was meant."""
    async with (
        Server(OK).running(trusting) as server,
        Proxy(server.url).running() as proxy,
    ):
        monkeypatch.setenv(variable, proxy.url)
        answer = await created("https://graph.test")

    assert made(answer)
    (head,) = proxy.heads
    assert head.startswith(b"CONNECT graph.test:443 ")
    assert b"OURTOKEN999" not in head
    assert b"OURTOKEN999" in server.requests[0]


async def test_no_proxy_is_honoured(
    authority: OwnAuthority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trusted = tmp_path / "ca.pem"
    trusted.write_text(authority.certificate)
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
    context = tls(authority.certificate_for(HERE, tmp_path))
    async with Server(OK).running(context) as server, Proxy(server.url).running() as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        monkeypatch.setenv("NO_PROXY", "graph.invalid,127.0.0.1")
        answer = await created(server.url)

    assert made(answer)
    assert proxy.heads == []


async def test_a_proxy_that_is_down_sent_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:1")

    assert never_left(await created("https://graph.test"))


@pytest.mark.parametrize("status", ["407 Proxy Authentication Required", "403 No", "502 Bad"])
async def test_a_proxy_that_refuses_the_tunnel_sent_nothing(
    monkeypatch: pytest.MonkeyPatch, status: str
) -> None:
    """N01: the create itself could not leave; only CONNECT did."""
    async with Proxy("x:1", reply(b"", status)).running() as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        answer = await created("https://graph.test")

    assert never_left(answer)
    assert status[:3] in str(answer.error)


async def test_a_stranger_behind_the_tunnel_sent_nothing(
    authority: OwnAuthority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """N01: a proxy that looks into the traffic shows a certificate of its own."""
    context = tls(authority.certificate_for("graph.test", tmp_path))
    async with Server(OK).running(context) as server, Proxy(server.url).running() as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        answer = await created("https://graph.test")

    assert never_left(answer)
    assert (len(proxy.heads), server.requests) == (1, [])


async def test_a_proxy_that_never_answers_sent_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """N01: the deadline comes while the tunnel is asked for."""
    async with Server(hanging).running() as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        async with opened("https://graph.test") as graph:
            answer = await graph.create(CREATE, within=SOON)

    assert never_left(answer)
    assert proxy.requests[0].startswith(b"CONNECT ")


async def test_a_proxy_that_hangs_up_within_the_tunnel_leaves_it_unknown(
    trusting: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    """N02: behind the tunnel it is a create as any other."""
    async with (
        Server(answering(b"HTTP/1.1 200 OK\r\n", close=True)).running(trusting) as server,
        Proxy(server.url).running() as proxy,
    ):
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        answer = await created("https://graph.test")

    assert answer.outcome is Outcome.UNKNOWN
    assert len(server.requests) == 1


async def test_plain_http_goes_through_a_proxy_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Server(OK).running() as server, Proxy(server.url).running() as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        answer = await created("http://graph.test")

    assert made(answer)
    assert proxy.heads[0].startswith(b"POST http://graph.test/v26.0/act_1001/adsets ")


async def test_the_password_of_a_proxy_is_sent_to_it_and_told_to_nobody(
    trusting: ssl.SSLContext,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """R096: neither as it is written nor as the header has it."""
    encoded = base64.b64encode(f"us:{PASSWORD}".encode())
    settings: Mapping[str, object] = {"redaction": Redaction()}
    async with Server(OK).running(trusting) as server, Proxy(server.url).running() as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url.replace("//", f"//us:{PASSWORD}@"))
        with caplog.at_level(logging.DEBUG):
            async with opened("https://graph.test", **settings) as graph:
                answer = await graph.create(CREATE, within=LATER)
        proxy.refusal = reply(b"", "407 Proxy Authentication Required")
        with caplog.at_level(logging.DEBUG):
            refused = await created("https://graph.test")

    assert made(answer)
    assert encoded in proxy.heads[0]
    told = caplog.text + str(answer) + str(refused)
    assert PASSWORD not in told
    assert encoded.decode() not in told
