"""The service's own application: the router, health, readiness, the OpenAPI document."""

from __future__ import annotations

from importlib import metadata
from typing import Any, Final

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Match

from .access import Access
from .browser_session import BrowserAccess
from .desk import Desk
from .figures import metrics_router
from .pace import Pace
from .page import page_router
from .page.nowhere import no_such_page, not_opened_so, wants_a_page
from .problems import ProblemRoute, problem_of
from .refusals import Refused
from .router import routes_of
from .schema import Ready
from .service import Service
from .sign_in import sign_in_router

ABOUT: Final = (
    "Publishes through Meta's Marketing API and knows after any crash what really exists. "
    "Reading a document is what recovers it. `next` in every answer is the next safe action."
)


ASKED: Final = ("type", "path", "raw_path", "root_path", "headers")
METHODS: Final = ("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE")


def create_app(service: Service, *, access: Access, pace: Pace | None = None) -> FastAPI:
    """The application that `reconciler serve` runs. Browsers sign in where `access` lets them."""
    app = FastAPI(
        title="reconciler",
        version=metadata.version("reconciler"),
        description=ABOUT,
        lifespan=service.lifespan,
        docs_url=None,  # its page would load scripts of other hosts
        redoc_url=None,
        redirect_slashes=False,  # a redirect is no problem, and names the host as it was asked for
    )
    desk = Desk(service=service, access=access, pace=pace or Pace())
    app.include_router(routes_of(desk))
    app.include_router(metrics_router(desk))
    app.include_router(_health(service))
    told = _told
    if isinstance(access, BrowserAccess):
        told = _told_to_either
        app.include_router(sign_in_router(access))
        app.include_router(page_router(desk, access))
    for error in (HTTPException, RequestValidationError):
        app.add_exception_handler(error, told)
    return app


def _health(service: Service) -> APIRouter:
    router = APIRouter(route_class=ProblemRoute, tags=["service"])

    async def healthz() -> Response:
        """The process answers."""
        return JSONResponse({"status": "ok"})

    async def readyz() -> Response:
        """The ledger answers too."""
        await service.product.outside.ledger.worker_seen_at()
        return JSONResponse({"status": "ok"})

    for path, endpoint in (("/healthz", healthz), ("/readyz", readyz)):
        answers: dict[int | str, dict[str, Any]] = {200: {"model": Ready}}
        router.add_api_route(
            path, endpoint, methods=["GET"], responses=answers, response_model=None
        )
    return router


async def _told_to_either(request: Request, error: Exception) -> Response:
    """The same where there are pages: a browser that looked for one is shown one."""
    status = error.status_code if isinstance(error, HTTPException) else None
    if status == 404 and wants_a_page(request):
        return no_such_page(request)
    if status == 405 and wants_a_page(request):
        return not_opened_so(request, ", ".join(_methods(request)))
    return await _told(request, error)


async def _told(request: Request, error: Exception) -> Response:
    """An error outside of any route: no such path, no such method."""
    if isinstance(error, HTTPException) and error.status_code == 404:
        return problem_of(_not_there(request))
    if isinstance(error, HTTPException) and error.status_code == 405:
        return problem_of(_no_such_method(request))
    return problem_of(error)


def _not_there(request: Request) -> Refused:
    """An id that is missing leaves a slash at the end, and so does a habit."""
    is_open = request.scope["path"].endswith("/")
    hint = "send it without the slash at its end; " if is_open else ""
    return Refused("not_found", "there is no such path", next_step=f"{hint}see GET /openapi.json")


def _no_such_method(request: Request) -> Refused:
    methods = ", ".join(_methods(request))
    return Refused(
        "method_not_allowed",
        f"this path does not take that method; it takes {methods}",
        next_step="GET /openapi.json says what each of them does",
        headers={"Allow": methods},
    )


def _methods(request: Request) -> list[str]:
    """Of all routes of this path; the framework names those of the first."""
    routes: list[BaseRoute] = request.app.routes
    asked = {name: request.scope[name] for name in ASKED if name in request.scope}
    return [
        method
        for method in METHODS
        if any(route.matches(asked | {"method": method})[0] is Match.FULL for route in routes)
    ]
