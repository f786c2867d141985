"""Every error as a problem of RFC 9457, with a stable code and the next step."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine, Mapping
from functools import cache
from typing import Any, Final

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from prometheus_client import Counter
from starlette.exceptions import HTTPException
from starlette.routing import Match
from structlog.contextvars import bound_contextvars

from reconciler.errors import InvalidPlan, ReconcilerError

from ..bootstrap import REDACTION
from ..observing import logger_of, metrics
from . import refusals
from .next_said import said_to_a_client
from .raw_path import Scope, found_as_sent, refuse_no_text
from .refusals import Refused

LOG = logging.getLogger(__name__)
LOG_OF_REQUESTS = logging.getLogger("reconciler.http")
REQUESTS_LOG = logger_of(LOG_OF_REQUESTS.name)

MEDIA_TYPE: Final = "application/problem+json"

STATUS: Final[Mapping[str, int]] = {
    "invalid_plan": 422,
    "unknown_document": 404,
    "unknown_item": 404,
    "wrong_state": 409,
    "decision_refused": 409,
    "stale_evidence": 409,
    "binding_taken": 409,
    "ledger_unavailable": 503,
    "wrong_schema": 503,
    "foreign_ledger": 503,
    "commit_unknown": 503,
}
"""By the product's code; any other is a fault of ours, 500."""

TITLES: Final[Mapping[int, str]] = {
    400: "Not understood",
    401: "Not recognised",
    403: "Not allowed",
    404: "Not found",
    405: "Method not allowed",
    409: "Not as things stand",
    413: "Too large",
    415: "Not JSON",
    422: "Cannot be accepted",
    429: "Too many requests",
    500: "Unexpected",
    503: "Not now",
}

RETRY_AFTER_SECONDS: Final = "5"

NEXT: Final[Mapping[str, str]] = {
    "unknown_document": "GET /v1/documents lists those you may see",
    "commit_unknown": "send the same request again: nothing is made twice by it",
    "ledger_unavailable": "reconciler doctor",
}
"""What to do where the error itself does not say, or says it for programs inside."""

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class ProblemRoute(APIRoute):
    """A route whose every error is a problem, in whichever application it is mounted."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """By the path as it was sent."""
        return found_as_sent(super().matches, scope)

    def get_route_handler(self) -> Handler:
        """The handler, and the last line of defence around it."""
        inner = super().get_route_handler()

        async def handler(request: Request) -> Response:
            with bound_contextvars(**_told_with(request)):
                try:
                    refuse_no_text(request.scope)
                    response = await inner(request)
                except Exception as error:  # noqa: BLE001 - answered, logged, never shown raw
                    response = problem_of(error, request)
                self._note(request, response)
            return response

        return handler

    def _note(self, request: Request, response: Response) -> None:
        """By the route, never by the address as it came: a query may hold a secret (R096)."""
        status = response.status_code
        _counted(self.path, status).inc()
        if LOG_OF_REQUESTS.isEnabledFor(logging.INFO):  # to find out below costs more than the line
            REQUESTS_LOG.info("request", method=request.method, route=self.path, status=status)


@cache
def _counted(route: str, status: int) -> Counter:
    """The one figure of this pair, found once: as many as there are routes and answers."""
    return metrics.REQUESTS.labels(route=route, status=status)


def _told_with(request: Request) -> dict[str, str]:
    """What every line about this request bears, those of its errands too."""
    document_id = request.path_params.get("document_id")
    return {} if document_id is None else {"document": document_id}


def problem_of(error: Exception, request: Request | None = None) -> Response:
    """The answer to it. `request` None: no route of ours was asked."""
    match error:
        case Refused():
            return _refused(error)
        case ReconcilerError():
            return _of_product(error, request)
        case RequestValidationError():
            return _invalid(error)
        case HTTPException():
            return _of_framework(error)
    LOG.error("a request failed unexpectedly", exc_info=error)
    return problem(
        500,
        "unexpected",
        f"unexpected {type(error).__name__}; the service's log shows where it happened",
        next_step="send it again: a create is on record before it is sent, nothing is made twice",
    )


def problem(
    status: int,
    code: str,
    detail: str,
    *,
    next_step: str | None,
    headers: Mapping[str, str] | None = None,
    **more: Any,
) -> Response:
    """One problem, without secrets."""
    shape = {
        "type": f"urn:reconciler:problem:{code}",
        "title": TITLES[status],
        "status": status,
        "code": code,
        "detail": REDACTION(detail),
        "next": next_step or None,
        **more,
    }
    return JSONResponse(shape, status, headers=dict(headers or {}), media_type=MEDIA_TYPE)


def _refused(error: Refused) -> Response:
    more = {"errors": list(error.errors)} if error.errors else {}
    status = refusals.STATUS[error.code]
    return problem(
        status, error.code, error.detail, next_step=error.next_step, headers=error.headers, **more
    )


def _of_product(error: ReconcilerError, request: Request | None) -> Response:
    status = STATUS.get(error.code, 500)
    headers = {"Retry-After": RETRY_AFTER_SECONDS} if status == 503 else {}
    own = NEXT.get(error.code) if error.code == "commit_unknown" else error.next_step
    next_step = own or NEXT.get(error.code)
    if next_step and request is not None:
        next_step = said_to_a_client(next_step, request)
    more = {"errors": _faults(error)} if isinstance(error, InvalidPlan) else {}
    return problem(status, error.code, error.message, next_step=next_step, headers=headers, **more)


def _faults(error: InvalidPlan) -> list[dict[str, Any]]:
    return [
        {
            "item": fault.item,
            "field": fault.field,
            "problem": REDACTION(fault.problem),
            "instead": fault.instead,
        }
        for fault in error.errors
    ]


def _invalid(error: RequestValidationError) -> Response:
    """Says which parameter, never what stood in it."""
    faults = [
        {
            "item": None,
            "field": ".".join(str(part) for part in fault["loc"][1:]),
            "problem": str(fault["msg"]),
            "instead": "see GET /openapi.json",
        }
        for fault in error.errors()
    ]
    detail = "; ".join(f"{fault['field']}: {fault['problem']}" for fault in faults)
    next_step = "mend the request and send it again"
    return problem(422, "invalid_request", detail, next_step=next_step, errors=faults)


def _of_framework(error: HTTPException) -> Response:
    code = {404: "not_found", 405: "method_not_allowed"}.get(error.status_code, "invalid_request")
    status = refusals.STATUS[code]
    return problem(
        status, code, str(error.detail), next_step="see GET /openapi.json", headers=error.headers
    )
