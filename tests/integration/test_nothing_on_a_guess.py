"""What must not happen while something is not known: no further create, no decision on old news."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest

from fixtures.crash_points import DyingLedger, Process
from fixtures.lives import IsStopped
from fixtures.stage import Stage
from fixtures.world_graph import Weather
from reconciler.limits import Limits
from reconciler.model import AttemptOutcome, Call, Document, Grade, ItemState, Outcome
from reconciler.ports import Around, Binding, Surroundings
from reconciler.settle import settle
from tests.crash.plans import ONE_AD, ads
from tests.crash.promise import assert_promise


@pytest.fixture
def stage() -> Iterator[Stage]:
    made = Stage(limits=Limits(concurrency=1))
    yield made
    assert_promise(made)
    made.close()


def states(document: Document) -> list[ItemState]:
    return [item.state for item in document.items]


def last_call(document: Document, key: str) -> Call:
    intent = document.item(key).intent
    assert intent is not None
    return intent.calls[-1]


@pytest.mark.parametrize(
    "weather", [Weather.ERROR_BEFORE, Weather.THROTTLED, Weather.REFUSED], ids=str
)
def test_from_the_first_answer_that_leaves_doubt_no_create_of_the_document_starts(
    stage: Stage, weather: Weather
) -> None:
    """What was written and never sent is recorded as exactly that, and may be sent later."""
    stage.sky.by_number = {1: weather}
    document_id = stage.submit(ads("A", "B", "C", "D"))

    document = stage.publish(document_id).view.document

    assert len(stage.graph.creates) == 2
    assert states(document) == [
        ItemState.CONFIRMED,
        ItemState.PENDING,
        ItemState.ABSENT,
        ItemState.ABSENT,
    ]
    assert last_call(document, "a3").outcome is Outcome.NOT_SENT


def test_no_intent_is_written_where_too_little_of_the_lease_is_left_to_send_it(
    stage: Stage,
) -> None:
    """Claimed, then stopped for 90 of 120 s: 30 are left, and a call may take 30 and the margin."""
    document_id = stage.submit(ONE_AD)
    life = IsStopped(effect="ledger.Fenced", stops_for=90)

    published = stage.publish(document_id, stage.worker(life).outside)

    assert published.attempt is not None
    assert published.attempt.outcome is AttemptOutcome.HANDED_BACK
    assert states(published.view.document) == [ItemState.WAITING]
    assert stage.graph.creates == []


class MovingLedger(DyingLedger):
    """Between every look and the act on it, somebody binds one of the rows."""

    async def around(self, document_id: str, around: Around) -> Surroundings:
        """What was true at the look, and is not when it is acted on."""
        seen = await super().around(document_id, around)
        moved = Binding(external_id="1", document_id="other", item="a", grade=Grade.REPLY)
        return replace(seen, bindings={**seen.bindings, "1": moved})


def test_what_was_judged_among_other_bindings_is_stale_and_decides_nothing(stage: Stage) -> None:
    """However often it moves: the document is given back, pending and due."""
    stage.sky.by_number = {0: Weather.ERROR_BEFORE}
    document_id = stage.submit(ONE_AD)
    stage.publish(document_id)
    stage.time.pass_(timedelta(seconds=200))
    outside = replace(stage.process(), ledger=MovingLedger(stage.ledger, Process()))

    document = stage.time.run(settle(document_id, outside)).view.document

    assert states(document) == [ItemState.PENDING]
    assert (document.lease, document.due_at is not None) == (None, True)
    assert stage.run_until_rest(document_id).state == "published"
