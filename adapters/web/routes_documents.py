"""The routes of one document: accept it, publish it, cancel it, read it."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Final

from fastapi import Path, Request, Response

from reconciler import publish
from reconciler.errors import WrongState
from reconciler.model import DocumentState
from reconciler.plan import parse_plan_text, read_plan
from reconciler.ports import View
from reconciler.submit import Submitted

from ..shapes import document_state
from .access import Principal
from .bodies import json_text
from .desk import LOOK_GOES_ON, Desk
from .idempotency_key import KEY_HEADER, Key, key_of
from .next_request import with_request
from .raw_path import part
from .refusals import Refused
from .said_once import refuse_repeated_header
from .shape_response import ShapeResponse

DocumentId = Annotated[
    str,
    Path(
        min_length=1,
        max_length=200,
        description=(
            "As it was answered when the document was accepted, or as it was imported. One part of "
            "the path, percent-encoded: `a/b` is sent as `a%2Fb`, `%` as `%25`."
        ),
        openapi_examples={
            "an id": {"value": "01KB8Z6Q3N0V5T9W2X4Y6A8C0E"},
            "from elsewhere": {"value": "jobs/2026/März 100%"},
        },
    ),
]
PUBLISH_WAIT_SECONDS: Final = 2.0
"""How long `publish` waits for the attempt before it answers; the attempt goes on."""

UNDER_WAY: Final = (DocumentState.QUEUED, DocumentState.PUBLISHING)


class DocumentRoutes:
    """Each is one call of the product, answered as `document-state/1`."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def submit(self, request: Request, idempotency_key: Key = None) -> Response:
        """Accept a plan as a document, or as the next revision of the one with this key.

        The same key and plan give the same document. Sends nothing to the API.
        """
        refuse_repeated_header(request, KEY_HEADER)
        plan = parse_plan_text(await json_text(request), "body")
        key = None if idempotency_key is None else await self._key(idempotency_key)
        await self._refuse_others(request.state.principal, plan, key)
        submitted = await self._submitted(plan, key)
        document_id = submitted.document.id
        view = await self._desk.product.peek(document_id)
        place = request.url_for("read_document", document_id=part(document_id)).path
        return answer(request, view, 201 if submitted.created else 200, Location=place)

    async def publish(self, request: Request, document_id: DocumentId) -> Response:
        """Queue it if it rests, then make what is missing.

        202: under way. A worker that was seen lately takes it; else this service runs one attempt,
        also after the answer; what it leaves unanswered is looked for by the next read, a worker
        or a sweep. Saying it again while it is under way begins nothing.
        """
        await self._desk.admit(request, document_id)
        product = self._desk.product
        await publish.queue(document_id, product.outside)
        view = await product.peek(document_id)
        if view.document.state is DocumentState.QUEUED and not view.worker_seen:
            attempt = self._desk.service.errands.start(product.publish(document_id))
            await asyncio.wait([attempt], timeout=PUBLISH_WAIT_SECONDS)
            if attempt.done():
                attempt.result()
            view = await product.peek(document_id)
        return answer(request, view, 202 if view.document.state in UNDER_WAY else 200)

    async def cancel(self, request: Request, document_id: DocumentId) -> Response:
        """Create nothing more of it.

        202: recorded; once nothing of it is under way and a look leaves nothing open it is
        cancelled, or published where everything turns out to exist.
        What may still run elsewhere waits for an import before that.
        """
        await self._desk.admit(request, document_id)
        work = self._desk.product.cancel(document_id)
        view = await self._desk.service.errands.run(work)
        return answer(request, view, 200 if view.document.state is DocumentState.CANCELLED else 202)

    async def read(self, request: Request, document_id: DocumentId) -> Response:
        """The document, after takeover and settling if they are due.

        Reading is what recovers: it looks, and where that takes longer than its budget answers as
        things stand, with `next`, while the look goes on. It never creates. A document that is
        healthy is only read.
        """
        await self._desk.admit(request, document_id)
        settled = await self._desk.product.read(document_id, going_on=LOOK_GOES_ON)
        self._desk.service.remember(settled.view)
        return answer(request, settled.view, 200)

    async def head(self, request: Request, document_id: DocumentId) -> Response:
        """Whether there is such a document. Starts nothing."""
        await self._desk.admit(request, document_id)
        await self._desk.service.account_of(document_id)
        return Response(media_type="application/json")

    async def _key(self, header: str) -> str:
        """A document that has the header's quotes in its key is never made a second time under the
        key without them: quotes were once taken as part of the key."""
        key = key_of(header)
        is_literal = key != header and await self._desk.service.ledger.account_of_key(header)
        return header if is_literal else key

    async def _submitted(self, plan: object, key: str | None) -> Submitted:
        try:
            return await self._desk.product.submit(plan, key=key, source="body")
        except WrongState as error:  # it takes no revision
            raise Refused(
                "key_taken",
                f"another plan has this key: {error.message}",
                next_step="send that plan, or this one under a key of its own",
            ) from error

    async def _refuse_others(self, principal: Principal, plan: object, key: str | None) -> None:
        """A plan, or a key of a document, of an account that they may not see."""
        if principal.accounts is None:
            return
        limits = self._desk.product.outside.limits
        accepted = read_plan(plan, echo=limits.echo, source="body")
        of_key = key and await self._desk.service.ledger.account_of_key(key)
        if not all(map(principal.sees, filter(None, (accepted.account_id, of_key)))):
            raise Refused(
                "forbidden",
                "the plan's account, or the document that has this key, is not yours",
                next_step="use a key of that account, or another Idempotency-Key",
            )


def answer(request: Request, view: View, status: int, **headers: Any) -> Response:
    """The document as it is, with the next request in place."""
    return ShapeResponse(with_request(document_state(view), request), status, headers=headers)
