"""What a trace tells: the calls of which an attempt and a look were made, and no secret."""

from __future__ import annotations

import asyncio
import inspect
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from adapters.observing import tracing
from adapters.observing.tracing import TracedGraph, tracer, watching
from fixtures.stage import Stage
from fixtures.world_graph import Sky
from reconciler import publish, settle
from reconciler.model import ItemState
from reconciler.outside import Outside
from reconciler.ports import Graph
from tests.crash.plans import ONE_AD

ASKS_NOBODY = {"is_app_throttled", "token_print"}


@pytest.fixture
def exported() -> InMemorySpanExporter:
    return InMemorySpanExporter()


@pytest.fixture
def provider(exported: InMemorySpanExporter) -> TracerProvider:
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exported))
    return provider


@pytest.fixture
def stage() -> Iterator[Stage]:
    stage = Stage(sky=Sky())
    yield stage
    stage.close()


def traced(stage: Stage, provider: TracerProvider) -> Outside:
    spans, outside = provider.get_tracer("reconciler"), stage.process()
    graph = TracedGraph(outside.graph, spans)
    return replace(outside, graph=graph, watch=watching(spans))


def parents(spans: tuple[ReadableSpan, ...]) -> list[tuple[str, str | None]]:
    """Each span's name with that of the one it was part of, in the order of their beginning."""
    names = {span.context.span_id: span.name for span in spans if span.context}
    began = sorted(spans, key=lambda span: span.start_time or 0)
    return [(one.name, names[one.parent.span_id] if one.parent else None) for one in began]


def test_a_publish_shows_its_attempt_and_the_create_in_it(
    stage: Stage, provider: TracerProvider, exported: InMemorySpanExporter
) -> None:
    document_id = stage.submit(ONE_AD)

    stage.time.run(publish.publish(document_id, traced(stage, provider)))

    document, spans = stage.document(document_id), exported.get_finished_spans()
    (attempt,) = [span for span in spans if span.name == "reconciler.attempt"]
    (create,) = [span for span in spans if span.name == "reconciler.graph.create"]
    assert ("reconciler.graph.create", "reconciler.attempt") in parents(spans)
    assert dict(attempt.attributes or {}) == {
        "reconciler.account": document.account_id,
        "reconciler.document": document_id,
        "reconciler.attempt": 1,
        "reconciler.epoch": document.lease_epoch,
    }
    assert (create.attributes or {})["reconciler.outcome"] == "created"
    intent = document.item("a1").intent
    assert intent is not None
    assert (create.attributes or {})["reconciler.external_id"] == intent.external_id


def test_a_recovery_shows_its_look_and_the_walks_in_it(
    stage: Stage, provider: TracerProvider, exported: InMemorySpanExporter
) -> None:
    document_id = stage.submit(ONE_AD)
    dying = stage.process(dies_at=number_of_the_create(), after=True)
    assert stage.dies(publish.publish(document_id, dying))
    stage.time.pass_(timedelta(minutes=5))

    stage.time.run(settle.settle(document_id, traced(stage, provider), asked=True))

    spans = exported.get_finished_spans()
    assert stage.document(document_id).item("a1").state is ItemState.CONFIRMED
    assert ("reconciler.graph.walk", "reconciler.look") in parents(spans)
    walk = next(span for span in spans if span.name == "reconciler.graph.walk")
    assert (walk.attributes or {})["reconciler.complete"] is True


def number_of_the_create() -> int:
    """Among the effects of a publish."""
    rehearsal = Stage()
    worker = rehearsal.worker()
    rehearsal.time.run(publish.publish(rehearsal.submit(ONE_AD), worker.outside))
    rehearsal.close()
    return worker.life.effects.index("graph.create")


def test_no_span_bears_a_name_a_parameter_or_a_token(
    stage: Stage, provider: TracerProvider, exported: InMemorySpanExporter
) -> None:
    document_id = stage.submit(ONE_AD)

    stage.time.run(publish.publish(document_id, traced(stage, provider)))

    told = "".join(span.to_json() for span in exported.get_finished_spans())
    assert ONE_AD["items"][0]["name"] not in told
    assert "adset_id" not in told
    assert "token" not in told


async def test_a_call_that_raises_tells_the_kind_and_never_the_text(
    provider: TracerProvider, exported: InMemorySpanExporter
) -> None:
    class Broken(Graph):
        async def probe(self, account_id: str) -> bool:
            raise RuntimeError("canary-in-the-text")

    with pytest.raises(RuntimeError):
        await TracedGraph(Broken(), provider.get_tracer("x")).probe("act_1")  # type: ignore[abstract]

    (span,) = exported.get_finished_spans()
    assert (span.attributes or {})["error.type"] == "RuntimeError"
    assert "canary" not in span.to_json()


def test_every_call_of_the_port_has_its_span(
    provider: TracerProvider, exported: InMemorySpanExporter
) -> None:
    """A call that were inherited in place of passed on would answer as if the API could not."""
    calls = {
        name for name, _ in inspect.getmembers(Graph, inspect.isfunction) if name.isidentifier()
    }
    calls = {name for name in calls if not name.startswith("_")}

    assert calls - set(vars(TracedGraph)) == set()
    for name in calls - ASKS_NOBODY:
        assert asyncio.iscoroutinefunction(getattr(TracedGraph, name))
        assert f'"{name}"' in inspect.getsource(getattr(TracedGraph, name))


def test_where_opentelemetry_is_not_installed_nothing_is_traced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry", None)

    assert tracing.tracer() is None


def test_where_no_sdk_was_brought_the_spans_record_nothing(stage: Stage) -> None:
    spans = tracer()
    assert spans is not None

    with watching(spans)("look", stage.document(stage.submit(ONE_AD))), spans.start_span("x") as x:
        assert not x.is_recording()
