"""Traces: a span for an attempt, for a look, and for every call of the API's port.

Only OpenTelemetry's API is used. Where a program brings no SDK a span is a few microseconds of
nothing, and where the API is not installed there is none. A span bears ids, kinds and outcomes;
never a name, a parameter, an address or a token. Nothing of it is sent to the API.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from reconciler.activity_log import LoggedCreations, UnreadLog
from reconciler.call_outcome import Answer, CreateRequest
from reconciler.listing import Keep, Listing, Walk, WalkRequest
from reconciler.model import Document
from reconciler.outside import Watch, Work
from reconciler.ports import Graph

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer

NAME: Final = "reconciler"
"""Of the tracer, and before every name of a span and an attribute."""

Step = Callable[[], None]


def tracer() -> Tracer | None:
    """Of whatever SDK the program has set up; None where OpenTelemetry is not installed."""
    try:
        from opentelemetry import trace
    except ModuleNotFoundError:
        return None
    return trace.get_tracer(NAME)


def watching(spans: Tracer) -> Watch:
    """A span around every attempt and every look, with the document, its attempt and its epoch."""

    @contextmanager
    def watch(work: Work, document: Document) -> Iterator[None]:
        with _span(spans, work, document.account_id) as span:
            span.set_attribute(f"{NAME}.document", document.id)
            span.set_attribute(f"{NAME}.attempt", len(document.attempts))
            span.set_attribute(f"{NAME}.epoch", document.lease_epoch)
            yield

    return watch


class TracedGraph(Graph):
    """The API's port with a span around each of its calls that goes outside."""

    def __init__(self, graph: Graph, spans: Tracer) -> None:
        self._graph = graph
        self._spans = spans

    async def create(self, request: CreateRequest, *, within: timedelta) -> Answer:
        """One span, with the kind, and what came of it."""
        with self._span("create", request.account_id) as span:
            span.set_attribute(f"{NAME}.kind", request.kind)
            answer = await self._graph.create(request, within=within)
            _note_answer(span, answer)
            return answer

    async def create_many(
        self, requests: Sequence[CreateRequest], *, within: timedelta
    ) -> tuple[Answer, ...]:
        """One span, for they are one request; an event for each answer."""
        with self._span("create_many", requests[0].account_id) as span:
            span.set_attribute(f"{NAME}.creates", len(requests))
            answers = await self._graph.create_many(requests, within=within)
            for answer in answers:
                span.add_event("answered", {f"{NAME}.outcome": answer.outcome})
            return answers

    async def keep_pace(self, account_id: str, *, within: timedelta) -> None:
        """A span where it waits, and where it does not."""
        with self._span("keep_pace", account_id):
            await self._graph.keep_pace(account_id, within=within)

    async def walk(
        self,
        request: WalkRequest,
        keep: Keep,
        now: Callable[[], Awaitable[datetime]],
        *,
        step: Step = lambda: None,
    ) -> Walk:
        """One span for all its pages."""
        with self._span("walk", request.account_id) as span:
            walk = await self._graph.walk(request, keep, now, step=step)
            _note_walk(span, walk)
            return walk

    async def walk_ours(
        self,
        request: WalkRequest,
        label: str,
        keep: Keep,
        now: Callable[[], Awaitable[datetime]],
        *,
        step: Step = lambda: None,
    ) -> Walk | None:
        """As `walk`."""
        with self._span("walk_ours", request.account_id) as span:
            walk = await self._graph.walk_ours(request, label, keep, now, step=step)
            if walk is not None:
                _note_walk(span, walk)
            return walk

    async def logged_creations(
        self, account_id: str, since: datetime, until: datetime
    ) -> LoggedCreations | UnreadLog:
        """One span for all its pages."""
        with self._span("logged_creations", account_id):
            return await self._graph.logged_creations(account_id, since, until)

    async def has_label(self, account_id: str, name: str) -> bool | None:
        """One span."""
        with self._span("has_label", account_id):
            return await self._graph.has_label(account_id, name)

    async def probe(self, account_id: str) -> bool:
        """One span."""
        with self._span("probe", account_id):
            return await self._graph.probe(account_id)

    def is_app_throttled(self, account_id: str) -> bool:
        """Asks nobody: no span."""
        return self._graph.is_app_throttled(account_id)

    def token_print(self, account_id: str) -> str | None:
        """Asks nobody: no span."""
        return self._graph.token_print(account_id)

    @contextmanager
    def _span(self, call: str, account_id: str) -> Iterator[Span]:
        with _span(self._spans, f"graph.{call}", account_id) as span:
            yield span


@contextmanager
def _span(spans: Tracer, name: str, account_id: str) -> Iterator[Span]:
    """An exception's text may hold what must not leave: its kind is told, and no more."""
    with spans.start_as_current_span(
        f"{NAME}.{name}", record_exception=False, set_status_on_exception=False
    ) as span:
        span.set_attribute(f"{NAME}.account", account_id)
        try:
            yield span
        except BaseException as error:
            span.set_attribute("error.type", type(error).__name__)
            raise


def _note_answer(span: Span, answer: Answer) -> None:
    span.set_attribute(f"{NAME}.outcome", answer.outcome)
    if answer.external_id is not None:
        span.set_attribute(f"{NAME}.external_id", answer.external_id)


def _note_walk(span: Span, walk: Walk) -> None:
    span.set_attribute(f"{NAME}.pages", walk.pages)
    span.set_attribute(f"{NAME}.rows", walk.row_count)
    is_complete = isinstance(walk, Listing)
    span.set_attribute(f"{NAME}.complete", is_complete)
    if not isinstance(walk, Listing):
        span.set_attribute(f"{NAME}.reason", walk.reason)
