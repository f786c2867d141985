"""A browser that came where no page is: a page again, with the way back. Programs get a problem."""

from __future__ import annotations

import re
from typing import Final

from fastapi import Request, Response

from ..problems import problem
from .answering import as_page, sent_path

OF_PROGRAMS: Final = "/v1/"
"""Whatever stands under it is answered with a problem, whoever asks."""

_OF_ONE: Final = re.compile(r"/documents/[^/]+(?=/)")


def wants_a_page(request: Request) -> bool:
    """A browser names text/html, and no JSON; a program that names nothing is a program."""
    accepted = request.headers.get("accept", "")
    is_browser = "text/html" in accepted and "json" not in accepted
    return is_browser and not sent_path(request).startswith(OF_PROGRAMS)


def no_such_page(request: Request) -> Response:
    """There is none at this address."""
    is_open = sent_path(request).endswith("/")
    hint = "leave out the slash at the end of the address, or " if is_open else ""
    answer = problem(
        404,
        "not_found",
        "there is no page at this address",
        next_step=f"{hint}go on from a page that is there, by the links below",
    )
    return as_page(request, answer, back=_document_of(request))


def not_opened_so(request: Request, methods: str) -> Response:
    """There is something, but it is not asked for like this. `methods`: what it takes."""
    if request.method in ("GET", "HEAD"):
        told = "a button of a page sends to this address; it is not opened, and nothing was pressed"
        next_step = "open the page that has the button, and press it there"
    else:
        told = "this address is only read; nothing that was sent to it was done"
        next_step = "open the page, and use what it offers"
    answer = problem(
        405, "method_not_allowed", told, next_step=next_step, headers={"Allow": methods}
    )
    return as_page(request, answer, back=_document_of(request))


def _document_of(request: Request) -> str | None:
    """The page of the document that the address is about; None: about no one document."""
    found = _OF_ONE.match(sent_path(request))
    return found[0] if found else None
