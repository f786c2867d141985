"""What a read of a healthy document costs: one query, and nothing is asked of the API."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import Connection

from adapters.bootstrap import Reconciler
from adapters.store.ledger import SqlLedger
from adapters.store.sqlite import SqliteLedger
from adapters.store.statement import Found, Statement, Values
from fixtures.crash_points import DyingGraph, Process
from fixtures.stage import Stage
from reconciler.model import Document, DocumentState, ItemState, NextAction
from reconciler.outside import Outside
from tests.contract.ledger_documents import (
    MINUTE,
    attempt,
    bound,
    document,
    extra,
    item,
    publishing,
    put,
    queued,
)
from tests.contract.ledgers import NOON, StandingClock
from tests.databases import new_file, opened

HEALTHY: dict[str, Document] = {
    "a draft": document(),
    "queued": queued("d1", due_at=NOON + MINUTE),
    "being published": publishing("d1", bound("a1", "7"), item("a2")),
    "published": document(
        "d1",
        bound("a1", "7"),
        state=DocumentState.PUBLISHED,
        attempts=(attempt(finished_at=NOON),),
        surplus=(extra("8"),),
    ),
    "failed": document("d1", item("a1", state=ItemState.REJECTED), state=DocumentState.FAILED),
}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Statement]:
    """The queries that were run, in order."""
    queries: list[Statement] = []
    found = Statement.found

    def counting(query: Statement, connection: Connection, values: Values) -> list[Found]:
        queries.append(query)
        return found(query, connection, values)

    monkeypatch.setattr(Statement, "found", counting)
    return queries


async def _nothing() -> None:
    pass


def watched(stage: Stage, ledger: SqlLedger) -> tuple[Outside, Process]:
    """A process on that ledger, and what it asked of the API."""
    life = Process()
    outside = replace(stage.process(), ledger=ledger, graph=DyingGraph(stage.graph, life))
    return outside, life


@pytest.mark.parametrize("healthy", HEALTHY.values(), ids=HEALTHY)
async def test_a_healthy_read_is_one_query_and_asks_nothing_of_the_api(
    healthy: Document, ledger_url: str, asked: list[Statement]
) -> None:
    stage = Stage()
    async with opened(ledger_url, StandingClock()) as ledger:
        await put(ledger, healthy)
        await ledger.beat("a worker")
        outside, life = watched(stage, ledger)
        product = Reconciler(outside, read_budget=timedelta(seconds=2), close=_nothing)
        asked.clear()

        settled = await product.read("d1")

    stage.close()
    assert (len(asked), life.effects) == (1, [])
    assert settled.view.document == replace(healthy, next=settled.view.document.next)
    assert settled.view.worker_seen


async def test_what_the_database_itself_is_told_is_that_query_and_its_transaction(
    tmp_path: Path,
) -> None:
    told: list[str] = []
    ledger = SqliteLedger.open(new_file(tmp_path), now=StandingClock(), inline=True)
    await put(ledger, HEALTHY["published"])
    ledger._database._driver.set_trace_callback(told.append)

    await ledger.read("d1")

    ledger._database._driver.set_trace_callback(None)
    await ledger.aclose()
    begin, query, end = told
    assert (begin.split()[0], query.split()[0], end.split()[0]) == ("BEGIN", "SELECT", "COMMIT")


async def test_a_worker_that_was_not_seen_lately_is_none_to_wait_for(ledger_url: str) -> None:
    clock, stage = StandingClock(), Stage()
    async with opened(ledger_url, clock) as ledger:
        await put(ledger, queued("d1"))
        outside, _ = watched(stage, ledger)
        product = Reconciler(outside, read_budget=timedelta(seconds=2), close=_nothing)

        nobody = (await product.read("d1")).view
        await ledger.beat("a worker")
        somebody = (await product.read("d1")).view
        clock.pass_by(3 * MINUTE)
        gone = (await product.read("d1")).view

    stage.close()
    assert [view.worker_seen for view in (nobody, somebody, gone)] == [False, True, False]
    assert nobody.document.next.action is NextAction.PUBLISH
