"""The service's figures and log lines: of the ledger as it stands, and without what it was sent."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from adapters.observing import JsonFormatter, Observer
from fixtures.stage import Stage
from reconciler.model import DocumentState
from tests.crash.plans import ONE_AD, ads
from tests.crash.sqlite_ledgers import sqlite_in_memory
from tests.integration.crashed import crashed_after_create
from tests.integration.elsewhere import Elsewhere, finished, line
from tests.integration.web.in_process import asked
from tests.integration.web.keyed import ledger_of
from tests.integration.web.test_documents import DOCUMENTS

PLACE = f"{DOCUMENTS}/{{document_id}}"
CANARY = "EAACANARYquery0123456789"


async def figures(client: httpx.AsyncClient) -> dict[str, float]:
    answer = await client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    return {
        "".join([sample.name, *sample.labels.values()]): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


async def said_of_figures(client: httpx.AsyncClient) -> dict[str, str]:
    text = (await client.get("/metrics")).text
    return {family.name: family.documentation for family in text_string_to_metric_families(text)}


def test_the_figures_tell_how_the_ledger_stands(stage: Stage) -> None:
    document_id = crashed_after_create(stage)
    stage.submit(ads("Spring / 2"))
    stage.time.pass_(timedelta(seconds=60))
    since = stage.document(document_id).since

    shown = asked(stage, figures)

    assert shown["reconciler_documentspublishing"] == 1
    assert shown["reconciler_documentsdraft"] == 1
    assert shown["reconciler_documentspublished"] == 0
    waits = (stage.time.now() - since).total_seconds()
    assert shown["reconciler_oldest_unsettled_seconds"] == pytest.approx(waits)
    assert shown["reconciler_human_queue_oldest_seconds"] == 0
    assert shown["reconciler_worker_seen_seconds"] == float("inf")

    stage.time.run(stage.ledger.beat("a worker"))
    assert asked(stage, figures)["reconciler_worker_seen_seconds"] == 0


def test_what_no_worker_settles_waits_in_a_figure_of_its_own() -> None:
    stage = Stage(open_ledger=sqlite_in_memory)  # the promise is about documents of ours
    stage.time.pass_(timedelta(hours=1))
    Elsewhere(stage).imports(line("old", "A"), finished("over", R="901") | {"names": ["R", "S"]})
    stage.time.pass_(timedelta(hours=3))

    shown, helps = asked(stage, figures), asked(stage, said_of_figures)
    stage.close()

    assert shown["reconciler_oldest_unsettled_seconds"] == 0
    assert "of our own documents" in helps["reconciler_oldest_unsettled_seconds"]
    assert "imported" in helps["reconciler_imported_unsettled_oldest_seconds"]
    three_hours = pytest.approx(timedelta(hours=3).total_seconds(), abs=1)
    assert shown["reconciler_imported_unsettled_oldest_seconds"] == three_hours


def test_what_came_from_elsewhere_waits_since_its_present_state_began() -> None:
    """A look that came too soon took it over, so it counts anew; its import is longer ago."""
    stage = Stage(open_ledger=sqlite_in_memory)
    elsewhere = Elsewhere(stage)
    stage.time.pass_(timedelta(hours=1))
    elsewhere.imports(line("old", "A"), gone_before=stage.time.now())
    stage.time.pass_(timedelta(seconds=30))
    looked = elsewhere.recovered("old")
    stage.time.pass_(timedelta(seconds=20))

    shown = asked(stage, figures)
    stage.close()

    assert looked.state is DocumentState.QUEUED
    twenty = pytest.approx(20, abs=1)
    assert shown["reconciler_imported_unsettled_oldest_seconds"] == twenty


def test_requests_are_counted_by_route_and_told_without_their_query(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    """R096: an address that came in may hold a secret."""
    document_id = stage.submit(ONE_AD)

    async def asking(client: httpx.AsyncClient) -> tuple[float, float]:
        counter = f"reconciler_http_requests_total{PLACE}200"
        before = (await figures(client)).get(counter, 0.0)
        await client.get(f"{DOCUMENTS}/{document_id}", params={"access_token": CANARY})
        return before, (await figures(client))[counter]

    with caplog.at_level(logging.INFO, logger="reconciler.http"):
        before, after = asked(stage, asking)

    assert after == before + 1
    formatter = JsonFormatter(lambda text: text)
    told = [formatter.format(one) for one in caplog.records if one.name == "reconciler.http"]
    assert any(f'"document": "{document_id}"' in line for line in told)
    assert CANARY not in "".join(told)


def fields_of(record: logging.LogRecord) -> dict[str, Any]:
    fields: dict[str, Any] = record.__dict__["fields"]
    return fields


def test_lines_of_what_a_request_began_bear_its_document(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    sql: Any = ledger_of(stage)
    sql.watcher = Observer()
    document_id = stage.submit(ONE_AD)

    async def asking(client: httpx.AsyncClient) -> None:
        await client.post(f"{DOCUMENTS}/{document_id}/publish")

    with caplog.at_level(logging.INFO):
        asked(stage, asking)

    told = [one for one in caplog.records if one.name == "reconciler.document"]
    journal = stage.time.run(stage.ledger.journal(document_id))
    assert [fields_of(one)["event"] for one in told] == [line.event.kind for line in journal[1:]]
    assert {fields_of(one)["document"] for one in told} == {document_id}
