"""What a decision would come to is told before it is made, by what will judge it then."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Final

import pytest

from fixtures.stage import Stage
from fixtures.world_graph import Weather
from reconciler.errors import DecisionRefused, ReconcilerError
from reconciler.limits import Limits
from reconciler.model import Echo, Grade, Reason
from reconciler.resolve_decision import Decision
from reconciler.resolve_preview import Foreseen, changed_rows, foresee
from tests.crash.plans import ONE_AD
from tests.integration.held import (
    a_colleagues,
    adopt,
    decide,
    held_before_two_of_ours,
    held_beside_a_stranger,
    hold,
    none,
    settled,
    told,
)


@pytest.fixture
def stage() -> Iterator[Stage]:
    made = Stage()
    yield made
    made.close()


@pytest.fixture
def unmarked() -> Iterator[Stage]:
    """Sent without a mark: name and time are all there is."""
    made = Stage(limits=Limits(echo=Echo.NONE))
    yield made
    made.close()


def foreseen(stage: Stage, document_id: str, said: Decision) -> Foreseen:
    """What is told of it; and nothing is changed by that."""
    before, journal = stage.document(document_id), told(stage, document_id)
    try:
        return stage.time.run(foresee(document_id, said, stage.process()))
    finally:
        assert stage.document(document_id) == before
        assert told(stage, document_id) == journal


def bound_to_another_document(stage: Stage) -> tuple[str, Decision]:
    document_id, _ = held_beside_a_stranger(stage)
    other_id = stage.submit(ONE_AD, new=True)
    stage.publish(other_id)
    intent = stage.document(other_id).item("a1").intent
    assert intent is not None
    return document_id, adopt(intent.external_id or "", override=True)


def none_before_two(stage: Stage) -> tuple[str, Decision]:
    return held_before_two_of_ours(stage)[0], none()


def another_name(stage: Stage) -> tuple[str, Decision]:
    document_id, _ = held_beside_a_stranger(stage)
    return document_id, adopt(a_colleagues(stage, "Winter"))


def deleted_meanwhile(stage: Stage) -> tuple[str, Decision]:
    document_id, theirs = held_beside_a_stranger(stage)
    stage.world.delete(theirs)
    return document_id, adopt(theirs)


def beside_what_is_not_listed(stage: Stage) -> tuple[str, Decision]:
    document_id, (first, _) = held_before_two_of_ours(stage)
    return document_id, adopt(first, also=("4711",))


def old_evidence(stage: Stage) -> tuple[str, Decision]:
    document_id, theirs = held_beside_a_stranger(stage)
    stage.time.pass_(timedelta(hours=1, seconds=1))
    return document_id, adopt(theirs)


def bound_already(stage: Stage) -> tuple[str, Decision]:
    document_id, (first, second) = held_before_two_of_ours(stage)
    decide(stage, document_id, adopt(first))
    return document_id, adopt(second)


def too_soon(stage: Stage) -> tuple[str, Decision]:
    stage.sky.by_number[0] = Weather.ERROR_BEFORE
    document_id = stage.submit(ONE_AD)
    stage.publish(document_id)
    return document_id, none()


REFUSED: Final[tuple[Callable[[Stage], tuple[str, Decision]], ...]] = (
    bound_to_another_document,
    none_before_two,
    another_name,
    deleted_meanwhile,
    beside_what_is_not_listed,
    old_evidence,
    bound_already,
    too_soon,
)


@pytest.mark.parametrize("scene", REFUSED, ids=lambda scene: scene.__name__)
def test_what_would_be_refused_is_refused_beforehand_with_the_same_words(
    stage: Stage, scene: Callable[[Stage], tuple[str, Decision]]
) -> None:
    document_id, said = scene(stage)

    with pytest.raises(ReconcilerError) as before:
        foreseen(stage, document_id, said)
    with pytest.raises(DecisionRefused) as after:
        decide(stage, document_id, said)

    assert type(before.value) is type(after.value)
    assert before.value.message == after.value.message


def test_what_the_look_itself_brings_is_among_the_rows(stage: Stage) -> None:
    document_id, (first, second) = held_before_two_of_ours(stage)
    before = stage.document(document_id)

    shown = foreseen(stage, document_id, adopt(first))
    decide(stage, document_id, adopt(first))

    assert shown.rows == changed_rows(before, stage.document(document_id))
    assert ("surplus", second) in [(row.table, row.row) for row in shown.rows]


def test_what_is_overruled_is_told(stage: Stage) -> None:
    document_id, _ = held_beside_a_stranger(stage)
    other = a_colleagues(stage, "Winter")

    shown = foreseen(stage, document_id, adopt(other, override=True))

    assert f"{other} has another name and no mark of ours" in shown.overridden


def test_a_claim_that_would_give_way_is_told_and_still_stands(unmarked: Stage) -> None:
    unmarked.sky.by_number |= {0: Weather.REPLY_LOST, 1: Weather.ERROR_BEFORE}
    claiming, held = unmarked.submit(ONE_AD), unmarked.submit(ONE_AD, new=True)
    unmarked.publish(claiming)
    settled(unmarked, claiming)
    unmarked.publish(held)
    for _ in range(2):
        a_colleagues(unmarked)
    settled(unmarked, held)
    before = unmarked.document(claiming)
    intent = before.item("a1").intent
    assert intent is not None
    assert intent.found_by is Grade.NAME_AND_TIME

    shown = foreseen(unmarked, held, adopt(intent.external_id or "", override=True))

    assert shown.outranked is not None
    assert (shown.outranked.document_id, shown.outranked.item) == (claiming, "a1")
    assert unmarked.document(claiming) == before


def test_what_stands_so_already_changes_nothing(stage: Stage) -> None:
    document_id, theirs = held_beside_a_stranger(stage)
    decide(stage, document_id, adopt(theirs))

    assert foreseen(stage, document_id, adopt(theirs)) == Foreseen(is_repeated=True)


def test_a_listing_that_does_not_end_foresees_nothing_and_says_so(stage: Stage) -> None:
    document_id, theirs = held_beside_a_stranger(stage)
    for number in range(len(stage.graph.walks), 100):
        stage.sky.blind[number] = Reason.LISTING_INCOMPLETE

    assert foreseen(stage, document_id, adopt(theirs)).withheld is Reason.LISTING_INCOMPLETE
    assert foreseen(stage, document_id, hold()).withheld is None


def test_a_throttled_account_is_not_asked_for_a_preview(stage: Stage) -> None:
    document_id, theirs = held_beside_a_stranger(stage)
    stage.sky.blind[len(stage.graph.walks)] = Reason.THROTTLED
    assert decide(stage, document_id, adopt(theirs)).withheld is Reason.THROTTLED
    walks = len(stage.graph.walks)

    assert foreseen(stage, document_id, adopt(theirs)).withheld is Reason.THROTTLED
    assert len(stage.graph.walks) == walks
