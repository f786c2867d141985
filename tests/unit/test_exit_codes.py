"""Exit codes: every row of the table, and the order where several fit."""

from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest

from adapters.cli.exit_codes import (
    NO_ANSWER,
    OF_STATE,
    PRECEDENCE,
    ExitCode,
    after_cancel,
    after_doctor,
    after_publish,
    after_recover,
    after_show,
    after_sweep,
    first_that_fits,
)
from reconciler.due import Due
from reconciler.model import DocumentState, Reason
from reconciler.ports import View
from reconciler.sweep import Swept
from reconciler.visit import Visit
from tests.unit import sample_views as sample


def test_the_numbers_are_those_other_programs_test_on() -> None:
    assert {code.name: code.value for code in ExitCode} == {
        "DONE": 0,
        "ERROR": 1,
        "CHANGES_PLANNED": 2,
        "NEEDS_A_PERSON": 3,
        "ENDED_SHORT": 4,
        "RUN_AGAIN": 5,
        "USAGE": 64,
        "INTERRUPTED": 130,
        "TERMINATED": 143,
    }


def test_the_order_is_usage_error_ended_person_again_planned_done() -> None:
    assert [code.value for code in PRECEDENCE] == [64, 1, 4, 3, 5, 2, 0]


@pytest.mark.parametrize("pair", list(combinations(PRECEDENCE, 2)))
def test_of_two_codes_the_one_earlier_in_the_order_is_told(pair: tuple[ExitCode, ExitCode]) -> None:
    assert first_that_fits(reversed(pair)) is pair[0]


def test_nothing_to_tell_is_done() -> None:
    assert first_that_fits([]) is ExitCode.DONE


def test_every_state_has_a_code() -> None:
    assert OF_STATE.keys() == set(DocumentState)


@pytest.mark.parametrize(
    ("view", "code"),
    [
        (sample.published(), 0),
        (sample.rescued(), 0),
        (sample.with_surplus(), 3),
        (sample.with_surplus(known=True), 0),
        (sample.held(), 3),
        (sample.held(Reason.OVER_CAP), 3),
        (sample.failed(), 4),
        (sample.view(DocumentState.PARTLY_PUBLISHED), 4),
        (sample.view(DocumentState.CANCELLED), 4),
        (sample.unsettled(), 5),
        (sample.view(DocumentState.QUEUED), 5),
        (sample.publishing(), 5),
    ],
)
def test_publish_tells_whether_the_document_got_where_it_should(view: View, code: int) -> None:
    assert after_publish(view) == code


@pytest.mark.parametrize(
    ("view", "withheld", "by_another", "code"),
    [
        (sample.published(), None, False, 0),
        (sample.view(DocumentState.DRAFT), None, False, 0),
        (sample.view(DocumentState.QUEUED), None, False, 0),
        (sample.unsettled(), Reason.TOO_SOON, False, 5),
        (sample.unsettled(), Reason.LISTING_INCOMPLETE, False, 5),
        (sample.unsettled(), None, True, 5),
        (sample.publishing(), None, False, 5),
        (sample.held(), None, False, 3),
        (sample.held(), Reason.THROTTLED, False, 3),
        (sample.view(DocumentState.QUEUED), Reason.AMBIGUOUS, False, 3),
        (sample.failed(), None, False, 4),
        (sample.failed(), Reason.ACCESS, False, 4),
        (sample.with_surplus(), None, False, 3),
        (sample.published(), Reason.CLOCK, False, 5),
    ],
)
def test_recover_tells_whether_anything_is_left_to_find_out(
    view: View, withheld: Reason | None, by_another: bool, code: int
) -> None:
    assert after_recover(view, withheld=withheld, held_by_another=by_another) == code


@pytest.mark.parametrize("reason", [None, *Reason])
def test_show_is_done_unless_a_look_that_was_due_had_no_answer(reason: Reason | None) -> None:
    assert after_show(withheld=reason) == (5 if reason in NO_ANSWER else 0)


def test_show_says_run_again_where_another_holds_the_lease() -> None:
    assert after_show(held_by_another=True) == 5


def test_too_soon_is_an_answer() -> None:
    assert Reason.TOO_SOON not in NO_ANSWER
    assert {reason.value for reason in NO_ANSWER} == {
        "listing_incomplete",
        "throttled",
        "access",
        "clock",
    }


def test_cancel_is_done_or_recorded() -> None:
    assert after_cancel(sample.view(DocumentState.CANCELLED)) == 0
    assert after_cancel(sample.publishing()) == 5


def test_a_doctor_that_found_something_is_an_error() -> None:
    assert (after_doctor(True), after_doctor(False)) == (0, 1)


def visited(**done: Any) -> Swept:
    """A pass with one visit to a queued document, and one at which nothing happened."""
    queued = DocumentState.QUEUED
    plain = Visit(document_id="d1", kind=Due.LOOK, before=queued, after=queued)
    return Swept(run="r", visits=(plain, replace(plain, **done)))


@pytest.mark.parametrize(
    ("swept", "code"),
    [
        (Swept(run="r"), 0),
        (visited(), 0),
        (visited(after=DocumentState.PUBLISHED), 0),
        (visited(after=DocumentState.FAILED), 0),
        (visited(withheld=Reason.TOO_SOON), 0),
        (visited(after=DocumentState.HELD), 3),
        (visited(before=DocumentState.HELD, after=DocumentState.HELD), 0),
        (visited(new_surplus=1), 3),
        (visited(withheld=Reason.THROTTLED), 5),
        (visited(held_by_another=True), 5),
        (visited(error="gone"), 1),
        (visited(error="gone", after=DocumentState.HELD), 1),
        (Swept(run="r", error="gone"), 1),
        (Swept(run="r", held_by_another=True), 5),
    ],
)
def test_a_sweep_ends_by_what_it_leaves_behind(swept: Swept, code: int) -> None:
    """R068: a row that failed is no success, whatever became of the others."""
    assert after_sweep(swept) == code
