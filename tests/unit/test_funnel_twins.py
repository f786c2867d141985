"""Twins: told apart by whole marks, interchangeable if equal, else left to a person."""

from __future__ import annotations

from dataclasses import replace

from fixtures.funnel_world import (
    C2,
    FOREIGN_PART,
    all_told,
    attempt,
    bare,
    bound,
    call,
    document,
    item,
    judged,
    rival,
    row,
    seconds,
    two_walks,
    whole_marked,
)
from reconciler.mark import Mark
from reconciler.model import Document, Grade, Origin, Outcome

UNMARKED = document(item("a1", part=None), part=None)


def unmarked(*keys: str) -> Document:
    """Twins sent without a mark, with equal requests."""
    return document(*(item(key, part=None) for key in keys), part=None)


def test_twins_with_whole_marks_are_told_apart() -> None:
    doc = document(item("a1", in_name=True), item("a2", in_name=True), item("a3", in_name=True))
    rows = (whole_marked("a2", "1001"), whole_marked("a1", "1002"))

    assert all_told(judged(doc, two_walks(*rows))) == {
        "a1": "found 1002 by mark",
        "a2": "found 1001 by mark",
        "a3": "absent",
    }


def test_equal_twins_without_a_mark_take_survivors_in_the_order_of_creation_then_of_ids() -> None:
    rows = (bare("999", created=9), bare("1002", created=4), bare("1001", created=4))
    doc = unmarked("a1", "a2", "a3", "a4")

    assert all_told(judged(doc, two_walks(*rows))) == {
        "a1": "found 1001 by name_and_time",
        "a2": "found 1002 by name_and_time",
        "a3": "found 999 by name_and_time",
        "a4": "absent",
    }


def test_ids_are_ordered_as_numbers() -> None:
    rows = (bare("1000"), bare("999"))

    assert all_told(judged(unmarked("a1", "a2"), two_walks(*rows)))["a1"].startswith("found 999 ")


def test_twins_with_different_requests_are_not_paired_by_order() -> None:
    doc = document(
        item("a1", part=None, fingerprint="one"),
        item("a2", part=None, fingerprint="other"),
        part=None,
    )

    assert all_told(judged(doc, two_walks(bare("1001")))) == {"a1": "twins", "a2": "twins"}
    assert all_told(judged(doc, two_walks(bare("1"), bare("2")))) == {"a1": "twins", "a2": "twins"}
    assert all_told(judged(doc, two_walks())) == {"a1": "absent", "a2": "absent"}


def test_imported_twins_are_interchangeable_whatever_their_requests() -> None:
    doc = document(
        item("1", part=None, fingerprint="one"),
        item("2", part=None, fingerprint="other"),
        part=None,
        origin=Origin.IMPORTED,
    )

    assert all_told(judged(doc, two_walks(bare("1001")))) == {
        "1": "found 1001 by name_and_time",
        "2": "absent",
    }


def test_a_twin_sent_with_and_one_sent_without_a_mark_are_not_interchangeable() -> None:
    doc = document(item("a1", part=None), item("a2"))

    assert all_told(judged(doc, two_walks(bare("1001"))))["a1"] == "echo_unproven"
    assert all_told(judged(doc, two_walks(row("1001")))) == {"a1": "twins", "a2": "twins"}


def test_what_is_missing_beside_a_twin_that_came_with_a_revision_is_absent() -> None:
    """The older one was sent alone, without a mark in its name; the younger bears its own."""
    doc = document(item("a1"), item("a2", in_name=True))

    assert all_told(judged(doc, two_walks(whole_marked("a2", "1002")))) == {
        "a1": "absent",
        "a2": "found 1002 by mark",
    }


def test_a_row_without_a_whole_mark_is_the_older_twins() -> None:
    """Under A5 nobody took the mark out of a name before it was read back."""
    doc = document(item("a1"), item("a2", in_name=True))
    own = whole_marked("a2", "1002")

    assert all_told(judged(doc, two_walks(row("1001")))) == {
        "a1": "found 1001 by mark",
        "a2": "absent",
    }
    assert all_told(judged(doc, two_walks(row("1001"), own))) == {
        "a1": "found 1001 by mark",
        "a2": "found 1002 by mark",
    }


def test_an_unmarked_row_is_no_older_twins_where_nothing_shows_that_marks_come_back() -> None:
    doc = document(item("a1"), item("a2", in_name=True))

    assert all_told(judged(doc, two_walks(bare("1001")))) == {
        "a1": "echo_unproven",
        "a2": "echo_unproven",
    }


def test_a_row_whose_whole_mark_is_gone_is_no_twins_where_none_was_sent_plainly() -> None:
    doc = document(item("a1", in_name=True), item("a2", in_name=True))

    assert all_told(judged(doc, two_walks(row("1001"))))["a1"] == "mark_lost"


def test_twins_sent_in_two_ways_are_contested_for_their_unmarked_row() -> None:
    doc, rows = document(item("a1", part=None), item("a2")), (bare("1001"), row("1002"))

    assert all_told(judged(doc, two_walks(*rows), rivals=(rival(),))) == {
        "a1": "contested",
        "a2": "contested",
    }


def test_twins_that_different_rows_survive_for_are_not_interchangeable() -> None:
    """One was sent by two attempts, the other by the second only."""
    doc = document(
        item("a1", part=None, calls=(call(1), call(2, attempt=2, start=3601))),
        item("a2", part=None, calls=(call(1, attempt=2, start=3601),)),
        part=None,
        attempts=(attempt(1), attempt(2, start=3600, lease=3900)),
    )
    rows = (bare("1001", created=4), bare("1002", created=3604))

    verdicts = judged(doc, two_walks(*rows, started_at=seconds(9000)), now=seconds(9010))

    assert all_told(verdicts) == {"a1": "twins", "a2": "twins"}


def test_equal_twins_wait_until_both_are_settled() -> None:
    """The entity of the one may still land, and would change which takes which."""
    doc = document(
        item("a1", part=None),
        item("a2", part=None, calls=(call(1), call(2, attempt=2, start=301))),
        part=None,
        attempts=(attempt(1), attempt(2, start=300, lease=900)),
    )
    between, after = seconds(500), seconds(1080)

    assert all_told(judged(doc, two_walks(bare(), started_at=between))) == {
        "a1": "too_soon",
        "a2": "too_soon",
    }
    assert all_told(judged(doc, two_walks(bare(), started_at=after))) == {
        "a1": "found 1001 by name_and_time",
        "a2": "absent",
    }


def test_an_equal_twin_that_was_answered_finally_is_not_waited_for() -> None:
    rejected = call(outcome=Outcome.REJECTED, ended_at=seconds(2))
    doc = document(item("a1", part=None), item("a2", part=None, calls=(rejected,)), part=None)

    assert all_told(judged(doc, two_walks(started_at=seconds(479))))["a1"] == "too_soon"
    assert all_told(judged(doc, two_walks(started_at=seconds(480))))["a1"] == "absent"


def test_names_under_two_parents_are_no_twins() -> None:
    doc = document(
        item("a1", part=None), item("a2", part=None, container=C2, fingerprint="other"), part=None
    )
    listings = (
        *two_walks(bare("1001")),
        *two_walks(bare("1002", campaign_id=C2.id), container=C2),
    )

    assert all_told(judged(doc, listings)) == {
        "a1": "found 1001 by name_and_time",
        "a2": "found 1002 by name_and_time",
    }


def test_no_row_is_given_to_two_intents_whoever_is_asked_about() -> None:
    doc = unmarked("a1", "a2", "a3")
    rows = (bare("1001"), bare("1002"))

    asked = [all_told(judged(doc, two_walks(*rows), only=only)) for only in (["a1"], ["a3"])]

    assert asked == [{"a1": "found 1001 by name_and_time"}, {"a3": "found 1001 by name_and_time"}]


def test_a_foreign_whole_mark_makes_no_twin() -> None:
    foreign = bare("1002", "Spring" + Mark(FOREIGN_PART, "cccccc").as_name_suffix())

    assert all_told(judged(UNMARKED, two_walks(bare(), foreign))) == {
        "a1": "found 1001 by name_and_time"
    }


def test_a_twin_bound_by_name_and_time_elsewhere_makes_the_name_doubtful() -> None:
    verdicts = judged(
        UNMARKED,
        two_walks(bare("1001"), bare("1002")),
        bindings=bound("1002", grade=Grade.NAME_AND_TIME),
    )

    assert all_told(verdicts) == {"a1": "contested"}


def test_a_row_that_is_nobodys_by_time_leaves_the_other_alone() -> None:
    rows = (bare("1001"), replace(bare("1002"), created_time="2026-03-10T09:00:00+0000"))

    assert all_told(judged(UNMARKED, two_walks(*rows))) == {"a1": "found 1001 by name_and_time"}
