"""What a person took back is told wherever its evidence says FOUND, and where it is bound again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from adapters.cli.funnel_picture import funnel_picture
from adapters.shapes import Explained, explanation, notes_of
from fixtures.stage import Stage
from reconciler.model import DocumentState
from reconciler.resolve import resolve
from reconciler.resolve_decision import Choice, Decision
from tests.integration.batching import Batching
from tests.integration.elsewhere import line
from tests.integration.test_batch_plan import with_old_documents
from tests.integration.test_batch_revert import applied
from tests.unit.test_funnel_picture import drawn


@pytest.fixture
def stage() -> Iterator[Stage]:
    stage = Stage()
    yield stage
    stage.close()


def taken_back(stage: Stage) -> tuple[str, str]:
    """The id of what a batch bound to d1 and a person took back, and the run."""
    batch = Batching(stage)
    (made,) = with_old_documents(stage, line("d1", "A"), names="A")
    run = applied(batch).head.run
    batch.revert(run)
    return made, run


def explained(stage: Stage) -> dict[str, Any]:
    view = stage.time.run(stage.ledger.read("d1"))
    evidence = {
        one.item: stage.time.run(stage.ledger.evidence(one.evidence_id))
        for one in view.document.verdicts
    }
    journal = stage.time.run(stage.ledger.journal("d1"))
    return explanation(Explained(view=view, evidence=evidence, journal=journal))


def notes(stage: Stage) -> tuple[str, ...]:
    return notes_of(stage.document("d1"), stage.time.run(stage.ledger.journal("d1")))


def told_alike(made: str, run: str) -> str:
    return f"a person took {made} back with batch revert {run}, ann, "


def test_explain_says_when_by_which_run_and_why_what_it_found_was_taken_back(
    stage: Stage,
) -> None:
    made, run = taken_back(stage)

    shape = explained(stage)

    (one,) = shape["items"]
    assert one["verdict"] == "found"
    assert str(one["since"]).startswith(told_alike(made, run))
    assert one["since"].endswith(" UTC: the import was wrong")
    assert one["since"] in one["why"]
    (undone,) = one["reverted"]
    at = undone["at"]
    assert undone == {
        "at": at, "run": run, "by": "ann", "reason": "the import was wrong", "external_id": made
    }  # fmt: skip
    text = " ".join(drawn(funnel_picture(shape), width=120).split())
    assert "GIVEN UP SINCE: a person must decide" in text
    assert f"batch revert {run} took back {made}, by ann, {at[:10]}" in text


def test_what_was_taken_back_is_not_offered_as_none_while_its_row_fits(stage: Stage) -> None:
    taken_back(stage)

    (one,) = explained(stage)["items"]

    assert one["may_be_none"] is False
    assert "--none" not in " ".join(one["commands"])


def test_the_look_that_would_bind_it_again_is_the_last_that_explain_advises(stage: Stage) -> None:
    taken_back(stage)

    (one,) = explained(stage)["items"]

    assert one["commands"][-1] == "reconciler recover d1"
    assert one["commands"][0].startswith("reconciler resolve d1 1 --adopt")


def test_who_looks_at_the_document_is_told_that_it_waits_because_it_was_taken_back(
    stage: Stage,
) -> None:
    made, run = taken_back(stage)

    (note,) = notes(stage)

    assert note.startswith(f"1 is held: {told_alike(made, run)}")


def test_a_look_that_binds_it_again_says_so_and_its_evidence_keeps_the_revert(
    stage: Stage,
) -> None:
    """As the answer of the revert says, holding does not keep a look from it."""
    made, run = taken_back(stage)
    held = Decision(item="1", choice=Choice.HOLD, reason="not theirs", by="ann")
    stage.time.run(resolve("d1", held, stage.process()))

    stage.settle("d1")
    assert stage.document("d1").state is DocumentState.HELD
    stage.settle("d1", asked=True)

    assert stage.document("d1").state is DocumentState.PUBLISHED
    (note,) = notes(stage)
    assert note.startswith(f"WARNING: 1 is bound to {made} again, as a look found it, though ")
    assert told_alike(made, run) in note
    (one,) = explained(stage)["items"]
    assert one["since"] is None
    assert [undone["run"] for undone in one["reverted"]] == [run]


def test_what_a_person_adopts_after_the_revert_is_no_surprise(stage: Stage) -> None:
    made, _ = taken_back(stage)
    said = Decision(item="1", choice=Choice.ADOPT, external_id=made, reason="it is", by="ann")
    stage.time.run(resolve("d1", said, stage.process()))

    assert stage.document("d1").state is DocumentState.PUBLISHED
    assert notes(stage) == ()


def test_the_wrong_row_deleted_outside_no_look_binds_it_again(stage: Stage) -> None:
    """As the answer of the revert says."""
    made, _ = taken_back(stage)
    stage.world.delete(made)

    stage.settle("d1", asked=True)

    assert stage.document("d1").state is DocumentState.FAILED
    assert notes(stage) == ()
