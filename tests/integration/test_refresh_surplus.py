"""What became of surplus since it was reported, as a refresh tells it; reported once, not anew."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest

from adapters.shapes import about_surplus, document_state
from fixtures.stage import Stage
from fixtures.world_graph import Sky, Weather
from reconciler import events, settle
from reconciler.model import Document, DocumentState, NextAction, Reason, Surplus
from tests.crash.plans import ONE_AD

LATER = timedelta(minutes=5)


@pytest.fixture
def stage() -> Iterator[Stage]:
    """Its first request makes two entities: outside A8."""
    made = Stage(sky=Sky(by_number={0: Weather.MADE_TWICE}))
    yield made
    made.close()


def refreshed(stage: Stage, document_id: str) -> Document:
    stage.time.pass_(LATER)
    return stage.time.run(settle.settle(document_id, stage.process(), refresh=True)).view.document


def with_a_second(stage: Stage) -> tuple[str, str, str]:
    """The document, the id that is recorded, and the one that was reported beyond it."""
    document_id = stage.submit(ONE_AD)
    stage.publish(document_id)
    document = refreshed(stage, document_id)
    intent = document.items[0].intent
    assert intent is not None
    assert intent.external_id is not None
    (extra,) = document.surplus
    return document_id, intent.external_id, extra.external_id


def only(document: Document) -> Surplus:
    (extra,) = document.surplus
    return extra


def test_a_surplus_that_was_deleted_is_not_said_to_exist_and_asks_nobody(stage: Stage) -> None:
    document_id, _, second = with_a_second(stage)
    stage.world.delete(second)

    document = refreshed(stage, document_id)

    assert only(document).unlisted_since is not None
    assert document.next.action is NextAction.NONE
    assert document.next.why == "everything it wants exists and is recorded"


def test_a_surplus_that_is_listed_again_is_asked_about_again(stage: Stage) -> None:
    document_id, _, second = with_a_second(stage)
    stage.world.conceal(second)
    refreshed(stage, document_id)
    stage.world.conceal(second, concealed=False)

    document = refreshed(stage, document_id)

    assert only(document).unlisted_since is None
    assert document.next.action is NextAction.DECIDE


def test_where_the_recorded_one_is_gone_the_other_is_not_called_too_many(stage: Stage) -> None:
    """Whoever deleted it on our word would be left without any."""
    document_id, recorded, _ = with_a_second(stage)
    stage.world.delete(recorded)

    document = refreshed(stage, document_id)
    state = document_state(stage.time.run(stage.ledger.read(document_id)))

    assert document.state is DocumentState.PUBLISHED
    assert document.next.action is NextAction.DECIDE
    assert document.next.why.startswith("what is recorded is not listed any more, another of ours")
    assert "may be the only one there is" in about_surplus(state)


def test_where_both_are_listed_what_is_too_many_is_a_persons_to_delete(stage: Stage) -> None:
    document_id, _, _ = with_a_second(stage)

    document = refreshed(stage, document_id)
    state = document_state(stage.time.run(stage.ledger.read(document_id)))

    assert document.next.why == "more exists outside than it wants; see its surplus"
    assert "What is too many is yours to delete" in about_surplus(state)


def test_a_surplus_is_reported_once_however_often_it_is_listed(stage: Stage) -> None:
    document_id, _, second = with_a_second(stage)
    refreshed(stage, document_id)
    refreshed(stage, document_id)

    journal = stage.time.run(stage.ledger.journal(document_id))

    told = [line.event for line in journal if line.event.kind == events.SURPLUS]
    assert [event.detail["external_id"] for event in told] == [second]


def told_listed(stage: Stage, document_id: str) -> list[tuple[str, str | None, bool]]:
    """Of each line about what a listing lacks or shows again: which, of which item, surplus?"""
    journal = [line.event for line in stage.time.run(stage.ledger.journal(document_id))]
    of = (events.UNLISTED, events.LISTED_AGAIN)
    return [(one.kind, one.item, one.detail["surplus"]) for one in journal if one.kind in of]


def test_a_surplus_that_goes_and_comes_back_is_told_in_the_timeline_each_time(stage: Stage) -> None:
    document_id, _, second = with_a_second(stage)
    stage.world.conceal(second)
    refreshed(stage, document_id)
    refreshed(stage, document_id)
    stage.world.conceal(second, concealed=False)
    refreshed(stage, document_id)

    assert told_listed(stage, document_id) == [
        (events.UNLISTED, "a1", True),
        (events.LISTED_AGAIN, "a1", True),
    ]


def test_a_recorded_entity_that_is_gone_is_told_in_the_timeline_too(stage: Stage) -> None:
    document_id, recorded, _ = with_a_second(stage)
    stage.world.delete(recorded)
    refreshed(stage, document_id)

    assert told_listed(stage, document_id) == [(events.UNLISTED, "a1", False)]


def test_a_walk_that_did_not_end_leaves_the_surplus_as_it_was(stage: Stage) -> None:
    document_id, _, second = with_a_second(stage)
    stage.world.delete(second)
    stage.sky.blind = dict.fromkeys(range(100), Reason.LISTING_INCOMPLETE)

    assert only(refreshed(stage, document_id)).unlisted_since is None
