"""The service on a stage: real routes over the SQL ledger, the pretend API and virtual time."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

import httpx
from fastapi import FastAPI, Request

from adapters.bootstrap import Reconciler
from adapters.web import Access, Principal, Service, create_app
from adapters.web.pace import Pace
from fixtures.stage import Stage

Asking = Callable[[httpx.AsyncClient], Awaitable[Any]]


async def _nothing() -> None:
    pass


def service_on(stage: Stage, *, read_budget: float = 2.0) -> Service:
    """A process of its own, on the stage's ledger and API."""

    def opening(stopping: Callable[[], bool]) -> Reconciler:
        outside = replace(
            stage.process(), ledger=stage.ledger, graph=stage.graph, stopping=stopping
        )
        return Reconciler(outside, read_budget=timedelta(seconds=read_budget), close=_nothing)

    return Service(opening)


def as_principal(principal: Principal) -> Access:
    """Whoever asks is this one."""

    async def access(_: Request) -> Principal:
        return principal

    return access


ANYBODY = as_principal(Principal.everything("somebody"))


@asynccontextmanager
async def client_of(app: FastAPI, service: Service) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the application, which lives for as long."""
    transport = httpx.ASGITransport(app)
    async with (
        service.lifespan(app),
        httpx.AsyncClient(transport=transport, base_url="http://localhost") as client,
    ):
        yield client


def asked(
    stage: Stage, asking: Asking, *, access: Access = ANYBODY, pace: Pace | None = None
) -> Any:
    """What came of asking a service that began for it and ended with it."""

    async def session() -> Any:
        service = service_on(stage)
        async with client_of(create_app(service, access=access, pace=pace), service) as client:
            return await asking(client)

    return stage.time.run(session())
