"""A program that sends by itself, cut at each of its effects, on PostgreSQL; and a draw of others.

Each cell is judged by the world's log, as on the other ledgers.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from fixtures.world_graph import Weather
from tests.crash.cells import Cut, Scene
from tests.crash.plans import PLANS
from tests.crash.postgres_ledgers import PostgresForStories
from tests.crash.programs import run_program_cell, single_cuts

WHOLE = {
    f"one_ad-{weather}": Scene(plan=PLANS["one_ad"], creates={0: weather})
    for weather in (Weather.FAIR, Weather.REPLY_LOST)
}
DRAWN = {
    "one_ad-error_before": (Scene(plan=PLANS["one_ad"], creates={0: Weather.ERROR_BEFORE}), 1),
    "twins-fair": (Scene(plan=PLANS["twins"]), 1),
    "one_ad-fair, twice": (Scene(plan=PLANS["one_ad"]), 2),
}
"""And how often a program dies in it."""

CELLS = 8
EFFECTS = 5
"""A program for one ad has that many."""

EARLY = 4
"""Cuts that a program after a crash lives to see, most often: its first two effects."""

Count = Callable[[str, object], None]


@pytest.mark.parametrize("scene", WHOLE.values(), ids=WHOLE)
def test_every_single_cut(
    scene: Scene, stories: PostgresForStories, record_property: Count
) -> None:
    scene = replace(scene, open_ledger=stories)

    record_property("cells", sum(1 for _ in single_cuts(scene)))


@pytest.mark.parametrize("name", DRAWN)
def test_some_of_the_others(name: str, stories: PostgresForStories, record_property: Count) -> None:
    scene, deaths = DRAWN[name]
    scene, draw = replace(scene, open_ledger=stories), random.Random(name)
    cuts = [Cut(at, after) for at in range(EFFECTS) for after in (False, True)]

    again = cuts[:EARLY]
    drawn = [
        (draw.choice(cuts), *(draw.choice(again) for _ in range(deaths - 1))) for _ in range(CELLS)
    ]
    cells = sum(run_program_cell(scene, *each) for each in drawn)

    assert cells >= CELLS // 2
    record_property("cells", cells)
