"""What the promise assumes, broken on purpose: what then happens is reported, never hidden.

A1, A2 and A6 are refused or noticed before harm: their tests stand where the README points. Here
are those that only the world can break: a surplus entity must come out in `surplus`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta

import pytest

from fixtures.crash_points import SimulatedCrash
from fixtures.graph.ground import WorldOptions
from fixtures.stage import Stage, advance
from fixtures.virtual_time import WorkerClock
from fixtures.world_graph import Sky, Weather, WorldGraph
from reconciler.limits import Limits
from reconciler.model import Document, DocumentState, ItemState, NextAction
from reconciler.outside import Outside
from reconciler.publish import publish
from reconciler.settle import settle
from tests.crash.plans import ONE_AD, ads
from tests.crash.promise import assert_nothing_foreign_is_bound, live_entities_per_item

MakeStage = Callable[..., Stage]


@pytest.fixture
def make_stage() -> Iterator[MakeStage]:
    """Builds stages and closes them."""
    made: list[Stage] = []

    def make(**how: object) -> Stage:
        made.append(Stage(**how))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for stage in made:
        stage.close()


def published(stage: Stage) -> Document:
    document_id = stage.submit(ONE_AD)
    stage.publish(document_id)
    return stage.run_until_rest(document_id)


def assert_two_exist_and_the_other_is_surplus(stage: Stage, document: Document) -> None:
    live = live_entities_per_item(stage.world, document)["a1"]
    bound = document.item("a1").intent
    assert bound is not None
    assert len(live) == 2
    assert {extra.external_id for extra in document.surplus} == set(live) - {bound.external_id}
    assert document.next.action is NextAction.DECIDE


def test_a3_a_request_that_lands_later_than_allowed_is_reported_as_surplus(
    make_stage: MakeStage,
) -> None:
    """Within the bound it is found; beyond it a second one is made, and the look tells of both."""
    sky = Sky(by_number={0: Weather.LATE}, late_by=timedelta(seconds=400))
    stage = make_stage(sky=sky)

    document = published(stage)
    stage.time.pass_(timedelta(seconds=600))
    stage.time.run(_refresh(stage, document.id))

    assert_two_exist_and_the_other_is_surplus(stage, stage.document(document.id))


def test_a3_within_the_bound_it_is_found_and_nothing_else_is_made(make_stage: MakeStage) -> None:
    sky = Sky(by_number={0: Weather.LATE}, late_by=timedelta(seconds=119))
    stage = make_stage(sky=sky)

    document = published(stage)

    assert len(live_entities_per_item(stage.world, document)["a1"]) == 1
    assert document.surplus == ()


def test_a4_an_entity_listed_later_than_allowed_is_reported_by_the_next_look(
    make_stage: MakeStage,
) -> None:
    lag = {"adset/ads": timedelta(seconds=400)}
    stage = make_stage(sky=Sky(by_number={0: Weather.REPLY_LOST}), options=WorldOptions(lag=lag))

    document = published(stage)
    stage.time.pass_(timedelta(seconds=600))
    stage.time.run(_refresh(stage, document.id))

    assert_two_exist_and_the_other_is_surplus(stage, stage.document(document.id))


def test_a7_a_worker_whose_clocks_stand_still_sends_too_late_and_its_id_becomes_surplus(
    make_stage: MakeStage,
) -> None:
    """Its two calls take 400 s, far beyond its lease; then it sends its third, made by others."""
    stage = make_stage(limits=Limits(concurrency=2))
    document_id = stage.submit(ads("A", "B", "C", "D"))

    stage.time.run(_a_worker_out_of_time(stage, document_id))
    document = stage.run_until_rest(document_id)

    live = live_entities_per_item(stage.world, document)
    assert document.state is DocumentState.PUBLISHED
    assert [len(live[key]) for key in ("a1", "a2", "a3", "a4")] == [1, 1, 1, 2]
    bound = document.item("a4").intent
    assert bound is not None
    assert {extra.external_id for extra in document.surplus} == set(live["a4"]) - {
        bound.external_id
    }


class StandingClock(WorkerClock):
    """Neither clock advances, and the worker never wakes to renew."""

    def boot_seconds(self) -> float:
        return 0.0

    async def sleep(self, duration: timedelta) -> None:
        await asyncio.Event().wait()


async def _a_worker_out_of_time(stage: Stage, document_id: str) -> None:
    slow = WorldGraph(stage.world, sky=Sky(latency=timedelta(seconds=1)))
    frozen = replace(stage.process(), graph=slow, clock=StandingClock(stage.time))
    working = asyncio.create_task(publish(document_id, frozen))
    await asyncio.sleep(0.9)
    slow.sky.latency = timedelta(seconds=400)  # of the second and third create
    for _ in range(10):
        await asyncio.sleep(35)
        await advance(document_id, stage.process())
    await asyncio.sleep(600)
    assert working.done()


def test_a8_a_request_that_makes_two_leaves_the_second_in_the_log_and_claims_one(
    make_stage: MakeStage,
) -> None:
    """Without an unanswered call nothing is looked at; a person's look tells of the second."""
    stage = make_stage(sky=Sky(by_number={0: Weather.MADE_TWICE}))

    document = published(stage)
    stage.time.run(_refresh(stage, document.id))

    assert_nothing_foreign_is_bound(stage.world, stage.document(document.id))
    assert_two_exist_and_the_other_is_surplus(stage, stage.document(document.id))


def test_a5_a_mark_that_a_person_took_away_holds_the_document_instead_of_making_another(
    make_stage: MakeStage,
) -> None:
    """Unmarked and alone it is only a stranger's row of our name: a person must decide."""
    stage = make_stage(sky=Sky(by_number={0: Weather.ERROR_AFTER}))
    document_id = stage.submit(ONE_AD)
    stage.dies(_publish_until(document_id, stage.process(), seconds=0.04))
    for made in stage.world.live("ad"):
        stage.world.relabel(made.id, [])

    document = stage.run_until_rest(document_id)

    assert (document.state, document.item("a1").state) == (DocumentState.HELD, ItemState.HELD)
    assert len(live_entities_per_item(stage.world, document)["a1"]) == 1


async def _publish_until(document_id: str, worker: Outside, seconds: float) -> None:
    """A worker that is gone after so many seconds: nothing of it runs any more."""
    try:
        async with asyncio.timeout(seconds):
            await publish(document_id, worker)
    except TimeoutError:
        raise SimulatedCrash("gone") from None


async def _refresh(stage: Stage, document_id: str) -> None:
    await settle(document_id, stage.process(), refresh=True)
