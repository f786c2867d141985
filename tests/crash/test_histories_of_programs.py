"""Programs, a person's publish and readers at one document at once, each of whom may die: seeded.

`SEEDS` names the histories; a failing one says its number, and plays again the same.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Coroutine
from typing import Any, Final

import pytest

from fixtures.stage import Stage, is_crash
from fixtures.world_graph import Weather
from reconciler import publish, settle
from reconciler.errors import ReconcilerError
from reconciler.model import DocumentState
from reconciler.outside import Outside
from tests.crash.cells import Scene
from tests.crash.plans import PLANS
from tests.crash.programs import Unanswered, keys_of, publish_all, run_program
from tests.crash.promise import assert_promise

SEEDS: Final = range(40)
WEATHER: Final = (
    Weather.FAIR,
    Weather.FAIR,
    Weather.REPLY_LOST,
    Weather.ERROR_AFTER,
    Weather.ERROR_BEFORE,
    Weather.LATE,
    Weather.UNREACHED,
)
Work = Coroutine[Any, Any, object]


@pytest.mark.parametrize("seed", SEEDS)
def test_whoever_comes_at_once_and_dies_each_item_exists_once(seed: int) -> None:
    draw = random.Random(seed)
    plan = draw.choice(list(PLANS.values()))
    weather = {number: draw.choice(WEATHER) for number in range(6)}
    stage = Scene(plan=plan, creates=weather, is_slow=draw.random() < 0.3).stage()
    document_id, keys = stage.submit(dict(plan)), keys_of(plan)

    for _ in range(3):
        comers = [_comer(draw, stage, document_id, keys) for _ in range(draw.randint(1, 3))]
        stage.time.run(_at_once(comers, draw))
        stage.time.pass_(stage.limits.lease * draw.random() * 2)
    document = run_program(stage, document_id, keys, stage.process())

    assert document.state is DocumentState.PUBLISHED, f"seed {seed}\n{stage.story(document_id)}"
    assert document.surplus == (), f"seed {seed}\n{stage.story(document_id)}"
    assert_promise(stage)
    stage.close()


def _comer(draw: random.Random, stage: Stage, document_id: str, keys: list[str]) -> Work:
    outside: Outside = stage.process(draw.choice([None, *range(12)]), draw.random() < 0.5)
    who = draw.choice(["program", "program", "person", "reader"])
    if who == "program":
        return publish_all(document_id, keys, outside)
    if who == "person":
        return publish.publish(document_id, outside)
    return settle.settle(document_id, outside, asked=draw.random() < 0.5)


async def _at_once(comers: list[Work], draw: random.Random) -> None:
    """Each begins a little later than the one before; how each of them ends is its own affair."""
    begun = []
    for work in comers:
        begun.append(asyncio.create_task(_ended(work)))
        await asyncio.sleep(draw.choice([0.0, 0.02, 1.0, 40.0]))
    await asyncio.gather(*begun)


async def _ended(work: Work) -> None:
    try:
        await work
    except (ReconcilerError, Unanswered):
        return
    except BaseException as error:
        if not is_crash(error):
            raise
