"""The routes around documents: their list, the evidence, what happened, a person's decision."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Request, Response
from pydantic import ValidationError

from reconciler.plan_text import NotJson, read_json
from reconciler.resolve_decision import Decision

from ..bootstrap import REDACTION
from ..shapes import decided, explanation, timeline
from .bodies import json_text
from .desk import Desk
from .next_request import explained_with_requests, with_request
from .refusals import Refused
from .routes_documents import DocumentId
from .schema import DecisionBody
from .shape_response import ShapeResponse

ItemKey = Annotated[
    str,
    Path(
        pattern=r"^[A-Za-z0-9_.-]{1,64}$",
        description="The item's key in the plan.",
        openapi_examples={"a key": {"value": "a1"}},
    ),
]


class AroundRoutes:
    """Each is one call of the product."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def evidence(self, request: Request, document_id: DocumentId) -> Response:
        """The stored evidence behind the latest verdict of each item. Looks at nothing outside."""
        await self._desk.admit(request, document_id)
        explained = await self._desk.product.explain(document_id)
        shape = explanation(explained)
        return ShapeResponse(explained_with_requests(shape, explained.view, request))

    async def timeline(self, request: Request, document_id: DocumentId) -> Response:
        """Everything that happened to it, oldest first."""
        await self._desk.admit(request, document_id)
        journal = await self._desk.product.outside.ledger.journal(document_id)
        return ShapeResponse(timeline(document_id, journal))

    async def resolve(self, request: Request, document_id: DocumentId, key: ItemKey) -> Response:
        """A person decides about one item. It is judged on a listing made for it; creates nothing.

        202: not decided, for another holds the lease or the listing did not end. Send it again.
        """
        said = _decision(await json_text(request))
        principal = await self._desk.admit(request, document_id)
        decision = Decision(
            item=key,
            choice=said.decision,
            reason=REDACTION(said.reason),
            by=principal.name,
            external_id=said.external_id,
            also=tuple(said.also),
            override=said.override,
            evidence_hash=said.evidence,
        )
        work = self._desk.product.resolve(document_id, decision)
        resolved = await self._desk.service.errands.run(work)
        undecided = resolved.held_by_another or resolved.withheld is not None
        shape = with_request(decided(resolved), request)
        return ShapeResponse(shape, 202 if undecided else 200)


def _decision(text: bytes) -> DecisionBody:
    try:
        return DecisionBody.model_validate(read_json(text))
    except NotJson as error:
        raise _malformed(({"field": "body", "problem": error.problem},)) from error
    except ValidationError as error:
        faults = tuple(
            {"field": ".".join(map(str, fault["loc"])) or "body", "problem": fault["msg"]}
            for fault in error.errors(include_url=False, include_input=False)
        )
        raise _malformed(faults) from error


def _malformed(faults: tuple[dict[str, str], ...]) -> Refused:
    return Refused(
        "invalid_request",
        "; ".join(f"{fault['field']}: {fault['problem']}" for fault in faults),
        next_step="mend the request and send it again",
        errors=tuple(
            {"item": None, **fault, "instead": "see GET /openapi.json"} for fault in faults
        ),
    )
