"""A browser's session: how it begins and ends, its cookie, and what no other page does with it."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from http.cookies import Morsel, SimpleCookie
from typing import Any, Final

import httpx
import pytest
from fastapi import Request, Response

from adapters.web import KeyAccess, Scope, create_app
from adapters.web.browser_session import (
    COOKIE,
    COOKIE_ON_LOOPBACK,
    CSRF_FIELD,
    CSRF_HEADER,
    LASTING,
    BrowserAccess,
)
from adapters.web.keys import REFRESH_EVERY
from adapters.web.loopback import ServiceAccess
from adapters.web.sign_in import own_path
from fixtures.stage import Stage
from tests.crash.plans import ONE_AD
from tests.integration.web.in_process import Asking, client_of, service_on
from tests.integration.web.keyed import asked_at, bearing, key_for, ledger_of
from tests.integration.web.test_documents import DOCUMENTS, code_of
from tests.integration.web.test_keys import kept_of

OWN: Final = {"Sec-Fetch-Site": "same-origin"}
TOKEN_PATH: Final = "/the-token"


def browsing(stage: Stage, asking: Asking, *, host: str = "0.0.0.0") -> Any:
    """As `asked_at`, with a page that shows the token of whoever asks."""

    async def session() -> Any:
        service = service_on(stage)
        keys = KeyAccess(service, stage.time.now)
        access = BrowserAccess(keys, ServiceAccess(keys, host=host), stage.time.now)
        app = create_app(service, access=access)

        async def shown_token(request: Request) -> Response:
            return Response(access.token(request))

        app.add_api_route(TOKEN_PATH, shown_token, response_model=None)
        async with client_of(app, service) as client:
            return await asking(client)

    return stage.time.run(session())


async def signed_in(client: httpx.AsyncClient, key: str, **more: str) -> httpx.Response:
    return await client.post("/sign-in", data={"key": key, **more}, headers=OWN)


async def token_of(client: httpx.AsyncClient) -> str:
    return (await client.get(TOKEN_PATH)).text


def cookie_in(answer: httpx.Response) -> Morsel[str]:
    [morsel] = SimpleCookie(answer.headers["set-cookie"]).values()
    return morsel


def test_a_key_begins_a_session_that_reads_as_the_key_would(stage: Stage) -> None:
    stage.submit(ONE_AD)
    theirs = key_for(stage, Scope.READ, accounts=["act_1002"])
    key = key_for(stage, Scope.READ)

    async def asking(client: httpx.AsyncClient) -> list[Any]:
        before = await client.get(DOCUMENTS)
        begun = await signed_in(client, key, next="/documents/1?x=2")
        read, figures = await client.get(DOCUMENTS), await client.get("/metrics")
        await signed_in(client, theirs)
        return [before, begun, read, figures, await client.get(DOCUMENTS)]

    before, begun, read, figures, narrow = browsing(stage, asking)

    assert (before.status_code, begun.status_code) == (401, 303)
    assert begun.headers["location"] == "/documents/1?x=2"
    assert (read.status_code, len(read.json()["documents"])) == (200, 1)
    assert code_of(figures) == (403, "forbidden")
    assert narrow.json()["documents"] == []


@pytest.mark.parametrize(
    ("host", "name", "secure"),
    [("ads.example.org", COOKIE, True), ("localhost:8080", COOKIE_ON_LOOPBACK, False),
     ("127.0.0.1:8080", COOKIE_ON_LOOPBACK, False), ("[::1]:8080", COOKIE_ON_LOOPBACK, False)],
)  # fmt: skip
def test_the_cookie_is_not_the_key_and_goes_nowhere_else(
    stage: Stage, host: str, name: str, secure: bool
) -> None:
    key = key_for(stage, Scope.READ)

    async def asking(client: httpx.AsyncClient) -> httpx.Response:
        return await client.post("/sign-in", data={"key": key}, headers={**OWN, "Host": host})

    cookie = cookie_in(browsing(stage, asking))

    assert cookie.key == name
    assert bool(cookie["secure"]) is secure
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "strict", "/")
    assert cookie["domain"] == ""
    assert int(cookie["max-age"]) == LASTING.total_seconds()
    assert len(cookie.value) >= 43
    assert not any(part in cookie.value for part in key.split("_", 2)[1:])


@pytest.mark.parametrize("key", ["", "x", "rk_0_0", " "])
def test_a_wrong_key_begins_no_session(stage: Stage, key: str) -> None:
    key_for(stage, Scope.READ)

    async def asking(client: httpx.AsyncClient) -> list[httpx.Response]:
        return [await signed_in(client, key, next="/documents"), await client.get(DOCUMENTS)]

    answer, after = browsing(stage, asking)

    assert answer.headers["location"] == "/sign-in?refused=unauthenticated&next=%2Fdocuments"
    assert "set-cookie" not in answer.headers
    assert after.status_code == 401


def test_guessing_at_the_form_is_slowed_as_at_the_api(stage: Stage) -> None:
    key_for(stage, Scope.READ)

    async def asking(client: httpx.AsyncClient) -> list[str]:
        answers = [await signed_in(client, f"rk_{number}_x") for number in range(40)]
        return [answer.headers["location"] for answer in answers]

    assert any("too_many_requests" in place for place in browsing(stage, asking))


def test_a_session_ends_by_itself_with_its_key_and_by_signing_out(stage: Stage) -> None:
    key = key_for(stage, Scope.READ)
    key_id = kept_of(stage).id

    async def by_itself(client: httpx.AsyncClient) -> list[int]:
        cookie = cookie_in(await signed_in(client, key))
        sent = {"Cookie": f"{cookie.key}={cookie.value}"}
        before = await client.get(DOCUMENTS, headers=sent)
        await asyncio.sleep(LASTING.total_seconds())
        return [before.status_code, (await client.get(DOCUMENTS, headers=sent)).status_code]

    async def by_signing_out(client: httpx.AsyncClient) -> list[int]:
        cookie = cookie_in(await signed_in(client, key))
        form = {CSRF_FIELD: await token_of(client)}
        out = await client.post("/sign-out", data=form, headers=OWN)
        sent = {"Cookie": f"{cookie.key}={cookie.value}"}
        return [out.status_code, (await client.get(DOCUMENTS, headers=sent)).status_code]

    async def with_its_key(client: httpx.AsyncClient) -> list[int]:
        await signed_in(client, key)
        before = await client.get(DOCUMENTS)
        await ledger_of(stage).revoke_key(key_id)
        await asyncio.sleep(REFRESH_EVERY.total_seconds())
        return [before.status_code, (await client.get(DOCUMENTS)).status_code]

    assert browsing(stage, by_itself) == [200, 401]
    assert browsing(stage, by_signing_out) == [303, 401]
    assert browsing(stage, with_its_key) == [200, 401]


def test_a_session_does_not_outlast_its_key(stage: Stage) -> None:
    key = key_for(stage, Scope.READ, lasting=timedelta(minutes=5))

    async def asking(client: httpx.AsyncClient) -> httpx.Response:
        return await signed_in(client, key)

    assert int(cookie_in(browsing(stage, asking))["max-age"]) <= 300


def test_signing_in_again_ends_the_session_before(stage: Stage) -> None:
    key = key_for(stage, Scope.READ)

    async def asking(client: httpx.AsyncClient) -> list[Any]:
        first = cookie_in(await signed_in(client, key))
        second = cookie_in(await signed_in(client, key))
        client.cookies.clear()
        old = await client.get(DOCUMENTS, headers={"Cookie": f"{first.key}={first.value}"})
        return [first.value, second.value, old.status_code]

    first, second, status = browsing(stage, asking)

    assert first != second
    assert status == 401


def test_there_are_no_more_sessions_than_are_allowed(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adapters.web.browser_session.SESSIONS_MAX", 2)
    key = key_for(stage, Scope.READ)

    async def asking(client: httpx.AsyncClient) -> list[int]:
        cookies = []
        for _ in range(3):
            cookies.append(cookie_in(await signed_in(client, key)))
            client.cookies.clear()
        sent = [{"Cookie": f"{cookie.key}={cookie.value}"} for cookie in cookies]
        return [(await client.get(DOCUMENTS, headers=each)).status_code for each in sent]

    assert browsing(stage, asking) == [401, 200, 200]


CHANGES: dict[str, tuple[dict[str, str], bool, int]] = {
    "of our page, with its token": ({"Sec-Fetch-Site": "same-origin"}, True, 200),
    "of our page, by its origin": ({"Origin": "http://localhost"}, True, 200),
    "of our page, without the token": ({"Sec-Fetch-Site": "same-origin"}, False, 403),
    "of another site": ({"Sec-Fetch-Site": "cross-site"}, True, 403),
    "of another port": ({"Sec-Fetch-Site": "same-site"}, True, 403),
    "typed by hand": ({"Sec-Fetch-Site": "none"}, True, 403),
    "of another origin": ({"Origin": "http://localhost:3000"}, True, 403),
    "of no origin": ({"Origin": "null"}, True, 403),
    "of an origin that is none": ({"Origin": "http://[x"}, True, 403),
    "another site's, our origin": (
        {"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"},
        True,
        403,
    ),
    "that says nothing of where it is from": ({}, True, 403),
}


@pytest.mark.parametrize("said", CHANGES)
def test_by_cookie_only_a_page_of_ours_with_its_token_changes_anything(
    stage: Stage, said: str
) -> None:
    document_id = stage.submit(ONE_AD)
    key = key_for(stage, Scope.PUBLISH)
    headers, with_token, status = CHANGES[said]

    async def asking(client: httpx.AsyncClient) -> httpx.Response:
        await signed_in(client, key)
        token = {CSRF_HEADER: await token_of(client)} if with_token else {}
        return await client.post(f"{DOCUMENTS}/{document_id}/cancel", headers={**headers, **token})

    before = stage.document(document_id)
    assert browsing(stage, asking).status_code == status
    assert (stage.document(document_id) == before) is (status == 403)


def test_a_token_is_of_one_session(stage: Stage) -> None:
    document_id = stage.submit(ONE_AD)
    key = key_for(stage, Scope.PUBLISH)

    async def asking(client: httpx.AsyncClient) -> list[int]:
        alone = await token_of(client)
        await signed_in(client, key)
        of_another = await token_of(client)
        await signed_in(client, key)
        tokens = [alone, of_another, "", "é"]
        answers = [
            await client.post(
                f"{DOCUMENTS}/{document_id}/cancel",
                headers=[(b"sec-fetch-site", b"same-origin"),
                         (CSRF_HEADER.encode(), token.encode())],
            )
            for token in tokens
        ]  # fmt: skip
        return [answer.status_code for answer in answers]

    assert browsing(stage, asking) == [403] * 4


def test_a_key_in_the_request_needs_no_token_and_goes_before_the_cookie(stage: Stage) -> None:
    document_id = stage.submit(ONE_AD)
    reader, publisher = key_for(stage, Scope.READ), key_for(stage, Scope.PUBLISH)
    place = f"{DOCUMENTS}/{document_id}/cancel"

    async def asking(client: httpx.AsyncClient) -> list[int]:
        await signed_in(client, publisher)
        refused = await client.post(place, headers=bearing(reader))
        return [
            refused.status_code,
            (await client.post(place, headers=bearing(publisher))).status_code,
        ]

    assert browsing(stage, asking) == [403, 200]


def test_on_a_machine_alone_a_form_needs_the_token_too(stage: Stage) -> None:
    document_id = stage.submit(ONE_AD)
    place = f"{DOCUMENTS}/{document_id}/cancel"

    async def asking(client: httpx.AsyncClient) -> list[int]:
        form = {CSRF_FIELD: await token_of(client)}
        wrong = await client.post(place, data={CSRF_FIELD: "x"}, headers=OWN)
        return [wrong.status_code, (await client.post(place, data=form, headers=OWN)).status_code]

    assert browsing(stage, asking, host="127.0.0.1") == [403, 200]


@pytest.mark.parametrize("headers", [{}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "null"}])
def test_no_other_page_signs_its_reader_in_or_out(stage: Stage, headers: dict[str, str]) -> None:
    key = key_for(stage, Scope.READ)

    async def asking(client: httpx.AsyncClient) -> list[int]:
        into = await client.post("/sign-in", data={"key": key}, headers=headers)
        await signed_in(client, key)
        form = {CSRF_FIELD: await token_of(client)}
        out = await client.post("/sign-out", data=form, headers=headers)
        return [into.status_code, out.status_code, (await client.get(DOCUMENTS)).status_code]

    assert browsing(stage, asking) == [403, 403, 200]


@pytest.mark.parametrize(
    ("body", "code"),
    [(b"key=" + b"x" * 70_000, (413, "body_too_large")),
     (b"&".join([b"a=1"] * 300), (422, "invalid_request")),
     (b"key=%ff", (422, "invalid_request")), (b"key=\xff", (422, "invalid_request"))],
)  # fmt: skip
def test_a_form_is_read_within_its_bounds(stage: Stage, body: bytes, code: tuple[int, str]) -> None:
    headers = {**OWN, "Content-Type": "application/x-www-form-urlencoded"}

    async def asking(client: httpx.AsyncClient) -> httpx.Response:
        return await client.post("/sign-in", content=body, headers=headers)

    assert code_of(asked_at(stage, asking)) == code


@pytest.mark.parametrize(
    "path",
    ["", "documents", "//evil.example", "/\\evil.example", "https://evil.example", "/\t/evil",
     "/documents\r\nX: y", "/ü", "javascript:x"],
)  # fmt: skip
def test_signing_in_leads_to_no_other_site(path: str) -> None:
    assert own_path(path) == "/"


@pytest.mark.parametrize("path", ["/", "/documents", "/documents/a%2Fb?state=held&after=1:x"])
def test_signing_in_leads_back_to_the_page_that_was_asked_for(path: str) -> None:
    assert own_path(path) == path
