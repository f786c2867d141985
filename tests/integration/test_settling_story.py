"""Settling told as stories of two processes: who was quicker, who died, who comes back."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from fixtures.crash_points import Process
from fixtures.graph.ground import WorldOptions
from fixtures.graph.scene import ADSET
from fixtures.graph.world import World
from fixtures.lives import DiesAt, IsStopped
from fixtures.stage import Stage
from fixtures.world_graph import US
from reconciler import cancel, publish, settle
from reconciler.model import (
    AttemptOutcome,
    Document,
    DocumentState,
    Grade,
    ItemState,
)
from reconciler.outside import Outside
from tests.crash.plans import ONE_AD, ads
from tests.crash.promise import assert_promise
from tests.integration.crashed import LEASE_SECONDS, crashed_after_create


@pytest.fixture
def stage() -> Iterator[Stage]:
    made = Stage()
    yield made
    assert_promise(made)
    made.close()


# --- what comes back, and who brings it ----------------------------------------------------------


def test_an_owed_look_leaves_a_queued_document_due_for_its_claim(stage: Stage) -> None:
    """What the dead worker made was found at once; then nobody came until the look was owed."""
    document_id = stage.submit(ads("Spring / 1", "Spring / 2"))
    dying = stage.worker(DiesAt(effect="graph.create", after=True)).outside
    assert stage.dies(publish.publish(document_id, dying))
    stage.time.pass_(stage.limits.lease)
    assert stage.settle(document_id).view.document.state is DocumentState.QUEUED
    stage.time.pass_(timedelta(hours=1))

    document = stage.run_until_rest(document_id)

    assert document.state is DocumentState.PUBLISHED


def test_a_look_at_a_queued_document_does_not_take_it_off_the_queue(stage: Stage) -> None:
    """`show --refresh` asks for attributes; the claim waits for `due_at` all the same."""
    document_id = stage.submit(ONE_AD, publish=True)
    due_at = stage.document(document_id).due_at

    stage.time.run(settle.settle(document_id, stage.process(), refresh=True))

    assert stage.document(document_id).due_at == due_at
    assert stage.advance(document_id).view.document.state is DocumentState.PUBLISHED


@pytest.mark.parametrize("publishes", [False, True], ids=["draft", "queued"])
def test_a_cancel_while_somebody_looks_is_honoured_when_the_look_ends(
    stage: Stage, publishes: bool
) -> None:
    document_id = stage.submit(ONE_AD, publish=publishes)
    looker = stage.worker(IsStopped(effect="ledger.Fenced", stops_for=5.0)).outside

    stage.time.run(_cancelled_meanwhile(stage, document_id, looker))

    assert stage.document(document_id).state is DocumentState.CANCELLED


async def _cancelled_meanwhile(stage: Stage, document_id: str, looker: Outside) -> None:
    looking = asyncio.create_task(settle.settle(document_id, looker, refresh=True))
    await asyncio.sleep(1)
    await cancel.cancel(document_id, stage.process())
    await looking


@pytest.mark.parametrize("publishes", [False, True], ids=["draft", "queued"])
def test_a_cancel_is_honoured_although_whoever_looked_has_died(
    stage: Stage, publishes: bool
) -> None:
    document_id = stage.submit(ONE_AD, publish=publishes)
    dying = stage.worker(DiesAt(effect="ledger.SettleLease", after=True)).outside
    assert stage.dies(settle.settle(document_id, dying, refresh=True))
    stage.time.run(cancel.cancel(document_id, stage.process()))

    document = stage.run_until_rest(document_id)

    assert document.state is DocumentState.CANCELLED
    assert stage.graph.creates == []


def test_a_cancel_during_an_attempt_lets_the_call_in_flight_end_and_starts_no_other(
    stage: Stage,
) -> None:
    document_id = stage.submit(ads("Spring / 1", "Spring / 2", "Spring / 3"))
    stage.sky.latency = timedelta(seconds=10)

    published = stage.time.run(_cancelled_in_flight(stage, document_id))

    document = published.view.document
    assert published.attempt is not None
    assert published.attempt.outcome is AttemptOutcome.CANCELLED
    assert document.state is DocumentState.CANCELLED
    assert [item.state for item in document.items] == [
        ItemState.CONFIRMED,
        ItemState.WAITING,
        ItemState.WAITING,
    ]
    assert len(stage.graph.creates) == 1


async def _cancelled_in_flight(stage: Stage, document_id: str) -> publish.Published:
    publishing = asyncio.create_task(publish.publish(document_id, stage.process()))
    await asyncio.sleep(5)
    await cancel.cancel(document_id, stage.process())
    return await publishing


def test_an_answer_that_comes_after_the_lease_makes_the_document_due_and_needs_no_walk() -> None:
    """The worker froze with the reply in hand; listings do not show the entity for long."""
    stage = Stage(options=WorldOptions(lag={"*": timedelta(seconds=170)}))
    document_id = stage.submit(ONE_AD)
    life = IsStopped(effect="graph.create", after=True, stops_for=LEASE_SECONDS + 30)

    looked = stage.time.run(_answered_late(stage, document_id, stage.worker(life).outside))
    assert looked.item("a1").state is ItemState.PENDING
    walks = len(stage.graph.walks)
    document = stage.settle(document_id).view.document

    intent = document.item("a1").intent
    assert intent is not None
    assert intent.found_by is Grade.REPLY
    assert len(stage.graph.walks) == walks
    assert stage.run_until_rest(document_id).state is DocumentState.PUBLISHED
    assert_promise(stage)
    stage.close()


async def _answered_late(stage: Stage, document_id: str, worker: Outside) -> Document:
    publishing = asyncio.create_task(publish.publish(document_id, worker))
    await asyncio.sleep(LEASE_SECONDS + 1)
    looked = await settle.settle(document_id, stage.process())
    await publishing
    return looked.view.document


# --- what was listed -----------------------------------------------------------------------------


def test_r031_ours_on_two_pages_is_counted_once() -> None:
    """R031: rows shift while we page, and ours is last on page 1 and first on page 2."""
    stage = Stage(page_size=1)
    stage.world.options.cursor_binding = "position"
    document_id = crashed_after_create(stage)
    inserted = [False]
    page = World.page

    def shifting(world: World, *args: Any, **how: Any) -> Any:
        """A colleague inserts at the head between the first page and the second."""
        if how.get("after") is not None and not inserted[0]:
            inserted[0] = True
            world.colleague_creates("ads", "Autumn", parent_id=ADSET)
        return page(world, *args, **how)

    stage.graph.world.page = shifting.__get__(stage.world)  # type: ignore[method-assign]
    document = stage.run_until_rest(document_id)

    (ours,) = stage.world.created_by(US)
    intent = document.item("a1").intent
    assert intent is not None
    assert (document.state, intent.external_id) == (DocumentState.PUBLISHED, ours.id)
    assert_promise(stage)
    stage.close()


def test_a_document_is_looked_at_until_it_is_poison(stage: Stage) -> None:
    """Whoever looks at it dies: in the end a person must decide, and nothing was created again."""
    document_id = crashed_after_create(stage)
    for _ in range(stage.limits.max_attempts + 1):
        dying = stage.worker(DiesAt(effect="graph.walk")).outside
        stage.dies(settle.settle(document_id, dying))
        stage.time.pass_(stage.limits.lease)

    document = stage.run_until_rest(document_id)

    assert document.state is DocumentState.HELD
    assert len(stage.graph.creates) == 1


def test_a_poisoned_document_creates_nothing_more_although_its_last_looker_died(
    stage: Stage,
) -> None:
    """The grant that poisons it is the last thing that this process does."""
    document_id = stage.submit(ads("Spring / 1", "Spring / 2"))
    dying = stage.worker(DiesAt(effect="graph.create", after=True)).outside
    assert stage.dies(publish.publish(document_id, dying))
    for _ in range(stage.limits.max_attempts + 1):
        stage.time.pass_(stage.limits.lease)
        life: Process = DiesAt(effect="ledger.SettleLease", after=True)
        stage.dies(settle.settle(document_id, stage.worker(life).outside))

    document = stage.run_until_rest(document_id)

    assert document.state is DocumentState.HELD
    assert len(stage.graph.creates) == 1
