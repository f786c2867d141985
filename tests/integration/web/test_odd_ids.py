"""Documents from elsewhere keep their ids, whatever stands in them; each is addressed like any."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final
from urllib.parse import quote

import httpx
import pytest
from fastapi import FastAPI
from starlette.types import Receive, Scope, Send

from adapters.web import create_app, reconciler_router
from fixtures.stage import Stage
from tests.integration.elsewhere import Elsewhere, line
from tests.integration.web.in_process import ANYBODY, asked, client_of, service_on
from tests.integration.web.test_documents import DOCUMENTS, code_of

IDS: Final = [
    "jobs/7",
    "jobs/7/evidence",  # as if it were the evidence of jobs/7
    "publish",
    "7/publish",
    "/",
    "//7",
    "7/",
    "100%",
    "%2F",  # not the same as a slash
    "a%2Fb",
    "März – Ω 🚀",
    "a b+c",
    "a?b=c#d&e",
    ";a,b:c@d!$'()*=~",
    "\\",
    "ü" * 200,
    "/" * 200,
]


def places(document_id: str) -> list[tuple[str, str]]:
    """Every operation about one document."""
    place = f"{DOCUMENTS}/{quote(document_id, safe='')}"
    reads = [("GET", place), ("GET", f"{place}/evidence"), ("GET", f"{place}/timeline")]
    return [*reads, ("POST", f"{place}/cancel")]


@pytest.fixture
def imported(stage: Stage) -> Stage:
    stage.time.pass_(timedelta(hours=1))
    elsewhere = Elsewhere(stage)
    elsewhere.imports(*(line(one, "A", publish_started_at=None) for one in IDS))
    assert elsewhere.refused == []
    return stage


def test_each_is_found_by_every_operation_and_no_other_in_its_place(imported: Stage) -> None:
    async def asking(client: httpx.AsyncClient) -> dict[str, list[Any]]:
        answers = {
            one: [await client.request(method, place) for method, place in places(one)]
            for one in IDS
        }
        return {one: [told.json().get("document_id") for told in answers[one]] for one in IDS}

    assert asked(imported, asking) == {one: [one] * 4 for one in IDS}


def test_a_head_of_each_says_that_it_is_there_and_of_none_other(imported: Stage) -> None:
    others = ["jobs", "7", "a/b", "%252F", "jobs/7/", "März", "2F"]

    async def asking(client: httpx.AsyncClient) -> list[int]:
        return [(await client.head(places(one)[0][1])).status_code for one in (*IDS, *others)]

    assert asked(imported, asking) == [200] * len(IDS) + [404] * len(others)


@pytest.mark.parametrize(
    ("method", "path", "wanted"),
    [
        ("POST", f"{DOCUMENTS}/7%2Fcancel", (405, "method_not_allowed")),  # not: cancel 7
        ("GET", f"{DOCUMENTS}/jobs/7", (404, "not_found")),
        ("GET", f"{DOCUMENTS}/%FF", (400, "malformed_path")),
        ("GET", f"{DOCUMENTS}/jobs%2F%ff/evidence", (400, "malformed_path")),
        ("POST", f"{DOCUMENTS}/%C3/publish", (400, "malformed_path")),
        ("GET", "/nowhere/%FF", (404, "not_found")),
        ("DELETE", f"{DOCUMENTS}/%FF", (405, "method_not_allowed")),
        ("GET", f"{DOCUMENTS}/" + "%2F" * 201, (422, "invalid_request")),
        ("GET", f"/v1%2Fdocuments/{'7'}", (404, "not_found")),
    ],
)
def test_a_slash_that_is_encoded_divides_nothing(
    imported: Stage, method: str, path: str, wanted: tuple[int, str]
) -> None:
    async def asking(client: httpx.AsyncClient) -> httpx.Response:
        return await client.request(method, path)

    answer = asked(imported, asking)

    assert code_of(answer) == wanted
    assert wanted[0] != 405 or answer.headers["allow"] == "GET, HEAD"


def test_what_is_no_text_is_told_with_what_to_send_in_its_place_and_that_is_found(
    stage: Stage,
) -> None:
    stage.time.pass_(timedelta(hours=1))
    Elsewhere(stage).imports(line("Käse/ÿ", "A", publish_started_at=None))

    async def asking(client: httpx.AsyncClient) -> list[httpx.Response]:
        refused = await client.get(f"{DOCUMENTS}/K%E4se%2F%ff")
        *_, instead = refused.json()["next"].split()
        return [refused, await client.get(f"{DOCUMENTS}/{instead}")]

    refused, found = asked(stage, asking)

    assert "K%E4se%2F%ff in the path is not UTF-8" in refused.json()["detail"]
    assert (found.status_code, found.json()["document_id"]) == (200, "Käse/ÿ")


def test_the_rest_of_a_path_may_be_encoded_as_well(imported: Stage) -> None:
    async def asking(client: httpx.AsyncClient) -> int:
        return (await client.get("/v1/d%6Fcuments/%6Aobs%2f7")).status_code

    assert asked(imported, asking) == 200


def test_what_stands_in_front_may_change_a_path_and_is_believed(imported: Stage) -> None:
    """A middleware that takes a language off, and does not know of the path as it was sent."""
    service = service_on(imported)
    app = create_app(service, access=ANYBODY)

    async def in_front(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            scope = {**scope, "path": scope["path"].removeprefix("/de")}
        await app(scope, receive, send)

    async def asking() -> list[int]:
        transport = httpx.ASGITransport(in_front)
        async with (
            service.lifespan(app),
            httpx.AsyncClient(transport=transport, base_url="http://localhost") as client,
        ):
            paths = [f"/de{places(one)[0][1]}" for one in ("100%", "März – Ω 🚀")]
            return [(await client.get(path)).status_code for path in paths]

    assert imported.time.run(asking()) == [200, 200]


@pytest.mark.parametrize("prefix", ["", "/ads", "/käse & more"])
def test_so_it_is_in_an_application_of_ones_own(imported: Stage, prefix: str) -> None:
    service = service_on(imported)
    router = reconciler_router(service, access=ANYBODY)
    included, mounted, inner = FastAPI(), FastAPI(), FastAPI()
    included.include_router(router, prefix=prefix)
    inner.include_router(router)
    mounted.mount(prefix or "/", inner)

    async def asking(app: FastAPI) -> list[int]:
        async with client_of(app, service) as client:
            paths = [quote(prefix) + places(one)[0][1] for one in IDS]
            return [(await client.get(path)).status_code for path in paths]

    for app in (included, mounted):
        assert imported.time.run(asking(app)) == [200] * len(IDS)


def test_the_openapi_document_says_how_an_id_is_sent(stage: Stage) -> None:
    paths = create_app(service_on(stage), access=ANYBODY).openapi()["paths"]

    parameters = [
        parameter
        for operations in paths.values()
        for operation in operations.values()
        for parameter in operation.get("parameters", ())
        if parameter["name"] == "document_id"
    ]
    assert len(parameters) == 7
    assert all("percent-encoded" in parameter["description"] for parameter in parameters)
