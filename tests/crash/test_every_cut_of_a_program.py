"""Every cut of a program that sends by itself and asks first: the same cases as our own publish.

Die before or after the n-th effect, its own request among them; let the program start again and die
at each of its effects; let a third one finish. Whatever happened, the world's log shows each item
once, and the ledger knows which entity it is.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from fixtures.stage import Stage
from fixtures.world_graph import Weather
from reconciler.model import DocumentState
from tests.crash.cells import Cut, Scene
from tests.crash.plans import PLANS, TREE
from tests.crash.programs import (
    keys_of,
    pairs_of_cuts,
    publish_all,
    run_program_cell,
    single_cuts,
)
from tests.crash.promise import assert_promise
from tests.crash.sqlite_ledgers import sqlite_in_memory

WEATHER = (
    Weather.FAIR,
    Weather.REPLY_LOST,
    Weather.ERROR_AFTER,
    Weather.ERROR_BEFORE,
    Weather.LATE,
)
ON_MEMORY = {
    f"{name}-{weather}": Scene(
        plan=PLANS[name], creates={0: weather}, is_slow=weather is Weather.LATE
    )
    for name, weathers in {
        "one_ad": WEATHER,
        "twins": WEATHER,
        "tree": (Weather.FAIR, Weather.ERROR_AFTER),
    }.items()
    for weather in weathers
}
ON_SQLITE = {
    f"{name}-{weather}": Scene(plan=PLANS[name], creates={0: weather}, open_ledger=sqlite_in_memory)
    for name, weather in (("one_ad", Weather.REPLY_LOST), ("twins", Weather.FAIR))
}
Count = Callable[[str, object], None]


def test_the_effects_of_a_program_are_those_of_a_publish_for_each_of_its_items() -> None:
    stage = Stage()
    document_id, worker = stage.submit(TREE), stage.worker()

    stage.time.run(publish_all(document_id, keys_of(TREE), worker.outside))

    one_create = [
        "ledger.Claim",
        "ledger.Fenced",  # the intent and its call, before anything is sent
        "graph.create",  # the program's own
        "ledger.Fenced",  # the answer, saved at once
        "ledger.Fenced",  # the end, with the release of the lease
    ]
    assert worker.life.effects == one_create * 3
    assert stage.document(document_id).state is DocumentState.PUBLISHED
    assert_promise(stage)
    stage.close()


@pytest.mark.parametrize("scene", ON_MEMORY.values(), ids=ON_MEMORY)
def test_every_single_cut(scene: Scene, record_property: Count) -> None:
    run_program_cell(scene)

    record_property("cells", sum(1 for _ in single_cuts(scene)))


@pytest.mark.parametrize("scene", ON_SQLITE.values(), ids=ON_SQLITE)
def test_every_single_cut_on_sqlite(scene: Scene, record_property: Count) -> None:
    record_property("cells", sum(1 for _ in single_cuts(scene)))


def test_every_pair_of_cuts_of_one_ad(record_property: Count) -> None:
    scene = Scene(plan=PLANS["one_ad"])

    record_property("cells", sum(1 for _ in pairs_of_cuts(scene)))


def test_a_tenth_of_the_pairs_on_sqlite(record_property: Count) -> None:
    draw = random.Random(20260310)
    scene = Scene(plan=PLANS["one_ad"], open_ledger=sqlite_in_memory)
    firsts = list(single_cuts(scene))
    pairs = [
        (first, Cut(at, after)) for first in firsts for at in range(16) for after in (False, True)
    ]

    cells = sum(run_program_cell(scene, *pair) for pair in draw.sample(pairs, len(pairs) // 10))

    assert cells > 0
    record_property("cells", cells)
