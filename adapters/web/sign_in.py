"""The two forms that begin and end a browser's session. Their page is not made here."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlencode

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from .browser_session import BrowserAccess
from .forms import form_of
from .origins import refuse_unless_own_page
from .problems import ProblemRoute
from .refusals import Refused

SIGN_IN: Final = "/sign-in"
SIGN_OUT: Final = "/sign-out"
HOME: Final = "/"
SEE_OTHER: Final = 303

KEY_FIELD: Final = "key"
NEXT_FIELD: Final = "next"
"""The page to go on to, a path of this service."""

REFUSED_QUERY: Final = "refused"
"""Bears the code of the refusal, back to the page with the form."""

_OWN_PATH: Final = re.compile(r"/(?![/\\])[A-Za-z0-9._~%!$&'()*+,;=:@/?-]*")


def sign_in_router(browser: BrowserAccess) -> APIRouter:
    """`POST /sign-in` with `key` and perhaps `next`, and `POST /sign-out`. Both answer 303."""
    router = APIRouter(route_class=ProblemRoute, include_in_schema=False)

    async def sign_in(request: Request) -> Response:
        refuse_unless_own_page(request)
        form = await form_of(request)
        onward = own_path(form.get(NEXT_FIELD, ""))
        response = RedirectResponse(onward, SEE_OTHER)
        try:
            await browser.sign_in(request, form.get(KEY_FIELD, "").strip(), response)
        except Refused as refused:
            return _again(refused, onward)
        return response

    async def sign_out(request: Request) -> Response:
        response = RedirectResponse(SIGN_IN, SEE_OTHER)
        if browser.is_signed_in(request):
            await browser.refuse_forged(request)
            browser.sign_out(request, response)
        return response

    for path, endpoint in ((SIGN_IN, sign_in), (SIGN_OUT, sign_out)):
        router.add_api_route(path, endpoint, methods=["POST"], response_model=None)
    return router


def own_path(path: str) -> str:
    """The path, where it stays within this service; else its first page."""
    return path if _OWN_PATH.fullmatch(path) else HOME


def _again(refused: Refused, onward: str) -> Response:
    query = urlencode({REFUSED_QUERY: refused.code, NEXT_FIELD: onward})
    return RedirectResponse(f"{SIGN_IN}?{query}", SEE_OTHER, headers=refused.headers)
