"""A person decides: told as stories of a held document, on walks made for the decision."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest

from fixtures.stage import Stage
from fixtures.world_graph import Weather
from reconciler import settle
from reconciler.errors import DecisionRefused
from reconciler.limits import Limits
from reconciler.model import DocumentState, Echo, Grade, ItemState, NextAction, Reason
from tests.crash.plans import ONE_AD
from tests.crash.promise import assert_nothing_exists_twice
from tests.integration.held import (
    a_colleagues,
    adopt,
    decide,
    held_before_two_of_ours,
    held_beside_a_stranger,
    hold,
    none,
    reason_of,
    refusal,
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


# --- this row is it ------------------------------------------------------------------------------


def test_what_is_adopted_is_bound_by_a_person_with_the_rows_attributes(stage: Stage) -> None:
    document_id, theirs = held_beside_a_stranger(stage)

    resolved = decide(stage, document_id, adopt(theirs))

    intent = resolved.view.document.item("a1").intent
    assert resolved.is_recorded
    assert resolved.view.document.state is DocumentState.PUBLISHED
    assert intent is not None
    assert (intent.external_id, intent.found_by) == (theirs, Grade.PERSON)
    assert intent.attributes is not None
    assert intent.attributes["id"] == theirs


def test_the_journal_keeps_who_decided_what_and_why(stage: Stage) -> None:
    document_id, theirs = held_beside_a_stranger(stage)

    decide(stage, document_id, adopt(theirs))

    (line,) = told(stage, document_id)
    evidence = stage.time.run(stage.ledger.evidence(line["evidence_id"]))
    assert line["evidence_hash"] == evidence.hash
    assert {name: line[name] for name in ("choice", "external_id", "reason", "by", "was")} == {
        "choice": "adopt",
        "external_id": theirs,
        "reason": "seen in Ads Manager",
        "by": "ann",
        "was": "held",
    }


def test_a_row_of_another_name_is_adopted_only_against_the_evidence_and_says_so(
    stage: Stage,
) -> None:
    document_id, _ = held_beside_a_stranger(stage)
    other = a_colleagues(stage, "Winter")

    assert "has another name" in refusal(stage, document_id, adopt(other))
    decide(stage, document_id, adopt(other, override=True))

    (line,) = told(stage, document_id)
    assert f"{other} has another name and no mark of ours" in line["overridden"]
    assert stage.document(document_id).state is DocumentState.PUBLISHED


def test_what_another_document_made_is_adopted_by_nobody(stage: Stage) -> None:
    document_id, _ = held_beside_a_stranger(stage)
    other_id = stage.submit(ONE_AD, new=True)
    stage.publish(other_id)
    intent = stage.document(other_id).item("a1").intent
    assert intent is not None
    assert intent.external_id is not None

    why = refusal(stage, document_id, adopt(intent.external_id, override=True))

    assert "nobody can overrule" in why


def test_what_a_listing_does_not_show_is_not_adopted_though_it_may_exist(stage: Stage) -> None:
    document_id, theirs = held_beside_a_stranger(stage)
    stage.world.delete(theirs)

    assert "not in the complete listing" in refusal(stage, document_id, adopt(theirs))


def test_of_two_that_one_request_made_one_is_adopted_and_the_other_is_surplus(
    stage: Stage,
) -> None:
    document_id, (first, second) = held_before_two_of_ours(stage)

    document = decide(stage, document_id, adopt(first)).view.document

    assert [(extra.external_id, extra.known) for extra in document.surplus] == [(second, False)]
    assert document.next.action is NextAction.DECIDE


@pytest.mark.parametrize("at_once", [True, False], ids=["with the adoption", "afterwards"])
def test_a_surplus_that_a_person_knows_of_is_silent_also_for_later_looks(
    stage: Stage, at_once: bool
) -> None:
    document_id, (first, second) = held_before_two_of_ours(stage)
    if not at_once:
        decide(stage, document_id, adopt(first))

    decide(stage, document_id, adopt(first, also=(second,)))
    stage.time.run(settle.settle(document_id, stage.process(), refresh=True))

    document = stage.document(document_id)
    assert [(extra.external_id, extra.known) for extra in document.surplus] == [(second, True)]
    assert document.next.action is NextAction.NONE


def test_only_what_was_reported_of_a_bound_item_is_recorded_as_known(stage: Stage) -> None:
    document_id, (first, second) = held_before_two_of_ours(stage)
    decide(stage, document_id, adopt(first))

    with pytest.raises(DecisionRefused, match="4711 is no surplus"):
        decide(stage, document_id, adopt(first, also=("4711",)))
    with pytest.raises(DecisionRefused, match=f"a1 is bound to {first} already"):
        decide(stage, document_id, adopt(second, also=(first,)))


# --- no row is it --------------------------------------------------------------------------------


def test_where_no_row_is_it_the_item_is_made_once_more(stage: Stage) -> None:
    document_id, theirs = held_beside_a_stranger(stage)

    document = decide(stage, document_id, none()).view.document

    assert (document.state, document.item("a1").state) == (
        DocumentState.QUEUED,
        ItemState.ABSENT,
    )
    document = stage.run_until_rest(document_id)
    intent = document.item("a1").intent
    assert document.state is DocumentState.PUBLISHED
    assert intent is not None
    assert intent.external_id != theirs
    assert_nothing_exists_twice(stage.world, document)


def test_none_is_refused_while_something_listed_may_be_ours(stage: Stage) -> None:
    document_id, (first, second) = held_before_two_of_ours(stage)

    assert f"{first}, {second} may be it" in refusal(stage, document_id, none())


def test_none_is_refused_before_everything_shows_and_nothing_is_walked_for_it(
    stage: Stage,
) -> None:
    stage.sky.by_number[0] = Weather.ERROR_BEFORE
    document_id = stage.submit(ONE_AD)
    stage.publish(document_id)
    walks = len(stage.graph.walks)

    assert "too soon" in refusal(stage, document_id, none())
    assert len(stage.graph.walks) == walks


def test_without_a_mark_it_then_rests_until_a_person_says_publish(unmarked: Stage) -> None:
    """A survivor without a mark may be ours, so the stranger's is renamed outside first."""
    document_id, theirs = _held_twice_named(unmarked)
    assert "may be it" in refusal(unmarked, document_id, none())
    for one in theirs:
        unmarked.world.rename(one, "Not ours")

    document = decide(unmarked, document_id, none()).view.document

    assert document.state is DocumentState.FAILED
    assert unmarked.run_until_rest(document_id).state is DocumentState.FAILED
    assert unmarked.publish(document_id).view.document.state is DocumentState.PUBLISHED


def _held_twice_named(stage: Stage) -> tuple[str, list[str]]:
    stage.sky.by_number[0] = Weather.ERROR_BEFORE
    document_id = stage.submit(ONE_AD, publish=True)
    stage.time.pass_(timedelta(seconds=1))
    theirs = [a_colleagues(stage) for _ in range(2)]
    stage.advance(document_id)
    settled(stage, document_id)
    assert reason_of(stage, document_id) is Reason.AMBIGUOUS
    return document_id, theirs


# --- not now -------------------------------------------------------------------------------------


def test_a_pending_item_can_be_held_at_once_and_is_left_alone_until_it_is_decided(
    stage: Stage,
) -> None:
    stage.sky.by_number[0] = Weather.ERROR_BEFORE
    document_id = stage.submit(ONE_AD)
    stage.publish(document_id)

    document = decide(stage, document_id, hold(reason="ask Bea first")).view.document

    assert (document.state, document.item("a1").state) == (DocumentState.HELD, ItemState.HELD)
    assert stage.run_until_rest(document_id).state is DocumentState.HELD
    assert [line["reason"] for line in told(stage, document_id)] == ["ask Bea first"]


def test_what_is_held_stays_held_for_its_own_reason_with_the_persons_beside_it(
    stage: Stage,
) -> None:
    document_id, _ = held_beside_a_stranger(stage)

    decide(stage, document_id, hold())

    assert reason_of(stage, document_id) is Reason.ECHO_UNPROVEN
    assert len(told(stage, document_id)) == 1
