"""The next safe action as a request: what an HTTP client sends where a person would type a command.

It stands beside `command` in every `next`, and as `requests` beside the `commands` of an item's
evidence. What is written in capitals is to be filled in. None: nothing is left to do, or it is for
who runs the service, and `command` says what; no reading changes it before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote

from fastapi import Request

from reconciler.model import (
    ContainerKind,
    Document,
    DocumentState,
    Item,
    ItemState,
    NextAction,
    Reason,
)
from reconciler.ports import View

from ..shapes import document_state
from ..shapes.advice import may_be_made
from ..shapes.next_command import IMPORT, is_looked_at_first
from ..shapes.offers import choices, offers
from .idempotency_key import KEY_HEADER, header_of
from .raw_path import part
from .surplus_beside import beside_bound

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
    """`document-state/1` or a line of `list/1`, with the request in its `next`.

    Where nothing is left to do, as of nearly all that is read, the routes are not asked for paths.
    """
    is_over = shape["next"]["action"] == NextAction.NONE
    return _with(shape, None if is_over else _next(shape, collection(request)))


def explained_with_requests(shape: Shape, view: View, request: Request) -> Shape:
    """`explain/1`, each item with what may be sent about it; `next` is the first to decide with.

    The evidence is where a decision is made from: it does not lead back to where one came from.
    What is to be looked at again first no request looks at: there `command` alone says so.
    """
    place, document, state = collection(request), view.document, document_state(view)
    reasons = {judged.item: judged.reason for judged in document.verdicts}
    never_none = {one["item"] for one in shape["items"] if not one["may_be_none"]}
    records = {
        beside.key: _request("POST", _resolution(document.id, beside.key, place), body=beside.body)
        for beside in beside_bound(state)
    }
    sent = {
        item.key: item_requests(
            document, item, reasons[item.key], place, may_be_none=item.key not in never_none
        )
        for item in document.items
        if item.key in reasons
    }
    held = [sent[item.key] for item in document.items if _is_held(item) and item.key in sent]
    first = held[0][0] if held else next(iter(records.values()), None)
    first = None if is_looked_at_first(document) else first
    deciding = shape["next"]["action"] == NextAction.DECIDE
    items = [{**item, "requests": _of_item(item, sent, records)} for item in shape["items"]]
    return {**_with(shape, first if deciding else _next(state, place)), "items": items}


def _of_item(item: Shape, sent: Mapping[str, list[Shape]], records: Shape) -> list[Shape]:
    key = item["item"]
    return [*sent[key], *([records[key]] if key in records else [])]


def _with(shape: Shape, sent: Shape | None) -> Shape:
    step = shape["next"]
    is_over = step["action"] == NextAction.NONE
    return {**shape, "next": {**step, "request": None if is_over else sent}}


def _is_held(item: Item) -> bool:
    return item.state is ItemState.HELD


def _resolution(document_id: str, key: str, place: str) -> str:
    return f"{place}/{part(document_id)}/items/{part(key)}/resolution"


def item_requests(
    document: Document, item: Item, reason: Reason | None, place: str, *, may_be_none: bool = True
) -> list[Shape]:
    """What may be sent about one item, the likeliest first; empty where nothing is left to do.

    `reason` and `may_be_none` as in `offers`.
    """
    one = f"{place}/{part(document.id)}"
    if may_be_made(document, item):
        return [_request("POST", f"{one}/publish")]
    if item.state is ItemState.PENDING:
        return [_request("GET", one)]
    resolution = _resolution(document.id, item.key, place)
    offered = offers(item, reason, may_be_none=may_be_none)
    return [_request("POST", resolution, body=offer.body) for offer in offered]


def _next(shape: Shape, place: str) -> Shape | None:
    one = f"{place}/{part(shape['document_id'])}"
    match shape["next"]["action"]:
        case NextAction.PUBLISH:
            return _request("POST", f"{one}/publish")
        case NextAction.WAIT if shape["next"]["command"] == IMPORT:
            return None
        case NextAction.WAIT | NextAction.RECOVER:
            return _request("GET", one)
        case NextAction.DECIDE:
            return _to_decide(shape, one)
        case NextAction.FIX_INPUT if "key" in shape:
            return _next_revision(shape, place)
    return None


def _to_decide(shape: Shape, one: str) -> Shape | None:
    """The evidence of what is held, each choice among it; what is too many can be recorded.

    None: nothing can be chosen before a look came to its end, and no read looks at what is held.
    A line of the list comes without its items: there the document is the way.
    """
    held = [item for item in shape.get("items", ()) if item["state"] == ItemState.HELD]
    if held and not any(map(_has_choices, held)):
        return None
    if held or shape["state"] == DocumentState.HELD:
        return _request("GET", f"{one}/evidence")
    if "items" not in shape:
        return _request("GET", one)
    for beside in beside_bound(shape):
        return _request("POST", f"{one}/items/{part(beside.key)}/resolution", body=beside.body)
    return _request("GET", f"{one}/evidence")


def _has_choices(item: Shape) -> bool:
    return item["reason"] is None or bool(choices(Reason(item["reason"])))


def _next_revision(shape: Shape, place: str) -> Shape | None:
    """Under the document's own key, where a header can carry it. What is left out would be lost:
    a revision has of the plan before nothing but what it says itself."""
    header = header_of(shape["key"])
    if header is None:
        return None
    where, title = shape["container"], shape["title"]
    plan = {
        "schema": "plan/1",
        "account_id": shape["account_id"],
        **({} if where["kind"] == ContainerKind.ACCOUNT else {"container": where}),
        **({} if title is None else {"title": title}),
        "items": "ITEMS",
    }
    return _request("POST", place, body=plan, headers={KEY_HEADER: header})


def _request(
    method: str,
    path: str,
    *,
    body: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Shape:
    told = {} if body is None else {"Content-Type": "application/json"}
    return {"method": method, "path": path, "headers": {**told, **(headers or {})}, "body": body}
