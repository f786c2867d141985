"""The same cuts on SQLite: every single one, every pair for one ad, a tenth of the others."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from fixtures.world_graph import Weather
from tests.crash.cells import Cut, Scene, pairs_of_cuts, run_cell, single_cuts
from tests.crash.plans import PLANS
from tests.crash.sqlite_ledgers import sqlite_in_memory

SCENES = {
    f"{name}-{weather}": Scene(plan=plan, creates={0: weather}, open_ledger=sqlite_in_memory)
    for name, plan in PLANS.items()
    for weather in (Weather.FAIR, Weather.REPLY_LOST, Weather.ERROR_BEFORE, Weather.LATE)
}
ONE_AD = {name: SCENES[name] for name in ("one_ad-fair", "one_ad-reply_lost")}
OTHERS = {name: scene for name, scene in SCENES.items() if name not in ONE_AD}
EFFECTS_OF_A_RECOVERY = 24
"""A drawn cut beyond the last effect is no cell, and is not counted."""

Count = Callable[[str, object], None]


@pytest.mark.parametrize("scene", OTHERS.values(), ids=OTHERS)
def test_every_single_cut(scene: Scene, record_property: Count) -> None:
    record_property("cells", sum(1 for _ in single_cuts(scene)))


@pytest.mark.parametrize("scene", ONE_AD.values(), ids=ONE_AD)
def test_every_pair_of_cuts_of_one_ad(scene: Scene, record_property: Count) -> None:
    record_property("cells", sum(1 for _ in pairs_of_cuts(scene)))


@pytest.mark.parametrize("scene", OTHERS.values(), ids=OTHERS)
def test_a_tenth_of_the_pairs(scene: Scene, record_property: Count) -> None:
    draw = random.Random(20260310)
    firsts = [cut for (cut,) in single_cuts(scene)]
    seconds = [Cut(at, after) for at in range(EFFECTS_OF_A_RECOVERY) for after in (False, True)]
    pairs = [(first, second) for first in firsts for second in seconds]

    cells = sum(run_cell(scene, *pair) for pair in draw.sample(pairs, len(pairs) // 10))

    assert cells > 0
    record_property("cells", cells)
