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


async def test_a_transaction_with_a_search_path_of_its_own_enqueues_in_ours(
    stage: EngineStage,
) -> None:
    """An application that has an engine too, in a schema that it looks through first."""
    await put(stage.ledger, document("d1", state=DocumentState.DRAFT))
    with psycopg.connect(stage.url) as theirs:
        theirs.execute("CREATE SCHEMA theirs")
        theirs.execute("CREATE TABLE theirs.procrastinate_jobs (LIKE public.procrastinate_jobs)")
        theirs.execute("SET search_path TO theirs, public")
        theirs.execute("UPDATE document SET state = 'queued', due_at = 0")

    assert waiting(stage.url) == ["d1"]
    assert asked(stage.url, "SELECT id FROM theirs.procrastinate_jobs") == []


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
        "DROP FUNCTION engine_look_at",
    ],
)
async def test_whatever_is_wrong_with_the_engine_harms_no_transition(
    stage: EngineStage, harm: str
) -> None:
    asked(stage.url, harm)

    await put(stage.ledger, queued("d1"))

    assert (await stage.ledger.read("d1")).document.state is DocumentState.QUEUED


async def test_a_user_who_may_not_run_the_engines_function_is_not_harmed(
    stage: EngineStage,
) -> None:
    await put(stage.ledger, document("d1"))
    with psycopg.connect(stage.url) as connection:
        connection.execute("CREATE ROLE no_engine")
        connection.execute("GRANT SELECT, UPDATE ON document TO no_engine")
        connection.execute("REVOKE EXECUTE ON FUNCTION engine_look_at FROM PUBLIC")
        connection.execute("SET LOCAL ROLE no_engine")

        moved = connection.execute("UPDATE document SET state = 'queued', due_at = 1")

        assert moved.rowcount == 1
        connection.rollback()  # a role is of the whole server


@pytest.mark.parametrize("locked", ["procrastinate_jobs", "engine_schema"])
async def test_who_locks_the_engines_tables_keeps_no_transition_waiting(
    stage: EngineStage, locked: str
) -> None:
    """Not even one of many documents: they would wait one after the other. Its own limit on waits
    is what it was, and the next transaction enqueues."""
    await put(stage.ledger, *(document(f"d{n}", account_id=f"act_{n}") for n in range(100)))
    with psycopg.connect(stage.url) as owner, psycopg.connect(stage.url) as connection:
        connection.execute("SET lock_timeout = '7min'")
        connection.execute("SET statement_timeout = '10s'")  # one by one they would take 20 s
        owner.execute(f"LOCK TABLE {locked} IN ACCESS EXCLUSIVE MODE")

        connection.execute("UPDATE document SET state = 'queued', due_at = 1")

        assert connection.execute("SHOW lock_timeout").fetchall() == [("7min",)]
        connection.commit()
        owner.rollback()
        assert waiting(stage.url) == []
        connection.execute("UPDATE document SET due_at = 2 WHERE id = 'd1'")
    assert waiting(stage.url) == ["d1"]


async def test_an_open_transaction_that_enqueued_keeps_nobody_of_its_lane_waiting(
    stage: EngineStage,
) -> None:
    """As of a caller's own, which may stay open for long. Others of the same transaction are
    enqueued all the same."""
    others = [document(f"d{n}") for n in (1, 2)]
    await put(stage.ledger, *others, document("e1", account_id="act_2"))
    with psycopg.connect(stage.url) as caller, psycopg.connect(stage.url) as connection:
        caller.execute("UPDATE document SET state = 'queued', due_at = 1 WHERE id = 'd1'")

        for each in ("d2", "e1"):
            due = "UPDATE document SET state = 'queued', due_at = 1 WHERE id = %s"
            connection.execute(due, [each])
        connection.commit()

        assert waiting(stage.url) == ["e1"]
    assert sorted(waiting(stage.url)) == ["d1", "e1"]
