"""When a program may not create, and whose a document is that it began."""

from __future__ import annotations

import pytest

from fixtures.lives import IsStopped
from fixtures.stage import Stage, advance
from fixtures.world_graph import Weather
from reconciler.errors import NotSettled, UnknownItem, WrongState
from reconciler.limits import Limits
from reconciler.model import (
    Document,
    DocumentState,
    Echo,
    Outcome,
)
from tests.crash.plans import FOUR_ADS, ONE_AD
from tests.crash.programs import Unanswered
from tests.integration.programs import Program, ids_of

# --- what it turns away --------------------------------------------------------------------------


def test_an_item_that_is_not_there_a_cancelled_document_and_a_closed_program_send_nothing(
    stage: Stage, program: Program
) -> None:
    document_id = stage.submit(FOUR_ADS)
    stopping = Program(stage, stage.worker(stopping=lambda: True).outside)

    with pytest.raises(UnknownItem):
        program.made(document_id, "b1")
    with pytest.raises(NotSettled):
        stopping.made(document_id, "a1")
    stage.time.run(program.product.cancel(document_id))
    with pytest.raises(WrongState, match="cancelled"):
        program.made(document_id, "a1")

    assert (program.sent, stopping.sent) == ([], [])
    intent = stage.document(document_id).item("a1").intent
    assert intent is not None
    assert [call.outcome for call in intent.calls] == [Outcome.NOT_SENT]


def test_a_time_to_ask_again_is_missing_only_where_a_person_must_act(
    stage: Stage, program: Program
) -> None:
    document_id = stage.submit(ONE_AD)
    account = stage.document(document_id).account_id
    stopping = Program(stage, stage.worker(stopping=lambda: True).outside)

    with pytest.raises(NotSettled) as stopped:
        stopping.made(document_id, "a1")
    now = stage.time.now()
    stage.time.run(program.product.pause(account, "the client asked for it"))
    with pytest.raises(NotSettled, match="is paused: the client asked for it") as paused:
        program.made(document_id, "a1")
    stage.time.run(program.product.resume(account))

    assert (stopped.value.until, paused.value.until) == (now, None)
    assert [program.made(document_id, "a1")] == ids_of(stage)


@pytest.mark.parametrize("stops_for", [79.0, 130.0], ids=["too little left", "taken over"])
def test_a_program_that_stood_still_before_its_request_does_not_send_it(
    stage: Stage, stops_for: float
) -> None:
    """A2: the lease is asked for by the clocks at the last moment, not at the claim."""
    document_id = stage.submit(ONE_AD)
    frozen = IsStopped(effect="ledger.Fenced", after=True, stops_for=stops_for)
    program = Program(stage, stage.worker(frozen).outside)

    with pytest.raises(NotSettled):
        program.made(document_id, "a1")

    assert program.sent == []


def test_without_a_mark_nothing_is_made_again_before_a_person_says_so() -> None:
    stage = Stage(limits=Limits(echo=Echo.NONE))
    document_id, program = stage.submit(ONE_AD), Program(stage)
    stage.sky.by_number = {0: Weather.ERROR_BEFORE}
    with pytest.raises(Unanswered):
        program.made(document_id, "a1")
    stage.run_until_rest(document_id)

    with pytest.raises(NotSettled, match="no proof") as refused:
        program.made(document_id, "a1")

    assert (refused.value.until, len(program.sent)) == (None, 1)
    assert refused.value.next_step == f"reconciler publish {document_id}"
    stage.close()


# --- whose the document is -----------------------------------------------------------------------


def test_what_its_program_sends_no_worker_sends(stage: Stage, program: Program) -> None:
    document_id = stage.submit(FOUR_ADS)
    program.made(document_id, "a1")

    rests = stage.document(document_id)
    stage.time.run(advance(document_id, stage.process()))

    assert rests.state is DocumentState.PARTLY_PUBLISHED
    assert "its program sends it" in rests.next.why
    assert len(ids_of(stage)) == 1


def test_after_a_recovery_too_the_rest_is_left_to_its_program(
    stage: Stage, program: Program
) -> None:
    document_id = stage.submit(FOUR_ADS)
    stage.sky.by_number = {0: Weather.ERROR_AFTER}
    with pytest.raises(Unanswered):
        program.made(document_id, "a1")

    found = stage.settle(document_id).view.document
    stage.time.run(advance(document_id, stage.process()))

    assert found.state is DocumentState.PARTLY_PUBLISHED
    assert len(ids_of(stage)) == 1
    assert program.made(document_id, "a2") == ids_of(stage)[1]


def test_once_a_person_says_publish_the_rest_is_sent_from_here(
    stage: Stage, program: Program
) -> None:
    document_id = stage.submit(FOUR_ADS)
    program.made(document_id, "a1")

    document: Document = stage.publish(document_id).view.document

    assert document.state is DocumentState.PUBLISHED
    assert len(ids_of(stage)) == 4
    assert len(program.sent) == 1
