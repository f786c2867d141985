"""The routes of the service, to mount in any application: `reconciler_router`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from fastapi import APIRouter, Depends

from .access import Access, Scope
from .desk import Desk
from .pace import Pace
from .problems import MEDIA_TYPE, ProblemRoute
from .routes_around import AroundRoutes
from .routes_documents import DocumentRoutes
from .routes_list import ListRoutes
from .schema import (
    Decided,
    DecisionBody,
    Document,
    DocumentsList,
    Explanation,
    PlanBody,
    Problem,
    Timeline,
    inlined,
)
from .schema.answers import AS_IT_IS, EXPLAINED, PUBLISH_ACCEPTED
from .service import Service

ALWAYS: Final = (401, 403, 422, 429, 500, 503)
OF_ONE: Final = (*ALWAYS, 400, 404)
OF_A_CHANGE: Final = (*OF_ONE, 409)
WITH_A_BODY: Final = (413, 415)

PROBLEM: Final = inlined(Problem)
ONE: Final = "/documents/{document_id}"


def reconciler_router(
    service: Service, *, access: Access, pace: Pace | None = None, prefix: str = "/v1"
) -> APIRouter:
    """The routes of docs/http.md. `access` says of each request who is asking, and refuses others.

    Give `service.lifespan` to the application, or enter it in the application's own.
    """
    return routes_of(Desk(service=service, access=access, pace=pace or Pace()), prefix)


def routes_of(desk: Desk, prefix: str = "/v1") -> APIRouter:
    """The same at a desk that other routes share."""
    router = APIRouter(prefix=prefix, route_class=ProblemRoute, tags=["documents"])
    _add_documents(_Adding(router, desk), DocumentRoutes(desk))
    _add_around(_Adding(router, desk), AroundRoutes(desk), ListRoutes(desk))
    return router


def _add_documents(add: _Adding, routes: DocumentRoutes) -> None:
    """The read first: routes are tried in turn, and most requests are reads."""
    add("GET", ONE, routes.read, Scope.READ, Document, problems=OF_ONE, name="read_document")
    problems = (*ALWAYS, 409, *WITH_A_BODY)
    add("POST", "/documents", routes.submit, Scope.PUBLISH, Document,
        status=(201, 200), problems=problems, body=PlanBody)  # fmt: skip
    add("POST", f"{ONE}/publish", routes.publish, Scope.PUBLISH, Document,
        status=(200, 202), problems=OF_A_CHANGE, accepted=PUBLISH_ACCEPTED)  # fmt: skip
    add("POST", f"{ONE}/cancel", routes.cancel, Scope.PUBLISH, Document,
        status=(200, 202), problems=OF_A_CHANGE)  # fmt: skip
    add("HEAD", ONE, routes.head, Scope.READ, None, problems=OF_ONE)


def _add_around(add: _Adding, routes: AroundRoutes, lists: ListRoutes) -> None:
    add("GET", "/documents", lists.documents, Scope.READ, DocumentsList, problems=ALWAYS)
    add("GET", f"{ONE}/evidence", routes.evidence, Scope.READ, Explanation, problems=OF_ONE)
    add("GET", f"{ONE}/timeline", routes.timeline, Scope.READ, Timeline, problems=OF_ONE)
    add("POST", f"{ONE}/items/{{key}}/resolution", routes.resolve, Scope.RESOLVE, Decided,
        status=(200, 202), problems=(*OF_A_CHANGE, *WITH_A_BODY), body=DecisionBody)  # fmt: skip


class _Adding:
    """Adds a route with its scope, and with all its answers told in the OpenAPI document."""

    def __init__(self, router: APIRouter, desk: Desk) -> None:
        self._router = router
        self._desk = desk

    def __call__(
        self,
        method: str,
        path: str,
        endpoint: Callable[..., Any],
        scope: Scope,
        shape: type[Any] | None,
        *,
        status: tuple[int, ...] = (200,),
        problems: tuple[int, ...] = ALWAYS,
        body: type[Any] | None = None,
        name: str | None = None,
        accepted: str = AS_IT_IS,
    ) -> None:
        told: dict[int | str, dict[str, Any]] = {
            code: _told(shape, accepted if code == 202 else AS_IT_IS) for code in status
        }
        self._router.add_api_route(
            path,
            endpoint,
            methods=[method],
            name=name,
            status_code=status[0],
            dependencies=[Depends(self._desk.needs(scope))],
            responses=told | problem_answers(problems, method),
            response_model=None,
            openapi_extra={"x-scope": scope.value} | (_sent(body) if body else {}),
            summary=_sentence(endpoint),
        )


def problem_answers(codes: tuple[int, ...], method: str = "GET") -> dict[int | str, dict[str, Any]]:
    """What may be answered in place of what was asked for."""
    return {code: _problem(code, method) for code in sorted(codes)}


def _told(shape: type[Any] | None, description: str) -> dict[str, Any]:
    return {"description": description} | ({"model": shape} if shape else {})


def _problem(code: int, method: str) -> dict[str, Any]:
    if method == "HEAD":  # which has no body
        return {"description": EXPLAINED[code]}
    return {"description": EXPLAINED[code], "content": {MEDIA_TYPE: {"schema": PROBLEM}}}


def _sent(body: type[Any]) -> dict[str, Any]:
    content = {"application/json": {"schema": inlined(body)}}
    return {"requestBody": {"required": True, "content": content}}


def _sentence(endpoint: Callable[..., Any]) -> str:
    return (endpoint.__doc__ or "").partition(".")[0].strip()
