"""A process that is cancelled, or whose ledger fails, at every effect: no less than a kill.

A ledger that fails does not end the process: it may go on, end its attempt in error, or raise. What
counts is the same: the document comes to rest, and the log shows each item once.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fixtures.crash_points import Process
from fixtures.lives import IsCancelled, LedgerFails, ends
from fixtures.world_graph import Weather
from reconciler import publish
from reconciler.model import DocumentState
from tests.crash.cells import Scene
from tests.crash.plans import PLANS
from tests.crash.promise import assert_promise

SCENES = {
    f"{name}-{weather}": Scene(plan=plan, creates={0: weather})
    for name, plan in PLANS.items()
    for weather in (Weather.FAIR, Weather.REPLY_LOST, Weather.ERROR_BEFORE, Weather.UNREACHED)
}
LIVES: dict[str, Callable[[int], Process]] = {
    "is cancelled": lambda at: IsCancelled(dies_at=at),
    "ledger refuses": lambda at: LedgerFails(dies_at=at),
    "acknowledgement lost": lambda at: LedgerFails(dies_at=at, after=True),
}
EFFECTS = 24
"""No publish of these plans has more; what lies beyond its end changes nothing."""

Count = Callable[[str, object], None]


@pytest.mark.parametrize("life_at", LIVES.values(), ids=LIVES)
@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES)
def test_every_document_comes_to_rest_and_exists_once(
    scene: Scene, life_at: Callable[[int], Process], record_property: Count
) -> None:
    for at in range(EFFECTS):
        stage, life = scene.stage(), life_at(at)
        document_id = stage.submit(dict(scene.plan))

        ends(stage, publish.publish(document_id, stage.worker(life).outside), life)
        document = stage.run_until_rest(document_id)

        assert document.state is DocumentState.PUBLISHED, stage.story(document_id)
        assert document.surplus == ()
        assert_promise(stage)
        stage.close()
    record_property("cells", EFFECTS)
