"""The next step of a problem in the words of a client: the request in place of the command.

What no request does, or not for sure the same, stays the command of who runs the service: looking
again at what is held, listing what is confirmed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from fastapi import Request

from reconciler.typed_command import typed_command

from .idempotency_key import KEY_HEADER
from .next_request import collection
from .raw_path import part

OF_ONE: Final[Mapping[str, tuple[str, str]]] = {
    "show": ("GET", ""),
    "explain": ("GET", "/evidence"),
    "publish": ("POST", "/publish"),
    "cancel": ("POST", "/cancel"),
}
"""By command: method, and what follows the document in the path."""

_OF_ONE: Final = re.compile(r"reconciler (show|explain|publish|cancel) ([\w-]+)(?=$|[,;] )")
"""Of a document that the request did not name: where an id ends is certain of plain ones only."""

OF_ALL: Final[tuple[tuple[str, str], ...]] = (
    ("reconciler resolve --help", "GET /openapi.json says what a decision may hold"),
    ("reconciler submit PLAN.json --new", f"POST {{all}} under an {KEY_HEADER} that is new"),
    ("reconciler submit PLAN.json --key K", f"POST {{all}} under that {KEY_HEADER}"),
    ("reconciler submit PLAN.json", "POST {all}"),
)
"""The longer first: one begins another."""


def said_to_a_client(next_step: str, request: Request) -> str:
    """The same step, each command that a request stands for replaced by it."""
    if "reconciler " not in next_step:
        return next_step
    place = collection(request)
    told = next_step
    for command, instead in OF_ALL:
        told = told.replace(command, instead.format(all=place))
    document_id = request.path_params.get("document_id")
    if document_id is not None:
        for command in OF_ONE:
            typed = re.escape(typed_command(command, document_id))
            sent = _sent(command, document_id, place)  # percent-encoded: nothing to escape in it
            told = re.sub(rf"{typed}(?! --)(?=$|[,; ])", sent, told)
    return _OF_ONE.sub(lambda found: _sent(found[1], found[2], place), told)


def _sent(command: str, document_id: str, place: str) -> str:
    method, rest = OF_ONE[command]
    return f"{method} {place}/{part(document_id)}{rest}"
