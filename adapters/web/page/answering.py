"""How a page is answered: headers that let it load nothing from elsewhere, errors as pages."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Coroutine
from typing import Any, Final
from urllib.parse import urlencode

from fastapi import Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from ..browser_session import CSRF_FIELD, BrowserAccess
from ..next_request import collection
from ..problems import MEDIA_TYPE, ProblemRoute
from ..sign_in import NEXT_FIELD, SEE_OTHER, SIGN_IN
from .next_in_words import in_words
from .rendering import rendered

POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "style-src 'self'",
        "script-src 'self'",
        "img-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    )
)
HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # `no-referrer` would hide the origin of our own forms
    "Cross-Origin-Opener-Policy": "same-origin",
}
NOT_KEPT: Final = {"Cache-Control": "no-store"}
"""What is shown is of this moment, and of who asked."""

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class PageRoute(ProblemRoute):
    """A route whose every answer bears the headers, and whose every error is a page."""

    def get_route_handler(self) -> Handler:
        """The handler, around the one that answers errors as problems."""
        inner = super().get_route_handler()

        async def handler(request: Request) -> Response:
            response = await inner(request)
            if response.media_type == MEDIA_TYPE:
                return as_page(request, response, back=_before(request))
            return _guarded(response)

        return handler


def page(
    request: Request, browser: BrowserAccess, template: str, status: int = 200, **values: Any
) -> Response:
    """A template with what all pages know: who asks, and the token that their forms bear."""
    known = {
        "who": getattr(request.state, "principal", None),
        "is_signed_in": browser.is_signed_in(request),
        "csrf_field": CSRF_FIELD,
        "csrf_token": browser.token(request),
        "path": request.url.path,
    }
    return HTMLResponse(rendered(template, **(known | values)), status, headers=NOT_KEPT)


def onward(path: str) -> Response:
    """After a change: the page that shows it, so that loading it again changes nothing."""
    return RedirectResponse(path, SEE_OTHER)


def as_page(request: Request, response: Response, *, back: str | None) -> Response:
    """A problem as the page that a browser is shown. `back`: the page to return to."""
    return _guarded(_problem_page(request, response, back))


def _guarded(response: Response) -> Response:
    response.headers.update(HEADERS)
    return response


def _problem_page(request: Request, response: Response, back: str | None) -> Response:
    """Nobody recognised is asked to sign in, where they only wanted to read."""
    if response.status_code == 401 and request.method in ("GET", "HEAD"):
        query = urlencode({NEXT_FIELD: _place(request)})
        return RedirectResponse(f"{SIGN_IN}?{query}", SEE_OTHER)
    problem = json.loads(bytes(response.body))
    kept = {name: value for name, value in response.headers.items() if name in KEPT}
    text = rendered(
        "problem.html",
        problem=problem,
        next_step=in_words(problem["next"] or "", collection(request)),
        back=back,
        who=None,
        is_signed_in=False,
        path="",
    )
    return HTMLResponse(text, response.status_code, headers={**kept, **NOT_KEPT})


def _before(request: Request) -> str | None:
    """The page on which what was refused was pressed; None where nothing was."""
    if request.method == "POST" and request.url.path.startswith("/documents/"):
        return PRESSED.sub("", sent_path(request))
    return None


PRESSED: Final = re.compile(r"/(publish|recover|cancel)$")
KEPT: Final = frozenset({"retry-after", "www-authenticate", "allow"})


def _place(request: Request) -> str:
    path = sent_path(request)
    return f"{path}?{request.url.query}" if request.url.query else path


def sent_path(request: Request) -> str:
    """The path as it came, where an id may hold any character (`raw_path`)."""
    return bytes(request.scope.get("raw_path") or b"/").decode("latin-1")
