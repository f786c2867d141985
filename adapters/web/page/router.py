"""The routes of the page. None of them is an operation of the API, so none is in its document."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import RedirectResponse

from ..access import Scope
from ..browser_session import BrowserAccess
from ..desk import Desk
from ..sign_in import NEXT_FIELD, REFUSED_QUERY, SIGN_IN, own_path
from .answering import PageRoute, page
from .list_question import LIST
from .rendering import ASSETS, asset
from .routes_decision import DecisionPage
from .routes_document import DocumentPage
from .routes_list import ListPage

ONE: Final = "/documents/{document_id}"
ITEM: Final = f"{ONE}/items/{{key}}"
KEPT_SECONDS: Final = 31_536_000
"""An asset's address bears its version."""

REFUSED: Final = {
    "unauthenticated": "The key is not known, was revoked, or has ended.",
    "too_many_requests": "Too many wrong keys from this address. Wait a moment.",
}


def page_router(desk: Desk, browser: BrowserAccess) -> APIRouter:
    """Everything a browser is shown, at the desk that the API's routes share."""
    router = APIRouter(route_class=PageRoute, include_in_schema=False)
    lists, documents = ListPage(desk, browser), DocumentPage(desk, browser)
    decisions = DecisionPage(desk, browser)
    reads = [Depends(desk.needs(Scope.READ))]
    changes = [*reads, Depends(browser.refuse_forged)]

    def add(
        method: str, path: str, endpoint: Callable[..., Any], depends: list[Any] | None = None
    ) -> None:
        router.add_api_route(
            path, endpoint, methods=[method], response_model=None, dependencies=depends
        )

    add("GET", "/", _home)
    add("GET", SIGN_IN, _sign_in(browser))
    for name in ASSETS:
        add("GET", f"/page/{name}", _asset(name))
    add("GET", LIST, lists.documents, reads)
    add("GET", ONE, documents.read, reads)
    add("HEAD", ONE, documents.head, reads)
    add("GET", f"{ITEM}/evidence", documents.evidence, reads)
    add("POST", f"{ONE}/publish", documents.publish, changes)
    add("POST", f"{ONE}/recover", documents.recover, changes)
    add("POST", f"{ONE}/refresh", documents.refresh, changes)
    add("POST", f"{ONE}/cancel", documents.cancel, changes)
    add("GET", f"{ITEM}/decision", decisions.form, reads)
    add("POST", f"{ITEM}/decision", decisions.decide, changes)
    return router


async def _home() -> Response:
    return RedirectResponse(LIST, 303)


def _asset(name: str) -> Callable[..., Any]:
    kept = {"Cache-Control": f"public, max-age={KEPT_SECONDS}, immutable"}

    async def shown() -> Response:
        return Response(asset(name), media_type=ASSETS[name], headers=kept)

    return shown


def _sign_in(browser: BrowserAccess) -> Callable[..., Any]:
    async def sign_in(request: Request) -> Response:
        refused = request.query_params.get(REFUSED_QUERY, "")
        return page(
            request,
            browser,
            "sign_in.html",
            refused=REFUSED.get(refused, "This was refused.") if refused else None,
            onward=own_path(request.query_params.get(NEXT_FIELD, "")),
        )

    return sign_in
