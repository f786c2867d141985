"""What the activity log is asked about a document, and which of its rows answer."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from reconciler.activity_log import MARGIN, Creation
from reconciler.log_question import LogAnswer, Question, Said
from reconciler.policy import Policy

NOON = datetime(2026, 3, 10, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
SECOND = timedelta(seconds=1)
ASKED = Question(ids=frozenset({"1", "2"}), since=NOON, until=NOON + HOUR, settled=None)


def told(*creations: Creation) -> dict[str, str]:
    return dict(ASKED.told(creations))


@pytest.mark.parametrize(
    ("at", "is_told"),
    [
        (NOON - MARGIN - SECOND, False),
        (NOON - MARGIN, True),
        (NOON, True),
        (NOON + HOUR + MARGIN - SECOND, True),
        (NOON + HOUR + MARGIN, False),
        (None, True),
    ],
)
def test_rows_of_the_time_and_its_margin_answer_and_what_has_no_readable_time(
    at: datetime | None, is_told: bool
) -> None:
    assert told(Creation("1", "77001", at)) == ({"1": "77001"} if is_told else {})


def test_what_was_not_asked_about_is_not_told() -> None:
    assert told(Creation("3", "77001", NOON)) == {}


def test_what_two_rows_give_to_two_apps_is_left_out_and_one_app_told_twice_is_told() -> None:
    rows = [Creation("1", "77001", NOON), Creation("1", "88002", NOON)]
    twice = [Creation("2", "77001", NOON)] * 2

    assert told(*rows, *twice) == {"2": "77001"}


def test_a_row_outside_the_time_contradicts_nothing_inside_it() -> None:
    before = Creation("1", "88002", NOON - HOUR)

    assert told(before, Creation("1", "77001", NOON)) == {"1": "77001"}


@pytest.mark.parametrize(
    ("said", "provenance", "must"),
    [
        (Said.TOLD, {"1": "77001"}, False),
        (Said.UNREAD, None, False),
        (Said.BEYOND, {"1": "77001"}, True),
    ],
)
def test_a_log_that_was_not_read_changes_nothing_and_one_too_long_forbids_to_claim(
    said: Said, provenance: object, must: bool
) -> None:
    policy = LogAnswer(said=said, apps={"1": "77001"}).added_to(Policy(app_id="77001"))

    assert (policy.provenance, policy.must_be_logged) == (provenance, must)
