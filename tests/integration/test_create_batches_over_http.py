"""Batches of creates over HTTP, against the API's faults: nothing lands on a neighbour.

What users met with other clients' batches, and what the fake can do to a batch as a whole or to one
create in it. Whatever is answered, each item comes to exist once and has its own id.
"""

from __future__ import annotations

from datetime import timedelta

import pytest

from reconciler import settle
from reconciler.limits import Limits
from reconciler.model import (
    AttemptOutcome,
    BlockReason,
    Document,
    DocumentState,
    ItemState,
    Outcome,
)
from tests.crash.plans import ads
from tests.integration.http_stage import HttpStage, SetUp, live, states

SIX = ads(*(f"Spring / {number}" for number in range(1, 7)))
"""One goes alone; the other five share a request."""

CONFIRMED, PENDING, REJECTED = ItemState.CONFIRMED, ItemState.PENDING, ItemState.REJECTED


@pytest.fixture
def stage(set_up: SetUp) -> HttpStage:
    return set_up(limits=Limits(create_batch=10))


def attempted(stage: HttpStage, *faults: str) -> Document:
    """Six ads, whose batch meets these faults; after the first attempt."""
    for fault in faults:
        stage.fake.faults.add(fault)
    return stage.publish(stage.submit(SIX)).view.document


def published(stage: HttpStage, document: Document) -> Document:
    """Driven to rest: all six exist, once each, and each item knows its own."""
    stage.fake.faults.clear()
    rested = stage.run_until_rest(document.id)
    assert rested.state is DocumentState.PUBLISHED
    assert live(stage, rested) == [1] * 6
    assert has_its_own(stage, rested)
    return rested


def has_its_own(stage: HttpStage, document: Document) -> bool:
    """Whether every id is that of an entity of the item's name."""
    bound = [(item.name, item.intent.external_id) for item in document.items if item.intent]
    return all(id_ is None or stage.world.entities[id_].name == name for name, id_ in bound)


def outcomes(document: Document) -> list[Outcome | None]:
    return [item.intent.calls[0].outcome for item in document.items if item.intent]


# --- one child ------------------------------------------------------------------------------------


@pytest.mark.parametrize("at", [2, 4, 6])
@pytest.mark.parametrize(
    ("fault", "was_made"),
    [
        ("error_after_commit", True),
        ("error_before_commit", False),
        ("html_page:status=502,commit=true", True),
        ("flaky_creative:commit=true", True),
        ("truncated_body:keep=3", True),
        ("id_less_200:commit=true", True),
    ],
)
def test_one_of_a_batch_is_not_known_and_no_id_lands_on_a_neighbour(
    stage: HttpStage, fault: str, was_made: bool, at: int
) -> None:
    """R002: the others are saved; that one is neither failed nor sent again on a guess."""
    document = attempted(stage, f"{fault}{',' if ':' in fault else ':'}on_edge=ads,nth={at}")

    assert outcomes(document) == [
        Outcome.UNKNOWN if number == at else Outcome.CREATED for number in range(1, 7)
    ]
    assert states(document)[at - 1] is (CONFIRMED if was_made else PENDING)
    assert has_its_own(stage, document)
    assert len(stage.graph.creates) == 6
    published(stage, document)
    assert len(stage.graph.creates) == (6 if was_made else 7)


def test_refused_children_are_rejected_under_an_outer_200_and_nothing_is_looked_up(
    stage: HttpStage,
) -> None:
    """R003: the message is kept, the document is not published."""
    document = attempted(stage, "validation_error:nth=3", "validation_error:nth=4")

    assert states(document) == [CONFIRMED] * 2 + [REJECTED] * 2 + [CONFIRMED] * 2
    assert document.state is DocumentState.PARTLY_PUBLISHED
    calls = [document.items[place].intent for place in (2, 3)]
    errors = [intent.calls[0].error for intent in calls if intent]
    assert [error.code for error in errors if error] == [100, 100]
    assert all(error and error.message for error in errors)
    assert len(stage.graph.walks) == 0


@pytest.mark.parametrize("lost", [(1,), (2, 4), (1, 2, 3, 4, 5)])
@pytest.mark.parametrize("how", ["commit=true", "commit=false", "late_seconds=20"])
def test_null_children_are_unknown_and_settled_and_the_others_keep_their_ids(
    stage: HttpStage, how: str, lost: tuple[int, ...]
) -> None:
    """R004; facts 4.13, 4.14: never sent again by itself."""
    document = attempted(stage, *(f"null_child:nth={nth},{how}" for nth in lost))

    assert [place for place, o in enumerate(outcomes(document)) if o is Outcome.UNKNOWN] == [*lost]
    assert has_its_own(stage, document)
    assert len(stage.graph.creates) == 6
    published(stage, document)
    assert len(stage.graph.creates) == 6 + (len(lost) if how == "commit=false" else 0)


@pytest.mark.parametrize("how", ["text", "no_body", "no_code", "body_object"])
def test_a_child_of_another_shape_is_unknown_and_those_beside_it_are_not(
    stage: HttpStage, how: str
) -> None:
    document = attempted(stage, f"odd_child:how={how},place=2")

    assert [place for place, o in enumerate(outcomes(document)) if o is Outcome.UNKNOWN] == [3]
    published(stage, document)


# --- the whole ------------------------------------------------------------------------------------


@pytest.mark.parametrize("commit", ["true", "false"])
@pytest.mark.parametrize(
    "fault",
    [
        "batch_timed_out",
        "batch_body_lost",
        "batch_body_lost:shape=empty",
        "batch_body_lost:shape=object",
    ],
)
def test_a_batch_that_failed_as_a_whole_is_settled_child_by_child(
    stage: HttpStage, fault: str, commit: str
) -> None:
    """E07; facts 4.15."""
    document = attempted(stage, f"{fault}{',' if ':' in fault else ':'}commit={commit}")

    assert outcomes(document) == [Outcome.CREATED] + [Outcome.UNKNOWN] * 5
    assert len(stage.graph.creates) == 6
    published(stage, document)


@pytest.mark.parametrize("how", ["short", "long"])
def test_no_id_is_given_by_its_place_past_a_gap(stage: HttpStage, how: str) -> None:
    """R004: the ids that came are nobody's until a look finds whose each is."""
    document = attempted(stage, f"misaligned_batch:how={how}")

    assert outcomes(document) == [Outcome.CREATED] + [Outcome.UNKNOWN] * 5
    assert has_its_own(stage, document)
    published(stage, document)
    assert len(stage.graph.creates) == 6


@pytest.mark.parametrize("commit", ["true", "false"])
def test_a_throttled_batch_closes_the_account_and_is_settled(stage: HttpStage, commit: str) -> None:
    """A throttled write may have been carried out (facts 2.10)."""
    stage.fake.faults.add(f"throttle:nth=2,commit={commit}", method="POST")
    document_id = stage.submit(SIX)

    view = stage.publish(document_id).view

    assert view.account.reason is BlockReason.THROTTLED
    assert view.document.attempts[-1].outcome is AttemptOutcome.HANDED_BACK
    assert states(view.document) == [CONFIRMED] + [PENDING] * 5
    published(stage, view.document)


def test_the_usage_that_a_child_tells_slows_the_next_request(stage: HttpStage) -> None:
    """Facts 3.7: the outer reply of a batch need not say. Here the second create tells it."""
    stage.limits = Limits(create_batch=10, concurrency=1)
    stage.fake.faults.add("usage:percent=100,on_edge=ads,nth=2")
    began = stage.time.now()

    stage.publish(stage.submit(ads(*(f"Spring / {number}" for number in range(21)))))

    assert [len(batch) for batch in stage.graph.batches] == [10, 10]
    assert stage.time.now() - began > timedelta(seconds=5)


def test_answers_in_another_order_are_reported_by_the_next_refresh() -> None:
    """What a batch rests on beyond a create sent alone, broken: facts 4.11 say that replies stand
    in the order of the requests, and nothing in a reply could show that they do not."""
    stage = HttpStage(limits=Limits(create_batch=10))
    document = attempted(stage, "misaligned_batch:how=swapped")

    refreshed = stage.time.run(settle.settle(document.id, stage.process(), refresh=True))

    intents = [item.intent for item in refreshed.view.document.items if item.intent]
    assert document.state is DocumentState.PUBLISHED
    assert [len(intent.warnings) for intent in intents] == [0, 1, 1, 1, 1, 1]
    assert live(stage, document) == [1] * 6
    stage.close()
