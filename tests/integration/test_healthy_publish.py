"""What a healthy publish asks of the API, and what a crash asks of people: nothing more."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fixtures.stage import Stage
from reconciler.limits import Limits
from reconciler.model import DocumentState
from reconciler.outside import Outside
from reconciler.publish import publish
from reconciler.settle import settle
from tests.crash.plans import PLANS, TREE, Plan, ads
from tests.crash.promise import assert_promise, live_entities_per_item


@pytest.fixture
def stage() -> Iterator[Stage]:
    made = Stage()
    yield made
    assert_promise(made)
    made.close()


async def _publish(document_id: str, worker: Outside) -> None:
    await publish(document_id, worker)


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
def test_a_healthy_publish_lists_nothing_and_sends_one_create_an_item(
    stage: Stage, plan: Plan
) -> None:
    document_id = stage.submit(plan)

    document = stage.publish(document_id).view.document
    stage.settle(document_id)

    assert document.state is DocumentState.PUBLISHED
    assert len(stage.graph.creates) == len(plan["items"])
    assert (stage.graph.walks, stage.graph.label_walks) == ([], 0)


def test_its_attributes_stay_unknown_until_somebody_asks(stage: Stage) -> None:
    document_id = stage.submit(TREE)

    document = stage.publish(document_id).view.document

    assert [(i.intent.found_by, i.intent.attributes) for i in document.items if i.intent] == [
        ("reply", None)
    ] * 3


def test_everything_is_sent_paused_unless_the_plan_says_otherwise(stage: Stage) -> None:
    """A lost ad must not spend."""
    stage.publish(stage.submit(TREE))

    assert {each.status for each in stage.world.live() if each.kind == "ad"} == {"PAUSED"}


@pytest.mark.parametrize("dies_at", [2, 3])
def test_a_worker_killed_before_its_first_create_landed_costs_one_create_and_nobody(
    stage: Stage, dies_at: int
) -> None:
    """Killed after the intent was written, and just before the create left."""
    document_id = stage.submit(TREE)
    stage.dies(_publish(document_id, stage.process(dies_at=dies_at, after=dies_at == 2)))

    document = stage.run_until_rest(document_id)

    assert document.state is DocumentState.PUBLISHED
    assert len(stage.graph.creates) == 3


def test_nine_confirmed_siblings_do_not_keep_the_tenth_from_being_made() -> None:
    """A sibling that is bound disproves its row; counting it as a doubt would hold the tenth."""
    stage = Stage(limits=Limits(concurrency=1))
    document_id = stage.submit(ads(*(f"Spring / {number}" for number in range(10))))
    stage.dies(_publish(document_id, stage.process(dies_at=_tenth_create(), after=False)))
    assert len(stage.graph.creates) == 9, "the worker died in front of its last create"

    document = stage.run_until_rest(document_id)

    assert document.state is DocumentState.PUBLISHED
    live = live_entities_per_item(stage.world, document)
    assert {key: len(ids) for key, ids in live.items()} == {f"a{n}": 1 for n in range(1, 11)}
    assert len(stage.graph.creates) == 10
    assert_promise(stage)
    stage.close()


def _tenth_create() -> int:
    """The number of that effect in a publish that nobody kills."""
    stage = Stage(limits=Limits(concurrency=1))
    worker = stage.worker()
    document_id = stage.submit(ads(*(f"Spring / {number}" for number in range(10))))
    stage.publish(document_id, worker.outside)
    stage.close()
    creates = [n for n, effect in enumerate(worker.life.effects) if effect == "graph.create"]
    return creates[9]


def test_a_refresh_leaves_a_queued_document_as_due_as_it_was(stage: Stage) -> None:
    """It waits for a claim: a look that moves no state must not take it out of the queue."""
    document_id = stage.submit(TREE, publish=True)
    before = stage.document(document_id)

    stage.time.run(settle(document_id, stage.process(), refresh=True))

    assert stage.document(document_id).due_at == before.due_at
    assert stage.advance(document_id).view.document.state is DocumentState.PUBLISHED
