"""`GET /metrics`: this process's counters, and gauges of the ledger as it stands now."""

from __future__ import annotations

import math
from datetime import datetime
from typing import Final

from fastapi import APIRouter, Depends, Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from reconciler.model import DocumentState

from ..observing import REGISTRY, metrics
from ..store.standing import Standing
from .access import Scope
from .desk import Desk
from .problems import ProblemRoute
from .router import ALWAYS, problem_answers

PATH: Final = "/metrics"


def metrics_router(desk: Desk) -> APIRouter:
    """For who holds the scope `admin`."""
    router = APIRouter(route_class=ProblemRoute, tags=["service"])

    async def shown_metrics() -> Response:
        """Figures in the text format of Prometheus."""
        show(await desk.service.ledger.standing())
        return Response(generate_latest(REGISTRY), media_type=CONTENT_TYPE_LATEST)

    text = {"content": {CONTENT_TYPE_LATEST.partition(";")[0]: {"schema": {"type": "string"}}}}
    router.add_api_route(
        PATH,
        shown_metrics,
        methods=["GET"],
        response_class=Response,
        dependencies=[Depends(desk.needs(Scope.ADMIN))],
        responses={200: {"description": "As they are.", **text}, **problem_answers(ALWAYS)},
        openapi_extra={"x-scope": Scope.ADMIN.value},
    )
    return router


def show(standing: Standing) -> None:
    """Set the gauges."""
    for state in DocumentState:
        metrics.DOCUMENTS.labels(state=state.value).set(standing.counts.get(state, 0))
    now = standing.now
    metrics.OLDEST_UNSETTLED.set(_seconds(standing.unsettled_since, now, none=0))
    metrics.OLDEST_IMPORTED.set(_seconds(standing.imported_since, now, none=0))
    metrics.OLDEST_HELD.set(_seconds(standing.held_since, now, none=0))
    metrics.WORKER_SEEN.set(_seconds(standing.worker_seen_at, now, none=math.inf))


def _seconds(since: datetime | None, now: datetime, *, none: float) -> float:
    return none if since is None else max(0.0, (now - since).total_seconds())
