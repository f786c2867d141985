"""The next safe action as a request: what an HTTP client sends where a person would type a command.

It stands beside `command` in every `next`, and as `requests` beside the `commands` of an item's
evidence. What is written in capitals is to be filled in. None: nothing is left to do, or it is for
who runs the service, and `command` says what.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote

from fastapi import Request

from reconciler.model import DocumentState, Item, ItemState, NextAction, Reason

from ..shapes.advice import offers
from .raw_path import part

Shape = dict[str, Any]

ANY_ID: Final = "ID"


def collection(request: Request) -> str:
    """The path of all documents, wherever the routes are mounted. A long list asks for it often."""
    known: str | None = getattr(request.state, "collection", None)
    if known is None:
        one = request.url_for("read_document", document_id=ANY_ID).path
        known = request.state.collection = quote(one.removesuffix(f"/{ANY_ID}"))
    return known


def with_request(shape: Shape, request: Request) -> Shape:
    """`document-state/1`, a line of `list/1`, or `explain/1`, with the request in its `next`."""
    step = shape["next"]
    is_over = step["action"] == NextAction.NONE
    sent = None if is_over else _next(shape, collection(request))
    return {**shape, "next": {**step, "request": sent}}


def item_requests(document_id: str, item: Item, reason: Reason | None, place: str) -> list[Shape]:
    """What may be sent about one item, the likeliest first; empty where nothing is left to do."""
    one = f"{place}/{part(document_id)}"
    match item.state:
        case ItemState.ABSENT:
            return [_request("POST", f"{one}/publish")]
        case ItemState.PENDING:
            return [_request("GET", one)]
    resolution = f"{one}/items/{part(item.key)}/resolution"
    return [_request("POST", resolution, body=offer.body) for offer in offers(item, reason)]


def _next(shape: Shape, place: str) -> Shape | None:
    one = f"{place}/{part(shape['document_id'])}"
    match shape["next"]["action"]:
        case NextAction.PUBLISH:
            return _request("POST", f"{one}/publish")
        case NextAction.WAIT | NextAction.RECOVER:
            return _request("GET", one)
        case NextAction.DECIDE:
            return _to_decide(shape, one)
        case NextAction.FIX_INPUT if "key" in shape:
            return _next_revision(shape, place)
    return None


def _to_decide(shape: Shape, one: str) -> Shape:
    """The evidence of what is held, each choice among it; of what is too many, the document."""
    is_held = shape["state"] == DocumentState.HELD
    return _request("GET", f"{one}/evidence" if is_held else one)


def _next_revision(shape: Shape, place: str) -> Shape | None:
    """Under the document's own key, where a header can carry it."""
    key: str = shape["key"]
    if not key.isascii() or not key.isprintable() or " " in key:
        return None
    plan = {"schema": "plan/1", "account_id": shape["account_id"], "items": "ITEMS"}
    return _request("POST", place, body=plan, headers={"Idempotency-Key": key})


def _request(
    method: str,
    path: str,
    *,
    body: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Shape:
    told = {} if body is None else {"Content-Type": "application/json"}
    return {"method": method, "path": path, "headers": {**told, **(headers or {})}, "body": body}
