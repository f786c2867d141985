"""In which order anything may be said: walks, clock, our mark, time, policy, and absence last."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from fixtures.funnel_world import (
    C1,
    LOOKED_AT,
    all_told,
    bare,
    call,
    counted_at,
    document,
    item,
    judged,
    rival,
    row,
    seconds,
    told,
    two_walks,
    walk,
)
from reconciler.funnel import Policy
from reconciler.listing import Row, Statuses
from reconciler.model import Document, ItemState, Kind, Origin, Outcome, Reason

HERE = (C1, Kind.ADSET)
UNMARKED = document(item(part=None), part=None)
TOO_FAR = timedelta(seconds=5.001)


def only(doc: Document, *listings: Any, **given: Any) -> str:
    """The verdict on the one item, in one line."""
    return told(judged(doc, listings, **given).verdicts["a1"])


# --- incomplete walks --------------------------------------------------------------------------


def test_without_a_complete_walk_nothing_is_said_but_why() -> None:
    assert only(document()) == "listing_incomplete"


@pytest.mark.parametrize(
    "reason", [Reason.LISTING_INCOMPLETE, Reason.THROTTLED, Reason.ACCESS], ids=str
)
def test_the_reason_of_the_walk_is_passed_on(reason: Reason) -> None:
    assert only(document(), incomplete={HERE: reason}) == reason


def test_a_second_walk_that_gave_nothing_leaves_only_what_our_mark_proves() -> None:
    withheld = {HERE: Reason.THROTTLED}

    assert only(document(), walk(row()), incomplete=withheld) == "found 1001 by mark"
    assert only(document(), walk(), incomplete=withheld) == "throttled"
    assert only(UNMARKED, walk(bare()), incomplete=withheld) == "throttled"
    assert only(document(), walk(row("1"), row("2")), incomplete=withheld) == "throttled"


def test_a_walk_of_another_place_says_nothing_here() -> None:
    assert only(document(), *two_walks(kind=Kind.AD)) == "listing_incomplete"
    assert only(document(), *two_walks(), incomplete={(C1, Kind.AD): Reason.ACCESS}) == "absent"


# --- clocks ------------------------------------------------------------------------------------


@pytest.mark.parametrize("difference", [None, TOO_FAR, -TOO_FAR])
@pytest.mark.parametrize("rows", [(row(),), ()])
def test_a_clock_too_far_off_or_not_measured_withholds_every_verdict(
    rows: tuple[Row, ...], difference: timedelta | None
) -> None:
    fine, off = walk(*rows), walk(*rows, clock_difference=difference)

    assert only(document(), off) == "clock"
    assert only(document(), fine, off) == "clock"
    assert only(document(), *two_walks(clock_difference=difference), now=seconds(1)) == "clock"


@pytest.mark.parametrize("difference", [timedelta(seconds=5), timedelta(seconds=-5)])
def test_a_clock_within_the_skew_withholds_nothing(difference: timedelta) -> None:
    assert only(document(), *two_walks(clock_difference=difference)) == "absent"


def test_a_clock_withholds_only_what_was_walked_by_it() -> None:
    adset = item("a1")
    creative = item("a2", kind=Kind.ADCREATIVE)
    listings = (walk(clock_difference=None), *two_walks(kind=Kind.ADCREATIVE))

    assert all_told(judged(document(adset, creative), listings)) == {"a1": "clock", "a2": "absent"}


# --- time --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "doc", "early"),
    [
        ((row(),), document(), "found 1001 by mark"),
        ((), document(), "too_soon"),
        ((bare(),), document(), "too_soon"),
        ((row("1"), row("2")), document(), "too_soon"),
        ((row("1", "Nobody's"),), document(), "too_soon"),
        ((bare(),), UNMARKED, "too_soon"),
        ((), UNMARKED, "too_soon"),
    ],
)
def test_before_settle_at_only_our_mark_finds(
    rows: tuple[Row, ...], doc: Document, early: str
) -> None:
    assert only(doc, *two_walks(*rows, started_at=seconds(479))) == early
    assert only(doc, *two_walks(*rows, started_at=seconds(480))) != "too_soon"


def test_a_walk_begun_too_soon_and_judged_late_is_too_soon_all_the_same() -> None:
    assert only(UNMARKED, walk(bare(), started_at=seconds(479)), now=LOOKED_AT) == "too_soon"


def test_too_soon_goes_before_policy_and_standing_reasons() -> None:
    imported = document(item(part=None), part=None, origin=Origin.IMPORTED)
    early = two_walks(bare(), started_at=seconds(479))

    assert only(imported, *early, policy=Policy()) == "too_soon"
    assert only(UNMARKED, *early, rivals=(rival(),)) == "too_soon"


def test_what_was_answered_finally_waits_for_nothing() -> None:
    rejected = call(outcome=Outcome.REJECTED, ended_at=seconds(2))

    assert only(document(item(calls=(rejected,))), *two_walks(started_at=seconds(3))) == "absent"


def test_found_without_a_mark_needs_a_walk_with_every_status() -> None:
    """An archived twin would be left out, and one row would look like the only one."""
    unfiltered = walk(bare(), statuses=Statuses.NO_FILTER)

    assert only(UNMARKED, unfiltered) == "too_soon"
    assert only(UNMARKED, walk(bare())) == "found 1001 by name_and_time"


# --- an id seen twice --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "doc", "want"),
    [
        ((row(),), document(), "found 1001 by mark"),
        ((), document(), "listing_incomplete"),
        ((bare(),), UNMARKED, "listing_incomplete"),
        ((bare("1"), bare("2")), UNMARKED, "listing_incomplete"),
    ],
)
def test_a_walk_that_saw_an_id_twice_finds_by_mark_and_says_nothing_else(
    rows: tuple[Row, ...], doc: Document, want: str
) -> None:
    """R031: pages overlap by one; ours, on both, counts once."""
    assert only(doc, *two_walks(*rows, saw_an_id_twice=True)) == want
    assert only(doc, walk(*rows), *two_walks(*rows, saw_an_id_twice=True)[1:]) == want


OUTSIDE_WINDOW = bare(created=-3600)
TWO_READINGS = [
    ("both survive", bare(), bare(effective_status="ACTIVE"), "found 1001 by name_and_time"),
    ("both disproved", OUTSIDE_WINDOW, bare(source_id="7"), "absent"),
    ("one survives", bare(), OUTSIDE_WINDOW, "unproven_row"),
    ("one is doubtful", bare(), bare(created=None), "unproven_row"),
    ("one doubtful, one disproved", bare(created=None), bare(source_id="7"), "unproven_row"),
]


@pytest.mark.parametrize(
    ("why", "one", "other", "want"),
    TWO_READINGS,
    ids=[c[0] for c in TWO_READINGS],
)
def test_an_id_read_twice_is_judged_in_both_readings(
    why: str, one: Row, other: Row, want: str
) -> None:
    first, second = two_walks()

    for here, there in ((one, other), (other, one)):
        across = (replace(first, rows=(here,)), replace(second, rows=(there,)))
        assert only(UNMARKED, *across) == want, why


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    ("one", "other", "want", "counted"),
    [
        (bare(created=-3600), bare(source_id="7"), "absent", ["copy: not_ours"]),
        (bare(created=None), bare(labels=("rc1-cut",)), "mark_lost", ["mark: doubt"]),
        (bare(), bare(labels=("rc1-cut",)), "mark_lost", ["mark: doubt"]),
        (bare(source_id="7"), bare(created=None), "unproven_row", ["created: doubt"]),
        (bare(source_id="7"), bare(), "unproven_row", ["copy: doubt"]),
    ],
)
def test_an_id_read_twice_counts_once_at_the_first_sieve_of_what_is_said_of_it(
    one: Row, other: Row, want: str, counted: list[str], *, turned: bool
) -> None:
    first, second = two_walks()
    here, there = (other, one) if turned else (one, other)

    verdict = judged(
        UNMARKED, [replace(first, rows=(here,)), replace(second, rows=(there,))]
    ).verdicts["a1"]

    assert (told(verdict), counted_at(verdict)) == (want, counted)
    (example,) = (e for stage in verdict.evidence.body["stages"] for e in stage["examples"])
    assert len(example["compared"]) == 2


def test_of_three_readings_the_first_sieves_doubt_is_given() -> None:
    first, second = two_walks()
    one, other = replace(first, rows=(bare(), bare(created=None))), (bare(labels=("rc1-cut",)),)

    assert only(UNMARKED, one, replace(second, rows=other)) == "mark_lost"


def test_a_row_that_only_one_of_two_walks_shows_is_judged() -> None:
    """R034: the second walk leaves archived ones out."""
    first, second = two_walks()
    archived = walk(row(effective_status="ARCHIVED"))

    assert only(document(), archived, second) == "found 1001 by mark"
    assert only(document(), first, walk(bare(), statuses=Statuses.NO_FILTER)) == "echo_unproven"


def test_of_two_readings_the_later_walks_is_shown() -> None:
    first = walk(row(effective_status="PAUSED"))
    second = walk(
        row(effective_status="ACTIVE"),
        statuses=Statuses.NO_FILTER,
        started_at=LOOKED_AT + timedelta(seconds=3),
    )

    verdict: Any = judged(document(), (second, first)).verdicts["a1"]

    assert verdict.row.effective_status == "ACTIVE"


# --- absence -----------------------------------------------------------------------------------


def test_absence_asks_for_two_walks() -> None:
    first, second = two_walks()

    assert only(document(), first) == "listing_incomplete"
    assert only(document(), second) == "too_soon"
    assert only(document(), first, second) == "absent"
    assert only(document(), second, first) == "absent"


def test_nothing_is_said_of_what_neither_lacks_its_entity_nor_was_answered() -> None:
    doc = document(item("a1", state=ItemState.ABSENT))

    assert all_told(judged(doc, two_walks(row()), only=["a1"])) == {}
