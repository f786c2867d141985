"""GET of a document over HTTP: it recovers, at what cost, and what a client may do meanwhile."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from starlette.middleware.base import BaseHTTPMiddleware

from adapters.web import create_app, reconciler_router
from fixtures.stage import Stage
from tests.integration.crashed import crashed_after_create
from tests.integration.web.in_process import ANYBODY, asked, client_of, service_on


def place(document_id: str) -> str:
    return f"/v1/documents/{document_id}"


def test_r089_parallel_reads_of_a_crashed_document_make_one_listing_and_later_ones_none(
    stage: Stage,
) -> None:
    """R089: GET routes that start work are harmful when a client repeats or prefetches them."""
    document_id = crashed_after_create(stage)

    async def asking(client: httpx.AsyncClient) -> list[httpx.Response]:
        first = await client.head(place(document_id))
        assert (first.status_code, first.content, stage.graph.walks) == (200, b"", [])
        return list(await asyncio.gather(*(client.get(place(document_id)) for _ in range(50))))

    answers = asked(stage, asking)
    listings = len(stage.graph.walks)
    later = asked(stage, asking_for(document_id, times=10))

    assert [answer.status_code for answer in answers] == [200] * 50
    assert listings == 1
    assert len(stage.graph.walks) == listings
    assert {answer.json()["state"] for answer in later} == {"published"}


def asking_for(document_id: str, *, times: int) -> Any:
    async def asking(client: httpx.AsyncClient) -> list[httpx.Response]:
        return list(await asyncio.gather(*(client.get(place(document_id)) for _ in range(times))))

    return asking


def test_head_of_a_crashed_document_starts_nothing(stage: Stage) -> None:
    document_id = crashed_after_create(stage)
    before = stage.document(document_id)

    async def asking(client: httpx.AsyncClient) -> int:
        return (await client.head(place(document_id))).status_code

    assert asked(stage, asking) == 200
    assert stage.document(document_id) == before
    assert stage.graph.walks == []


def test_a_read_beyond_its_budget_answers_as_things_stand_and_its_look_goes_on(
    stage: Stage,
) -> None:
    document_id = crashed_after_create(stage)
    stage.sky.latency = timedelta(seconds=4)

    async def asking(client: httpx.AsyncClient) -> tuple[httpx.Response, httpx.Response]:
        first = await client.get(place(document_id))
        await asyncio.sleep(10)
        return first, await client.get(place(document_id))

    first, later = asked(stage, asking)

    told = first.json()
    assert (first.status_code, told["state"]) == (200, "queued")
    assert told["next"]["action"] == "wait"
    assert told["next"]["why"] == "what became of it is being found out"
    assert told["next"]["until"] == told["lease"]["until"]
    assert later.json()["state"] == "published"
    assert len(stage.graph.walks) == 1


@pytest.mark.parametrize("with_middleware", [False, True])
def test_r090_a_client_that_hangs_up_harms_nothing(stage: Stage, with_middleware: bool) -> None:
    """R090: work that is tied to the request dies with it if a middleware is installed."""
    document_id = crashed_after_create(stage)
    stage.sky.latency = timedelta(seconds=0.5)

    async def session() -> None:
        service = service_on(stage)
        app = create_app(service, access=ANYBODY)
        if with_middleware:
            app.add_middleware(BaseHTTPMiddleware, dispatch=_passes_on)
        async with client_of(app, service) as client:
            reading = asyncio.ensure_future(client.get(place(document_id)))
            await asyncio.sleep(0.25)
            assert (await stage.ledger.read(document_id)).document.lease is not None
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
            await asyncio.sleep(2)

    stage.time.run(session())
    told = stage.document(document_id)
    assert told.state == "published"
    assert told.lease is None
    assert len(stage.graph.walks) == 1


async def _passes_on(request: Any, call_next: Any) -> Any:
    return await call_next(request)


def test_r086_thirty_reads_cancelled_at_any_point_leave_no_lease_behind(stage: Stage) -> None:
    """R086: what a cancelled task held is not given back, and the application runs dry."""
    document_id = crashed_after_create(stage)
    stage.sky.latency = timedelta(seconds=0.1)

    async def asking(client: httpx.AsyncClient) -> None:
        for number in range(30):
            reading = asyncio.ensure_future(client.get(place(document_id)))
            await asyncio.sleep(number / 100)
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)

    asked(stage, asking)

    told = stage.document(document_id)
    assert told.lease is None
    assert told.state == "published"


def test_the_routes_live_in_an_application_of_ones_own(stage: Stage) -> None:
    async def session() -> httpx.Response:
        service = service_on(stage)
        app = FastAPI(lifespan=service.lifespan)
        app.include_router(reconciler_router(service, access=ANYBODY), prefix="/ads")
        async with client_of(app, service) as client:
            return await client.get(f"/ads{place('unknown')}")

    answer = stage.time.run(session())
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["code"] == "unknown_document"
