"""Two processes at one document: who was quicker, and what moved while somebody looked."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from fixtures.lives import DiesAt, IsStopped
from fixtures.stage import Stage, advance
from fixtures.world_graph import Weather
from reconciler import cancel, publish, settle
from reconciler.limits import Limits
from reconciler.model import (
    AttemptOutcome,
    Document,
    DocumentState,
    Echo,
    Grade,
    ItemState,
    Purpose,
    Reason,
)
from reconciler.outside import Outside
from tests.crash.plans import ONE_AD, ads
from tests.crash.promise import assert_promise
from tests.integration.crashed import LEASE_SECONDS, crashed_after_create
from tests.integration.held import held_beside_a_stranger


@pytest.fixture
def stage() -> Iterator[Stage]:
    made = Stage()
    yield made
    assert_promise(made)
    made.close()


# --- who was quicker -----------------------------------------------------------------------------


def test_r067_a_recovery_that_works_from_an_old_list_changes_nothing(stage: Stage) -> None:
    """R067: both read it as stranded; one finishes it, the other takes its lease only then."""
    document_id = crashed_after_create(stage)
    slow = stage.worker(IsStopped(effect="ledger.SettleLease", stops_for=3600.0)).outside

    document, walks = stage.time.run(_finished_meanwhile(stage, document_id, slow))

    assert (document.state, walks) == (DocumentState.PUBLISHED, [])
    assert stage.document(document_id).items == document.items


async def _finished_meanwhile(stage: Stage, document_id: str, slow: Outside) -> tuple[Any, Any]:
    late = asyncio.create_task(settle.settle(document_id, slow))
    await asyncio.sleep(1)
    await settle.settle(document_id, stage.process())
    await asyncio.sleep(600)
    await settle.settle(document_id, stage.process())  # the owed look
    walks = len(stage.graph.walks)
    await late
    return (await stage.ledger.read(document_id)).document, stage.graph.walks[walks:]


def test_r058_a_sweep_that_comes_too_late_leaves_a_finished_document_alone(stage: Stage) -> None:
    """R058: stopped between its read and its update; meanwhile the worker finishes by itself."""
    stage.sky.latency = timedelta(seconds=20)
    document_id = stage.submit(ONE_AD)
    worker = stage.worker(IsStopped(effect="ledger.Fenced", nth=1, stops_for=110.0)).outside
    sweeper = stage.worker(IsStopped(effect="ledger.Takeover", stops_for=60.0)).outside

    stage.time.run(_swept_meanwhile(document_id, worker, sweeper))

    document = stage.document(document_id)
    (attempt,) = document.attempts
    assert document.state is DocumentState.PUBLISHED
    assert attempt.outcome is not AttemptOutcome.ORPHANED
    assert attempt.error is None
    assert stage.graph.walks == []


async def _swept_meanwhile(document_id: str, worker: Outside, sweeper: Outside) -> None:
    publishing = asyncio.create_task(publish.publish(document_id, worker))
    await asyncio.sleep(LEASE_SECONDS + 1)  # the lease ended while the worker stood still
    await settle.settle(document_id, sweeper)
    await publishing


@pytest.mark.parametrize("stops_for", [1.0, 200.0], ids=["in time", "after its lease was taken"])
def test_r066_the_first_save_bears_the_fence_of_the_claim(stage: Stage, stops_for: float) -> None:
    """R066: an id is saved before any renewal; after a takeover it is a fact and no decision."""
    document_id = stage.submit(ONE_AD)
    worker = stage.worker(
        IsStopped(effect="graph.create", after=True, nth=0, stops_for=stops_for)
    ).outside

    document = stage.time.run(_saved_late(stage, document_id, worker))

    (attempt,) = document.attempts
    taken = stops_for > LEASE_SECONDS
    assert attempt.outcome is (AttemptOutcome.ORPHANED if taken else AttemptOutcome.SUCCEEDED)
    assert stage.run_until_rest(document_id).state is DocumentState.PUBLISHED
    assert len(stage.graph.creates) == 1


async def _saved_late(stage: Stage, document_id: str, worker: Outside) -> Document:
    publishing = asyncio.create_task(publish.publish(document_id, worker))
    await asyncio.sleep(LEASE_SECONDS + 1)
    await settle.settle(document_id, stage.process())
    await publishing
    return (await stage.ledger.read(document_id)).document


def test_a_worker_that_wakes_after_its_lease_sends_nothing(stage: Stage) -> None:
    """Frozen between the intent and the create; meanwhile another proved it absent and made it."""
    document_id = stage.submit(ONE_AD)
    frozen = IsStopped(effect="ledger.Fenced", after=True, stops_for=1000.0)

    stage.time.run(_made_meanwhile(stage, document_id, stage.worker(frozen).outside))

    document = stage.document(document_id)
    assert document.state is DocumentState.PUBLISHED
    assert [attempt.outcome for attempt in document.attempts] == [
        AttemptOutcome.ORPHANED,
        AttemptOutcome.SUCCEEDED,
    ]
    assert len(stage.graph.creates) == 1


async def _made_meanwhile(stage: Stage, document_id: str, frozen: Outside) -> None:
    sleeping = asyncio.create_task(publish.publish(document_id, frozen))
    for _ in range(10):
        await asyncio.sleep(70)
        await advance(document_id, stage.process())
    await sleeping


def test_two_settlers_at_once_send_one_walk(stage: Stage) -> None:
    document_id = crashed_after_create(stage)

    async def both() -> list[settle.Settled]:
        runs = (settle.settle(document_id, stage.process()) for _ in range(2))
        return list(await asyncio.gather(*runs))

    settled = stage.time.run(both())

    assert sorted(one.looked for one in settled) == [False, True]
    assert sorted(one.held_by_another for one in settled) == [False, True]
    assert len(stage.graph.walks) == 1


def test_a_settler_that_died_is_followed_by_the_next(stage: Stage) -> None:
    document_id = crashed_after_create(stage)
    dying = stage.worker(DiesAt(effect="graph.walk")).outside
    assert stage.dies(settle.settle(document_id, dying))
    lease = stage.document(document_id).lease
    assert lease is not None
    assert lease.purpose is Purpose.SETTLE

    assert stage.settle(document_id).held_by_another
    stage.time.pass_until(lease.until)
    settled = stage.settle(document_id)

    assert settled.view.document.item("a1").state is ItemState.CONFIRMED


# --- what moved while somebody looked ------------------------------------------------------------


def test_a_settler_that_wakes_after_its_document_was_cancelled_writes_nothing() -> None:
    """Its lease ended, so the cancel was at once; what it holds to write is about another state."""
    stage = Stage()
    document_id, _ = held_beside_a_stranger(stage)
    sleeper = stage.worker(IsStopped(effect="graph.walk", after=True, stops_for=600.0)).outside

    async def story() -> settle.Settled:
        asked = asyncio.create_task(settle.settle(document_id, sleeper, asked=True))
        await asyncio.sleep(LEASE_SECONDS + 60)
        await cancel.cancel(document_id, stage.process())
        return await asked

    settled = stage.time.run(story())

    document = stage.document(document_id)
    assert (document.state, document.lease) == (DocumentState.CANCELLED, None)
    assert settled.view.document == document
    stage.close()


def test_an_answer_that_comes_while_somebody_looks_makes_the_look_stale(stage: Stage) -> None:
    """It says "unknown", and by that moves the bound: an absence judged before rests on nothing."""
    stage.sky.by_number = {0: Weather.ERROR_BEFORE}
    document_id = stage.submit(ONE_AD)
    life = IsStopped(effect="graph.create", after=True, stops_for=310.0)

    document = stage.time.run(_answered_in_a_walk(stage, document_id, stage.worker(life).outside))

    assert document.item("a1").state is ItemState.PENDING
    assert [judged.reason for judged in document.verdicts] == [Reason.TOO_SOON]
    assert stage.run_until_rest(document_id).state is DocumentState.PUBLISHED


async def _answered_in_a_walk(stage: Stage, document_id: str, worker: Outside) -> Document:
    publishing = asyncio.create_task(publish.publish(document_id, worker))
    await asyncio.sleep(LEASE_SECONDS + 1)
    await settle.settle(document_id, stage.process())
    await asyncio.sleep(300 - LEASE_SECONDS)  # from here on it may say "absent"
    life = IsStopped(effect="graph.walk", nth=1, after=True, stops_for=20.0)
    settled = await settle.settle(document_id, stage.worker(life).outside, asked=True)
    await publishing
    return settled.view.document


def test_what_a_rival_learns_while_somebody_looks_makes_the_look_stale() -> None:
    """Neither has a mark, and both made one of this name: once one knows its own, so does the
    other."""
    stage = Stage(limits=Limits(echo=Echo.NONE))
    mine = stage.submit(ads("Spring / 1"), key="mine")
    rival = stage.submit(ads("Spring / 1"), key="rival")

    document = stage.time.run(_rivalled_in_a_walk(stage, mine, rival))

    intent = document.item("a1").intent
    assert intent is not None
    assert (document.state, intent.found_by) == (DocumentState.PUBLISHED, Grade.NAME_AND_TIME)
    assert len(stage.graph.creates) == 2
    stage.close()


async def _rivalled_in_a_walk(stage: Stage, mine: str, rival: str) -> Document:
    frozen = IsStopped(effect="graph.create", after=True, stops_for=430.0)
    rivalling = asyncio.create_task(publish.publish(rival, stage.worker(frozen).outside))
    await asyncio.sleep(1)
    dying = stage.worker(DiesAt(effect="graph.create", after=True)).outside
    with contextlib.suppress(BaseExceptionGroup):
        await publish.publish(mine, dying)
    await asyncio.sleep(420)
    looker = stage.worker(IsStopped(effect="ledger.Fenced", stops_for=20.0)).outside
    settled = await settle.settle(mine, looker, asked=True)
    await rivalling
    return settled.view.document
