"""A document that becomes due is enqueued in the same transaction, and never harmed by it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import psycopg
import pytest

from reconciler.model import DocumentState, Origin, Purpose
from reconciler.ports import Anyhow
from tests.contract.ledger_documents import document, leased, put, queued, setting
from tests.contract.ledgers import NOON
from tests.databases import asked
from tests.integration.engine.engine_stage import EngineStage

JOBS = "SELECT queue_name, task_name, lock, queueing_lock, args FROM procrastinate_jobs ORDER BY id"


def waiting(url: str) -> list[str]:
    """The documents of the jobs."""
    return [job["args"]["document_id"] for job in asked(url, JOBS)]


async def test_a_job_carries_a_document_id_and_nothing_else(stage: EngineStage) -> None:
    await put(stage.ledger, queued("d1"))

    [job] = asked(stage.url, JOBS)

    assert job == {
        "queue_name": "documents",
        "task_name": "advance",
        "lock": "act_1001/0",
        "queueing_lock": "act_1001/0",
        "args": {"document_id": "d1"},
    }


@pytest.mark.parametrize(
    "changed",
    [
        {"due_at": None},
        {"due_at": NOON + timedelta(days=40_000)},
        {"origin": Origin.IMPORTED},
        {"state": DocumentState.DRAFT},
        leased(Purpose.SETTLE, NOON),
    ],
    ids=["never due", "due later", "imported", "a draft", "in somebody's hands"],
)
async def test_what_no_worker_may_take_now_is_not_enqueued(
    stage: EngineStage, changed: dict[str, Any]
) -> None:
    await put(stage.ledger, queued("d1", **changed))

    assert waiting(stage.url) == []


async def test_a_transition_of_the_ledger_enqueues(stage: EngineStage) -> None:
    await put(stage.ledger, document("d1"), document("d2", account_id="act_2"))

    due = setting(state=DocumentState.QUEUED, due_at=NOON)
    assert await stage.ledger.change("d1", Anyhow(), due)

    assert waiting(stage.url) == ["d1"]


async def test_the_job_is_there_with_the_transition_and_not_before(stage: EngineStage) -> None:
    """Rolled back, neither is."""
    await put(stage.ledger, document("d1"))
    with psycopg.connect(stage.url) as connection:
        connection.execute("UPDATE document SET state = 'queued', due_at = 1")
        inside = connection.execute("SELECT count(*) FROM procrastinate_jobs").fetchall()
        outside = waiting(stage.url)
        connection.rollback()

    assert (inside, outside, waiting(stage.url)) == ([(1,)], [], [])


async def test_of_one_account_few_jobs_wait_however_many_documents_it_has(
    stage: EngineStage,
) -> None:
    asked(stage.url, "UPDATE engine_schema SET lanes = 2")
    others = [queued(f"e{n}", account_id=f"act_{n}") for n in range(3)]
    await put(stage.ledger, *(queued(f"d{n}") for n in range(30)), *others)

    locks = [job["lock"].partition("/")[0] for job in asked(stage.url, JOBS)]

    assert locks == ["act_1001", "act_1001", "act_0", "act_1", "act_2"]


@pytest.mark.parametrize(
    "harm",
    [
        "DROP TABLE procrastinate_jobs CASCADE",
        "DELETE FROM engine_schema",
        "DROP FUNCTION procrastinate_defer_jobs_v1",
        "DROP TABLE engine_schema",
    ],
)
async def test_whatever_is_wrong_with_the_engine_harms_no_transition(
    stage: EngineStage, harm: str
) -> None:
    asked(stage.url, harm)

    await put(stage.ledger, queued("d1"))

    assert (await stage.ledger.read("d1")).document.state is DocumentState.QUEUED
