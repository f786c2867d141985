"""Every cut of a publish that sends several creates in one request: all of it lost, or a part.

A death behind the POST loses every answer at once, while some children were made and some were not:
whatever the part, each item comes to exist once, and the ledger knows which entity it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import pytest

from fixtures.stage import Stage
from fixtures.world_graph import Weather
from reconciler.limits import Limits
from tests.crash.cells import Cut, Scene, cuts_behind, run_cell, single_cuts
from tests.crash.plans import FOUR_ADS, PLANS, TWINS

THE_POST: Final = 6
"""The number of the effect that sends three of `FOUR_ADS`, the creates 1 to 3, in one request."""

Count = Callable[[str, object], None]


def together(
    plan: Mapping[str, object] = FOUR_ADS,
    creates: Mapping[int, Weather] | None = None,
    batches: Mapping[int, Weather] | None = None,
    *,
    is_slow: bool = False,
) -> Scene:
    return Scene(
        plan=plan, creates=creates or {}, batches=batches or {}, create_batch=10, is_slow=is_slow
    )


FAIR = {
    f"{name}-{pace}": together(PLANS[name], is_slow=pace == "slow")
    for name in ("twins", "four_ads")
    for pace in ("quick", "slow")
}
WHOLE = {
    str(weather): together(batches={0: weather}, is_slow=weather is Weather.LATE)
    for weather in (
        Weather.REPLY_LOST,
        Weather.ERROR_BEFORE,
        Weather.LATE,
        Weather.THROTTLED,
        Weather.THROTTLED_AFTER,
        Weather.UNREACHED,
    )
}
PARTLY_MADE = {
    "-".join(map(str, lost)): together(creates=dict.fromkeys(lost, Weather.ERROR_BEFORE))
    for lost in ((1,), (1, 3))
}
PARTLY_KNOWN = {
    f"{name}-{weather}": together(plan, creates={2: weather}, is_slow=weather is Weather.LATE)
    for name, plan in {"four_ads": FOUR_ADS, "twins": TWINS}.items()
    for weather in (Weather.REPLY_LOST, Weather.LATE, Weather.THROTTLED_AFTER)
}


def test_the_effects_of_a_publish_in_batches_are_these_and_no_others() -> None:
    stage = Stage(limits=Limits(create_batch=10))
    worker = stage.worker()

    stage.publish(stage.submit(FOUR_ADS), worker.outside)

    assert worker.life.effects[THE_POST] == "graph.create_many"
    assert worker.life.effects == [
        "ledger.LeaseFree",  # a person said publish: queued
        "ledger.Claim",
        "ledger.Fenced",  # the first intent and its call
        "graph.create",
        "ledger.Fenced",  # its answer
        "ledger.Fenced",  # the intents of three, before anything of them is sent
        "graph.create_many",
        "ledger.Fenced",  # their answers, in one commit
        "ledger.Fenced",  # the end, with the release of the lease
    ]
    stage.close()


@pytest.mark.parametrize("scene", FAIR.values(), ids=FAIR)
def test_every_cut_in_fair_weather(scene: Scene, record_property: Count) -> None:
    run_cell(scene)

    record_property("cells", sum(1 for _ in single_cuts(scene)))


@pytest.mark.parametrize("scene", WHOLE.values(), ids=WHOLE)
def test_every_cut_where_the_whole_meets_bad_weather(scene: Scene, record_property: Count) -> None:
    run_cell(scene)

    record_property("cells", sum(1 for _ in single_cuts(scene)))


@pytest.mark.parametrize("scene", PARTLY_MADE.values(), ids=PARTLY_MADE)
def test_every_cut_of_the_recovery_after_a_death_behind_the_post(
    scene: Scene, record_property: Count
) -> None:
    """A part of the children was made; the answers that tell which part died with the worker."""
    cells = sum(1 for _ in cuts_behind(scene, Cut(THE_POST, after=True)))

    assert cells > 0
    record_property("cells", cells)


@pytest.mark.parametrize("scene", PARTLY_KNOWN.values(), ids=PARTLY_KNOWN)
def test_every_cut_where_one_childs_answer_does_not_come(
    scene: Scene, record_property: Count
) -> None:
    run_cell(scene)

    record_property("cells", sum(1 for _ in single_cuts(scene)))
