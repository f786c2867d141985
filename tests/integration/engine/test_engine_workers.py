"""Workers that an engine wakes: the ledger's row is the queue, whatever becomes of the engine."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from procrastinate.exceptions import ConnectorException
from procrastinate.manager import JobManager

from adapters.engine import procrastinate_engine
from reconciler import events
from reconciler.errors import LedgerUnavailable
from reconciler.model import AttemptOutcome
from reconciler.publish import claim
from reconciler.serving import Happened, Happening
from tests.integration.engine.engine_stage import (
    IN_PROCESS,
    PUBLISHED,
    EngineStage,
    Life,
)

WIPE = "TRUNCATE procrastinate_jobs, procrastinate_workers, procrastinate_periodic_defers CASCADE"
SAY_AGAIN = """
INSERT INTO procrastinate_jobs (queue_name, task_name, args)
SELECT 'documents', 'advance', jsonb_build_object('document_id', id)
FROM document, generate_series(1, 3)
"""
JOBS_LEFT = "SELECT id FROM procrastinate_jobs WHERE task_name = 'advance'"


async def twelve(stage: EngineStage) -> list[str]:
    """Documents of two ads each, in four accounts."""
    return [
        await stage.queued(f"{n} / 1", f"{n} / 2", account=f"act_{1001 + n % 4}") for n in range(12)
    ]


TWELVE = sorted(f"{n} / {k}" for n in range(12) for k in (1, 2))


async def attempts(stage: EngineStage) -> set[tuple[AttemptOutcome | None, ...]]:
    """What became of the attempts of each document."""
    ids = [row["id"] for row in await stage.asked("SELECT id FROM document")]
    views = [await stage.ledger.read(each) for each in ids]
    return {tuple(attempt.outcome for attempt in view.document.attempts) for view in views}


async def happenings(stage: EngineStage, kind: str) -> int:
    """So many times this stands in the journals."""
    [counted] = await stage.asked("SELECT count(*) FROM journal WHERE kind = :kind", kind=kind)
    return int(counted["count"])


async def test_what_is_queued_before_and_while_it_works_is_published_and_made_once(
    stage: EngineStage,
) -> None:
    before = await stage.queued("before")
    life = stage.running()
    await life.until(lambda: before in life.told(Happening.ENDED))
    after = await stage.queued("after")
    await life.until(lambda: after in life.told(Happening.ENDED))

    worked = await life.ended()

    assert stage.made() == ["after", "before"]
    assert (worked.attempts, worked.errors) == ({"succeeded": 2}, 0)


async def test_the_engines_tables_wiped_under_way_and_everything_is_published_once(
    stage: EngineStage,
) -> None:
    """Also the workers of the engine are unknown to it then."""
    await twelve(stage)
    lives = [stage.life(), stage.life()]
    for life in lives:
        life.start()
    await lives[0].until(lambda: len(lives[0].told(Happening.TAKEN)) >= 2)
    await stage.asked(WIPE)

    await stage.until_all_are(PUBLISHED)

    assert stage.made() == TWELVE
    assert await attempts(stage) == {(AttemptOutcome.SUCCEEDED,)}


async def test_every_job_three_times_and_late_publishes_nothing_twice(stage: EngineStage) -> None:
    await twelve(stage)
    await stage.asked(SAY_AGAIN)
    lives = [stage.running(), stage.running()]
    await stage.until_all_are(PUBLISHED)
    await stage.asked(SAY_AGAIN)  # when all of it is done
    await stage.until_none(JOBS_LEFT)

    worked = [await life.ended() for life in lives]

    assert stage.made() == TWELVE
    assert await attempts(stage) == {(AttemptOutcome.SUCCEEDED,)}
    assert sum(each.attempts["succeeded"] for each in worked if each.attempts) == 12


async def test_a_job_of_a_document_that_nobody_knows_is_let_be(stage: EngineStage) -> None:
    await stage.asked(
        "INSERT INTO procrastinate_jobs (queue_name, task_name, args)"
        """ VALUES ('documents', 'advance', '{"document_id": "nobodys"}')"""
    )
    life = stage.running()
    await stage.until_none(JOBS_LEFT)

    assert (await life.ended()).errors == 0


async def test_a_job_whose_worker_died_keeps_its_lane_no_longer_than_a_part_of_a_lease(
    stage: EngineStage,
) -> None:
    """Of the engine's own: nothing but the lane is lost with it."""
    stage.limits = replace(stage.limits, account_concurrency=1)
    await stage.asked(
        "WITH dead AS (INSERT INTO procrastinate_workers (last_heartbeat)"
        " VALUES (now() - interval '1 minute') RETURNING id)"
        " INSERT INTO procrastinate_jobs (queue_name, task_name, lock, args, status, worker_id)"
        """ SELECT 'documents', 'advance', 'act_1001/0', '{"document_id": "d"}', 'doing', id"""
        " FROM dead"
    )
    await stage.queued("1")
    stage.running()

    await stage.until_all_are(PUBLISHED)

    assert stage.made() == ["1"]


async def test_an_end_of_a_job_that_could_not_be_said_keeps_no_lane(
    stage: EngineStage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its worker lives and would be heard of for ever; so it begins anew."""
    stage.limits = replace(stage.limits, account_concurrency=1)
    finish = JobManager.finish_job_by_id_async
    failed: list[int] = []

    async def fails_once(self: JobManager, job_id: int, *given: Any, **named: Any) -> None:
        if not failed:
            failed.append(job_id)
            raise ConnectorException
        await finish(self, job_id, *given, **named)

    first = await stage.queued("1")
    life = stage.life()
    monkeypatch.setattr(
        JobManager,
        "finish_job_by_id_async",
        lambda self, job_id, *given, **named: (
            fails_once(self, job_id, *given, **named)
            if first in life.told(Happening.ENDED)
            else finish(self, job_id, *given, **named)
        ),
    )
    life.start()
    await life.until(lambda: first in life.told(Happening.ENDED))
    await stage.queued("2")

    await stage.until_all_are(PUBLISHED)

    assert failed != []
    assert stage.made() == ["1", "2"]


async def test_a_periodic_job_that_could_not_be_said_stops_no_worker(
    stage: EngineStage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many workers say them at once, and may deadlock."""

    async def fails(*_: Any, **__: Any) -> int | None:
        raise ConnectorException

    monkeypatch.setattr(JobManager, "defer_periodic_job", fails)
    life = stage.running()
    document_id = await stage.queued("1")

    await life.until(lambda: document_id in life.told(Happening.ENDED))
    await life.ended()

    assert life.told(Happening.LEDGER_AWAY) == []


async def test_told_to_stop_while_the_engine_is_away_it_ends_in_order(
    stage: EngineStage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long its pause was to be."""

    def away(_: str) -> None:
        raise LedgerUnavailable("away")

    hour = timedelta(hours=1)
    stage.limits = replace(stage.limits, backoff_base=hour, backoff_cap=hour)
    monkeypatch.setattr(procrastinate_engine, "check", away)
    life = stage.running()
    await life.until(lambda: life.told(Happening.LEDGER_AWAY) != [])

    assert (await life.ended()).errors == 0


async def test_told_to_stop_before_the_engine_began_it_begins_nothing(
    stage: EngineStage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own workers forget that they were stopped when they begin."""
    life = stage.life()

    def told_meanwhile(_: str) -> None:
        life.is_stopping = True

    monkeypatch.setattr(procrastinate_engine, "check", told_meanwhile)
    life.start()
    await life.until_ended()

    assert await stage.asked("SELECT id FROM procrastinate_workers") == []
    assert await stage.asked("SELECT id FROM procrastinate_jobs") == []


async def test_a_document_that_fails_each_time_keeps_nobody_waiting(
    stage: EngineStage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R073, with one lane, in which it stands before the others."""
    stage.limits = replace(stage.limits, account_concurrency=1)
    poisonous, *others = [await stage.queued(str(n)) for n in range(5)]
    life = stage.life()
    change = stage.ledger.change

    async def poisoned(document_id: str, *given: Any, **named: Any) -> Any:
        if document_id == poisonous:
            raise ValueError("a row that no program can read")
        return await change(document_id, *given, **named)

    monkeypatch.setattr(stage.ledger, "change", poisoned)
    life.start()

    await life.until(lambda: set(life.told(Happening.ENDED)) == set(others))

    assert set(life.told(Happening.FAILED)) == {poisonous}


async def test_a_ledger_that_is_away_for_a_while_ends_no_worker(stage: EngineStage) -> None:
    """R062: every connection is cut, some in the middle of something that a lease must end."""
    seconds = timedelta(seconds=1)
    stage.limits = replace(stage.limits, lease=4 * seconds, call_timeout=2 * seconds)
    await twelve(stage)
    lives = [stage.running(), stage.running()]
    await lives[0].until(lambda: lives[0].told(Happening.TAKEN) != [])
    with suppress(psycopg.OperationalError):
        await stage.asked(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )

    await stage.until_all_are(PUBLISHED)
    for life in lives:
        await life.ended()

    assert stage.made() == TWELVE


# --- rolling deploys ----------------------------------------------------------------------------


async def test_old_and_new_workers_side_by_side_hand_over_without_a_recovery(
    stage: EngineStage,
) -> None:
    """One by one they are replaced while work comes in; of none is anything taken over."""
    old: list[Life] = [stage.running(IN_PROCESS), stage.running()]
    for n in range(6):
        await stage.queued(f"{n} / 1", f"{n} / 2", account=f"act_{1001 + n % 4}")
    new = [stage.running()]
    for life in old:
        await life.ended()
    for n in range(6, 12):
        await stage.queued(f"{n} / 1", f"{n} / 2", account=f"act_{1001 + n % 4}")

    await stage.until_all_are(PUBLISHED)
    await new[0].ended()

    assert stage.made() == TWELVE
    assert await happenings(stage, events.TAKEN_OVER) == 0
    assert not any(AttemptOutcome.ORPHANED in each for each in await attempts(stage))
    assert await stage.asked("SELECT owner FROM worker") == []


async def test_told_to_stop_it_saves_what_is_in_flight_and_hands_the_rest_back(
    stage: EngineStage,
) -> None:
    """R077."""
    document_id = await stage.queued(*"12345678")
    life = stage.life()
    stage.graph.sky.latency = timedelta(seconds=0.2)

    def stop_at_the_first(happened: Happened) -> None:
        life.is_stopping = life.is_stopping or happened.what is Happening.TAKEN

    life.on_told = stop_at_the_first
    life.start()
    await life.until(lambda: life.told(Happening.ENDED) != [])
    worked = await life.ended()

    document = (await stage.ledger.read(document_id)).document
    saved = [item.intent.external_id for item in document.items if item.intent]
    assert worked.attempts == {"handed_back": 1}
    assert (document.attempts_used, document.lease) == (0, None)
    assert sorted(filter(None, saved)) == sorted(m.id for m in stage.world.log if m.kind == "ad")


async def test_cancelled_at_once_it_ends_at_once(stage: EngineStage) -> None:
    """The second signal: what is unknown is left to the next look."""
    stage.graph.sky.latency = timedelta(hours=1)
    await stage.queued("1")
    life = stage.running()
    await life.until(lambda: life.told(Happening.TAKEN) != [])

    async with asyncio.timeout(50):
        await life.cancelled()

    assert [row["state"] for row in await stage.asked("SELECT state FROM document")] == [
        "publishing"
    ]


async def test_a_crashed_document_is_taken_over_once_by_whichever_engine(
    stage: EngineStage,
) -> None:
    """Two sweep at once; one works, or both do and one of them is too late."""
    document_id = await stage.queued("1")
    assert await claim(document_id, "act_1001", stage.outside())
    await stage.asked("UPDATE document SET lease_until = 1")
    await stage.asked("UPDATE attempt SET lease_until = 1")

    stage.running(IN_PROCESS)
    stage.running()
    stage.running()
    await stage.until_all_are(PUBLISHED)

    assert stage.made() == ["1"]
    assert await happenings(stage, events.TAKEN_OVER) == 1
    assert await attempts(stage) == {(AttemptOutcome.ORPHANED, AttemptOutcome.SUCCEEDED)}
