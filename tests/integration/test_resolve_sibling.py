"""A person takes another item's row: they are told before and after, and it is made again."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fixtures.lives import DiesAt
from fixtures.stage import Stage
from fixtures.world_graph import US, Weather
from reconciler import publish, settle
from reconciler.model import ItemState, Reason
from reconciler.resolve_preview import foresee
from tests.crash.plans import ads
from tests.integration.held import adopt, decide, reason_of, refusal, settled, told


@pytest.fixture
def stage() -> Iterator[Stage]:
    made = Stage()
    yield made
    made.close()


def renamed(stage: Stage) -> tuple[str, str]:
    """Of two items of one wave the entity of one was made, and renamed: both are held for it."""
    stage.sky.by_number[2] = Weather.ERROR_BEFORE
    document_id = stage.submit(ads("Spring / 1", "Spring / 2", "Spring / 3"))
    dying = stage.worker(DiesAt(effect="graph.create", nth=1, after=True)).outside
    assert stage.dies(publish.publish(document_id, dying))
    _, made = stage.world.created_by(US, "ad")
    stage.world.rename(made.id, "Winter")
    settled(stage, document_id)
    assert reason_of(stage, document_id, "a2") is Reason.MARK_LOST, stage.story(document_id)
    assert reason_of(stage, document_id, "a3") is Reason.MARK_LOST, stage.story(document_id)
    return document_id, made.id


def test_what_the_adoption_costs_a_sibling_is_told_before_and_after_and_comes_true(
    stage: Stage,
) -> None:
    document_id, made = renamed(stage)
    said = adopt(made, item="a2", override=True)

    refused = refusal(stage, document_id, adopt(made, item="a2"))
    foreseen = stage.time.run(foresee(document_id, said, stage.process()))
    resolved = decide(stage, document_id, said)

    (warning,) = resolved.warnings
    assert "a3 is looked for in vain, and made again" in warning
    assert foreseen.warnings == resolved.warnings
    assert warning in refused
    assert told(stage, document_id)[0]["warnings"] == [warning]

    stage.time.run(settle.settle(document_id, stage.process(), asked=True))
    document = stage.run_until_rest(document_id)
    again = document.item("a3")
    assert again.state is ItemState.CONFIRMED
    assert again.intent is not None
    assert again.intent.external_id not in (None, made)
