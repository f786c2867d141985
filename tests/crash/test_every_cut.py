"""Every cut of a publish, and every cut of the recovery after it, on the memory ledger.

Die before or after the n-th effect, for every n there is; let a second process recover and die at
each of its own effects; let a third one finish. Whatever happened, the world's log shows each item
once, and the ledger knows which entity it is.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fixtures.crash_points import Process
from fixtures.stage import Stage
from fixtures.world_graph import Weather
from reconciler.model import DocumentState, Echo
from tests.crash.cells import Scene, pairs_of_cuts, run_cell, single_cuts
from tests.crash.plans import PLANS, TREE

BAD_WEATHER = (
    Weather.REPLY_LOST,
    Weather.ERROR_AFTER,
    Weather.ERROR_BEFORE,
    Weather.LATE,
    Weather.THROTTLED,
    Weather.THROTTLED_AFTER,
    Weather.UNREACHED,
)

FAIR = {
    f"{name}-{pace}": Scene(plan=plan, is_slow=pace == "slow")
    for name, plan in PLANS.items()
    for pace in ("quick", "slow")
}
STORMY = {
    f"{name}-{weather}": Scene(
        plan=PLANS[name], creates={number: weather}, is_slow=weather is Weather.LATE
    )
    for name, number in {"one_ad": 0, "tree": 1}.items()
    for weather in BAD_WEATHER
}
EARLY = {
    f"{name}-{weather}-{echo}": Scene(plan=plan, creates={0: weather}, echo=echo)
    for name, plan in PLANS.items()
    for weather in BAD_WEATHER
    for echo in (Echo.LABEL, Echo.LABEL_AND_NAME)
}
UNMARKED = {
    f"{name}-{weather}": Scene(plan=plan, creates={0: weather}, echo=Echo.NONE)
    for name, plan in PLANS.items()
    for weather in (Weather.FAIR, *BAD_WEATHER)
}
Count = Callable[[str, object], None]


def test_the_effects_of_a_clean_publish_are_these_and_no_others() -> None:
    stage = Stage()
    worker = stage.worker()

    stage.publish(stage.submit(TREE), worker.outside)

    one_create = [
        "ledger.Fenced",  # the intent and its call, before anything is sent
        "graph.create",
        "ledger.Fenced",  # the answer, saved at once
    ]
    assert worker.life.effects == [
        "ledger.LeaseFree",  # a person said publish: queued
        "ledger.Claim",
        *one_create,  # the campaign
        *one_create,  # the ad set
        *one_create,  # the ad
        "ledger.Fenced",  # the end, with the release of the lease
    ]
    stage.close()


def test_the_effects_of_a_recovery_after_a_kill_are_these_and_no_others() -> None:
    stage = Stage()
    document_id = stage.submit(TREE)
    dying, next_one = stage.worker(Process(dies_at=3, after=True)), stage.worker()

    with pytest.raises(BaseExceptionGroup, match="TaskGroup"):  # the campaign's reply was lost
        stage.publish(document_id, dying.outside)
    document = stage.run_until_rest(document_id, next_one.outside)

    one_create = ["ledger.Fenced", "graph.create", "ledger.Fenced"]
    look = ["ledger.SettleLease", "graph.walk", "ledger.Fenced"]
    assert next_one.life.effects == [
        "ledger.Takeover",
        *look,  # found by its mark
        "ledger.Claim",  # refused: the backoff after an orphaned attempt
        "ledger.Claim",
        *one_create,  # the ad set
        *one_create,  # the ad
        "ledger.Fenced",  # the end
        *look,  # the owed one, which moves no state
    ]
    assert document.state is DocumentState.PUBLISHED
    stage.close()


@pytest.mark.parametrize("scene", FAIR.values(), ids=FAIR)
def test_every_pair_of_cuts_in_fair_weather(scene: Scene, record_property: Count) -> None:
    run_cell(scene)

    record_property("cells", sum(1 for _ in pairs_of_cuts(scene)))


@pytest.mark.parametrize("scene", STORMY.values(), ids=STORMY)
def test_every_pair_of_cuts_in_bad_weather(scene: Scene, record_property: Count) -> None:
    run_cell(scene)

    record_property("cells", sum(1 for _ in pairs_of_cuts(scene)))


@pytest.mark.parametrize("scene", EARLY.values(), ids=EARLY)
def test_every_cut_where_the_first_create_meets_bad_weather(
    scene: Scene, record_property: Count
) -> None:
    run_cell(scene)

    record_property("cells", sum(1 for _ in single_cuts(scene)))


@pytest.mark.parametrize("scene", UNMARKED.values(), ids=UNMARKED)
def test_every_cut_of_a_document_without_a_mark(scene: Scene, record_property: Count) -> None:
    run_cell(scene)

    record_property("cells", sum(1 for _ in single_cuts(scene)))
