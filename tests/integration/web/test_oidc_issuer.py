"""How an issuer is asked for its keys: at one address, over TLS, within bounds, no redirects."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Final

import httpx
import pytest

from adapters.settings import load_settings
from adapters.web.keys import system_now
from adapters.web.oidc.issuer import BYTES_MAX, WELL_KNOWN, Issuer
from adapters.web.oidc.issuer_keys import IssuerUnavailable
from adapters.web.serving import serve
from reconciler.errors import InvalidSettings
from tests.databases import new_file
from tests.integration.web.keyed import bearing
from tests.integration.web.token_issuer import AUDIENCE, JWKS, URL, TokenIssuer, rsa_key
from tests.postgres import GRAPH_URL

Answers = dict[str, httpx.Response]
ITSELF: Final = {"issuer": URL, "jwks_uri": JWKS}
KEYS: Final = {"keys": [{"kid": "one"}]}


def asked(answers: Answers, jwks_url: str | None = None) -> tuple[Any, list[str]]:
    """The keys or why there are none, and every address that was asked for."""
    seen: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(str(request.url))
        return answers[str(request.url)]

    async def asking() -> Any:
        try:
            return await Issuer(URL, jwks_url, httpx.MockTransport(answer)).keys()
        except IssuerUnavailable as error:
            return error

    return asyncio.run(asking()), seen


def of_itself(**changed: Any) -> Answers:
    return {URL + WELL_KNOWN: httpx.Response(200, json=ITSELF | changed)}


def test_it_says_where_its_keys_are() -> None:
    keys, seen = asked(of_itself() | {JWKS: httpx.Response(200, json=KEYS)})

    assert keys == KEYS["keys"]
    assert seen == [URL + WELL_KNOWN, JWKS]


def test_keys_at_another_host_are_read_only_where_the_settings_name_it() -> None:
    elsewhere = "https://keys.example/certs"
    answers = of_itself(jwks_uri=elsewhere) | {elsewhere: httpx.Response(200, json=KEYS)}

    assert asked(answers, elsewhere) == (KEYS["keys"], [elsewhere])
    refused, seen = asked(answers)
    assert "RECONCILER_OIDC_JWKS_URL" in str(refused)
    assert seen == [URL + WELL_KNOWN]


ODD: dict[str, Answers] = {
    "another name": of_itself(issuer="https://issuer.example"),
    "no place": of_itself(jwks_uri=None),
    "a place in the clear": of_itself(jwks_uri="http://issuer.example/keys"),
    "another port": of_itself(jwks_uri="https://issuer.example:8443/keys"),
    "a name before the host": of_itself(jwks_uri="https://issuer.example@evil.example/keys"),
    "a file": of_itself(jwks_uri="file:///etc/passwd"),
    "a place that is none": of_itself(jwks_uri="https://[x"),
    "a redirect": {
        URL + WELL_KNOWN: httpx.Response(302, headers={"Location": "https://evil.example"})
    },
    "a redirect of the keys": of_itself()
    | {JWKS: httpx.Response(307, headers={"Location": "https://evil.example/keys"})},
    "a fault": of_itself() | {JWKS: httpx.Response(500, json=KEYS)},
    "no JSON": of_itself() | {JWKS: httpx.Response(200, text="<html>")},
    "a list": of_itself() | {JWKS: httpx.Response(200, json=[])},
    "depths": of_itself() | {JWKS: httpx.Response(200, text="[" * 100_000)},
    "no list of keys": of_itself() | {JWKS: httpx.Response(200, json={"keys": {}})},
    "too much": of_itself() | {JWKS: httpx.Response(200, json={**KEYS, "x": " " * BYTES_MAX})},
}


@pytest.mark.parametrize("odd", ODD)
def test_an_odd_answer_is_no_answer_and_leads_nowhere_else(odd: str) -> None:
    answer, seen = asked(ODD[odd])

    assert isinstance(answer, IssuerUnavailable)
    assert set(seen) <= {URL + WELL_KNOWN, JWKS}


@pytest.mark.parametrize("error", [httpx.ConnectError, httpx.ReadTimeout, httpx.ReadError])
async def test_an_issuer_that_cannot_be_reached_is_unavailable(
    error: type[httpx.TransportError],
) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        raise error("x", request=request)

    with pytest.raises(IssuerUnavailable, match=error.__name__):
        await Issuer(URL, transport=httpx.MockTransport(answer)).keys()


@pytest.mark.parametrize(
    "given",
    [
        {"oidc_issuer": URL},  # and for whom?
        {"oidc_issuer": "http://issuer.example", "oidc_audience": "x"},
        {"oidc_issuer": "issuer.example", "oidc_audience": "x"},
        {"oidc_issuer": "https://u:p@issuer.example", "oidc_audience": "x"},
        {"oidc_issuer": f"{URL}?a=1", "oidc_audience": "x"},
        {"oidc_issuer": URL, "oidc_audience": ""},
        {"oidc_issuer": URL, "oidc_audience": "x", "oidc_jwks_url": "http://keys.example"},
        {"oidc_scopes": "{"},
        {"oidc_scopes": "[]"},
        {"oidc_scopes": '{"a": 1}'},
    ],
)
def test_settings_that_would_trust_the_wrong_one_are_refused(given: dict[str, str]) -> None:
    with pytest.raises(InvalidSettings, match="OIDC"):
        load_settings(**given)


def test_the_words_of_scopes_are_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECONCILER_OIDC_SCOPES", '{"CN=ads team,OU=x": "publish"}')

    assert load_settings().oidc_scopes == {"CN=ads team,OU=x": "publish"}


class OnLoopback(BaseHTTPRequestHandler):
    """An issuer in a thread; its server knows the issuer as `issuer`."""

    def do_GET(self) -> None:
        issuer: TokenIssuer = self.server.issuer  # type: ignore[attr-defined]
        itself = {"issuer": issuer.url, "jwks_uri": f"{issuer.url}/keys"}
        body = json.dumps(issuer.jwks() if self.path == "/keys" else itself).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Nothing."""


@pytest.fixture
def on_loopback() -> Iterator[TokenIssuer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), OnLoopback)
    issuer = TokenIssuer(url=f"http://127.0.0.1:{server.server_port}")
    server.issuer = issuer  # type: ignore[attr-defined]
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield issuer
    server.shutdown()
    server.server_close()
    thread.join()


async def test_a_running_service_lets_in_by_a_real_issuers_tokens(
    on_loopback: TokenIssuer, tmp_path: Path
) -> None:
    settings = load_settings(
        database_url=new_file(tmp_path),
        graph_url=GRAPH_URL,
        graph_token="none",
        oidc_issuer=on_loopback.url,
        oidc_audience=AUDIENCE,
    )
    token = on_loopback.token(system_now())
    forged = on_loopback.token(system_now(), key=rsa_key(2))

    async def asking(client: httpx.AsyncClient) -> list[int]:
        return [
            (await client.get("/v1/documents", headers=headers)).status_code
            for headers in ({}, bearing(token), bearing(forged))
        ]

    assert await served(settings, asking) == [401, 200, 401]


async def served(settings: Any, asking: Callable[[httpx.AsyncClient], Awaitable[Any]]) -> Any:
    """What came of asking a service on a port of its own."""
    stop = asyncio.Event()

    async def stopped() -> None:
        await stop.wait()

    address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    service = asyncio.create_task(
        serve(settings, host="127.0.0.1", port=0, stopped=stopped, tell=address.set_result)
    )
    try:
        async with httpx.AsyncClient(base_url=await address) as client:
            return await asking(client)
    finally:
        stop.set()
        await service
