"""The same cuts on PostgreSQL: every single one in every weather, and a draw of the pairs.

Each cell is judged by the world's log, as on the other ledgers.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from fixtures.world_graph import Weather
from reconciler.model import Echo
from tests.crash.cells import Cut, Scene, run_cell, single_cuts
from tests.crash.plans import PLANS
from tests.crash.postgres_ledgers import PostgresForStories
from tests.crash.test_every_cut import BAD_WEATHER

SCENES = {
    f"{name}-{weather}": Scene(plan=plan, creates={0: weather})
    for name, plan in PLANS.items()
    for weather in (Weather.FAIR, *BAD_WEATHER)
}
UNMARKED = {
    f"{name}-{weather}": Scene(plan=PLANS[name], creates={0: weather}, echo=Echo.NONE)
    for name in ("one_ad", "twins")
    for weather in (Weather.FAIR, Weather.REPLY_LOST, Weather.ERROR_BEFORE)
}
EFFECTS_OF_A_RECOVERY = 24
"""A drawn cut beyond the last effect is no cell, and is not counted."""

PAIRS_OF_A_SCENE = 4

Count = Callable[[str, object], None]


@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES)
def test_every_single_cut(
    scene: Scene, stories: PostgresForStories, record_property: Count
) -> None:
    scene = replace(scene, open_ledger=stories)

    record_property("cells", sum(1 for _ in single_cuts(scene)))


@pytest.mark.parametrize("scene", UNMARKED.values(), ids=UNMARKED)
def test_every_single_cut_of_a_document_without_a_mark(
    scene: Scene, stories: PostgresForStories, record_property: Count
) -> None:
    scene = replace(scene, open_ledger=stories)

    record_property("cells", sum(1 for _ in single_cuts(scene)))


@pytest.mark.parametrize(("name", "scene"), SCENES.items(), ids=SCENES)
def test_some_of_the_pairs(
    name: str, scene: Scene, stories: PostgresForStories, record_property: Count
) -> None:
    scene = replace(scene, open_ledger=stories)
    draw = random.Random(name)
    cuts = [Cut(at, after) for at in range(EFFECTS_OF_A_RECOVERY) for after in (False, True)]
    # A publish has five effects at least, a recovery four: most of these pairs exist.
    pairs = [(draw.choice(cuts[:10]), draw.choice(cuts[:8])) for _ in range(PAIRS_OF_A_SCENE)]

    cells = sum(run_cell(scene, *pair) for pair in pairs)

    assert cells > 0
    record_property("cells", cells)
