"""When an unanswered call can no longer matter, and when it is worth looking."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from fixtures.funnel_world import (
    C2,
    LIMITS,
    LOOKED_AT,
    answered,
    attempt,
    call,
    document,
    item,
    seconds,
    waiting,
    walk,
)
from reconciler.listing import Listing, Statuses
from reconciler.model import Call, Intent, Kind, Outcome, Timings
from reconciler.settling import (
    bound,
    is_overdue_passing,
    may_say_absent,
    next_look,
    owed_look_from,
    settle_at,
    shows_everything,
    window,
)

NOW = LIMITS.timings()
LONGER = replace(
    NOW,
    late_landing=timedelta(seconds=500),
    listing_lag=timedelta(seconds=90),
    clock_skew=timedelta(seconds=30),
)
GAVE_UP = call(outcome=Outcome.UNKNOWN, ended_at=seconds(31))


def intent(*calls: Call) -> Intent:
    made = item(calls=calls or (call(),)).intent
    assert made is not None
    return made


# --- bound -------------------------------------------------------------------------------------


def test_a_call_without_a_recorded_end_is_bound_by_the_last_lease_of_its_own_attempt() -> None:
    attempts = (attempt(1, lease=300), attempt(2, start=500, lease=900))

    assert bound(call(attempt=1), attempts) == seconds(300)
    assert bound(call(attempt=2), attempts) == seconds(900)


def test_a_recorded_end_is_the_bound_also_after_the_lease_ran_out() -> None:
    assert bound(GAVE_UP, (attempt(),)) == seconds(31)
    assert bound(replace(GAVE_UP, ended_at=seconds(777)), (attempt(lease=300),)) == seconds(777)


def test_a_call_of_an_attempt_that_the_ledger_lost_is_an_error_of_ours() -> None:
    with pytest.raises(AssertionError, match="attempt 7"):
        bound(call(attempt=7), (attempt(),))


# --- settle_at ---------------------------------------------------------------------------------


def test_by_the_defaults_a_timeout_settles_180_seconds_after_it_and_a_kill_after_the_lease() -> (
    None
):
    assert settle_at(intent(GAVE_UP), (attempt(),), NOW) == seconds(31 + 180)
    assert settle_at(intent(call()), (attempt(lease=120),), NOW) == seconds(120 + 180)


@pytest.mark.parametrize(
    ("stored", "current"),
    [(NOW, LONGER), (LONGER, NOW)],
    ids=["the setting was raised since", "the setting was lowered since"],
)
def test_the_larger_of_stored_and_current_settings_counts(
    stored: Timings, current: Timings
) -> None:
    attempts = (attempt(timings=stored),)

    assert settle_at(intent(GAVE_UP), attempts, current) == seconds(31 + 500 + 90)


@pytest.mark.parametrize("outcome", [None, Outcome.UNKNOWN, Outcome.REFUSED_ACCESS])
def test_every_call_without_a_final_answer_is_waited_for(outcome: Outcome | None) -> None:
    ended = seconds(31) if outcome else None
    made = intent(call(1, outcome=outcome, ended_at=ended))

    assert settle_at(made, (attempt(lease=31),), NOW) == seconds(31 + 180)


@pytest.mark.parametrize("outcome", [Outcome.REJECTED, Outcome.NOT_SENT])
def test_nothing_is_waited_for_where_every_call_was_answered_finally(outcome: Outcome) -> None:
    made = intent(call(outcome=outcome, ended_at=seconds(9)))

    assert settle_at(made, (attempt(),), NOW) is None


def test_the_call_that_settles_last_decides_not_the_one_sent_last() -> None:
    early_but_unended = call(1, attempt=1)
    late_but_given_up = call(2, attempt=2, outcome=Outcome.UNKNOWN, ended_at=seconds(250))

    made = intent(early_but_unended, late_but_given_up)

    assert settle_at(made, (attempt(1, lease=300), attempt(2, start=200)), NOW) == seconds(480)


def test_an_entity_that_is_listed_late_is_not_yet_absent_at_60_and_settled_at_211() -> None:
    """R012: lease 30 s; the list omits the entity until T0+120 s."""
    at = settle_at(intent(call()), (attempt(lease=30),), NOW)

    assert at == seconds(210)
    assert not shows_everything(walk(started_at=seconds(60)), at)
    assert shows_everything(walk(started_at=seconds(211)), at)


# --- window ------------------------------------------------------------------------------------


def test_the_window_reaches_from_the_attempts_start_to_the_last_landing_widened_by_skew() -> None:
    assert window(intent(), (attempt(lease=300),), NOW) == ((seconds(-6), seconds(300 + 120 + 6)),)


def test_the_window_uses_the_larger_skew_and_late_landing() -> None:
    wide = ((seconds(-31), seconds(31 + 500 + 31)),)

    assert window(intent(GAVE_UP), (attempt(timings=LONGER),), NOW) == wide
    assert window(intent(GAVE_UP), (attempt(),), LONGER) == wide


def test_every_attempt_has_its_own_window_and_the_time_between_them_is_closed() -> None:
    """R017: attempt 1 was given up on; attempt 2 began an hour later and died."""
    attempts = (attempt(1), attempt(2, start=3600, lease=3900))
    made = intent(GAVE_UP, call(2, attempt=2, start=3601))

    assert window(made, attempts, NOW) == (
        (seconds(-6), seconds(31 + 126)),
        (seconds(3594), seconds(3900 + 126)),
    )


def test_windows_are_in_the_order_of_attempts() -> None:
    attempts = (attempt(2, start=3600, lease=3900), attempt(1))
    made = intent(call(2, attempt=2), GAVE_UP)

    assert [start for start, _ in window(made, attempts, NOW)] == [seconds(-6), seconds(3594)]


def test_an_attempt_that_sent_no_call_of_the_intent_opens_no_window() -> None:
    attempts = (attempt(1), attempt(2, start=3600, lease=3900))

    assert window(intent(GAVE_UP), attempts, NOW) == ((seconds(-6), seconds(157)),)


def test_a_call_that_never_left_opens_no_window_but_a_rejected_one_does() -> None:
    never_left = call(outcome=Outcome.NOT_SENT, ended_at=seconds(9))

    assert window(intent(never_left), (attempt(),), NOW) == ()
    assert window(intent(replace(never_left, outcome=Outcome.REJECTED)), (attempt(),), NOW) != ()


def test_the_last_bound_of_an_attempt_ends_its_window() -> None:
    made = intent(GAVE_UP, call(2, outcome=Outcome.UNKNOWN, ended_at=seconds(90)))

    assert window(made, (attempt(),), NOW) == ((seconds(-6), seconds(90 + 126)),)


# --- looks -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("after", "then"),
    [
        (seconds(0), seconds(31)),
        (seconds(31), seconds(91)),
        (seconds(90), seconds(91)),
        (seconds(91), seconds(211)),
        (seconds(211), None),
        (seconds(9999), None),
    ],
)
def test_three_looks_at_the_bound_after_the_lag_and_once_settled(
    after: datetime, then: datetime | None
) -> None:
    assert next_look([item(calls=(GAVE_UP,))], (attempt(),), after, NOW) == then


def test_the_next_look_is_the_first_that_any_pending_item_is_worth() -> None:
    items = [item("a1", calls=(GAVE_UP,)), item("a2", calls=(call(),)), waiting("a3", "W")]

    assert next_look(items, (attempt(lease=100),), seconds(91), NOW) == seconds(100)


def test_nothing_is_looked_at_by_time_where_nothing_is_waited_for() -> None:
    rejected = call(outcome=Outcome.REJECTED, ended_at=seconds(1))

    assert next_look([item(calls=(rejected,))], (attempt(),), seconds(0), NOW) is None


def test_of_two_unanswered_calls_the_one_that_settles_last_is_looked_for() -> None:
    twice = item(calls=(call(1), replace(GAVE_UP, number=2, ended_at=seconds(50))))

    assert next_look([twice], (attempt(lease=300),), seconds(0), NOW) == seconds(300)


def test_an_end_recorded_late_moves_the_looks_forward() -> None:
    late = replace(GAVE_UP, ended_at=seconds(1000))

    assert next_look([item(calls=(late,))], (attempt(),), seconds(480), NOW) == seconds(1000)


def test_the_looks_use_the_larger_lag() -> None:
    looks = next_look([item(calls=(GAVE_UP,))], (attempt(timings=LONGER),), seconds(31), NOW)

    assert looks == seconds(31 + 90)


def test_a_look_is_owed_from_the_last_settle_time_whatever_became_of_the_items() -> None:
    doc = document(
        item("a1", calls=(GAVE_UP,), bound_to="1001"),
        item("a2", calls=(replace(GAVE_UP, ended_at=seconds(44)), answered("7", number=2))),
        item("a3", calls=(answered("8"),), bound_to="8"),
        waiting("a4", "W"),
    )

    assert owed_look_from(doc, NOW) == seconds(44 + 180)


def test_no_look_is_owed_where_every_call_was_answered_finally() -> None:
    doc = document(item(calls=(answered("1001"),), bound_to="1001"), waiting("a3", "W"))

    assert owed_look_from(doc, NOW) is None


# --- what an absence rests on ------------------------------------------------------------------

FIRST = walk(started_at=LOOKED_AT)
SECOND = walk(started_at=LOOKED_AT + timedelta(seconds=2), statuses=Statuses.NO_FILTER)


@pytest.mark.parametrize(
    ("why", "first", "second"),
    [
        ("the first began too soon", walk(started_at=seconds(479)), SECOND),
        (
            "the second began before the first ended",
            FIRST,
            replace(SECOND, started_at=LOOKED_AT + timedelta(seconds=1)),
        ),
        ("the first left archived ones out", replace(FIRST, request=SECOND.request), SECOND),
        ("the second was filtered", FIRST, replace(SECOND, request=FIRST.request)),
        (
            "the second walked another container",
            FIRST,
            replace(SECOND, request=replace(SECOND.request, container=C2)),
        ),
        (
            "the second walked another kind",
            FIRST,
            replace(SECOND, request=replace(SECOND.request, kind=Kind.AD)),
        ),
        (
            "the second walked another account",
            FIRST,
            replace(SECOND, request=replace(SECOND.request, account_id="act_2")),
        ),
        ("one walk is not two", FIRST, FIRST),
    ],
)
def test_absence_is_not_said_where(why: str, first: Listing, second: Listing) -> None:
    assert may_say_absent(FIRST, SECOND, seconds(480))
    assert not may_say_absent(first, second, seconds(480)), why


def test_a_walk_begun_at_settle_at_itself_shows_everything() -> None:
    first = walk(started_at=seconds(480))
    second = walk(started_at=seconds(482), statuses=Statuses.NO_FILTER)

    assert may_say_absent(first, second, seconds(480))
    assert not may_say_absent(first, second, seconds(480.001))


def test_absence_needs_no_wait_where_nothing_is_waited_for() -> None:
    assert may_say_absent(FIRST, SECOND, None)


def test_creatives_know_no_status_filter() -> None:
    def creatives(start: float, statuses: Statuses = Statuses.NO_FILTER) -> Listing:
        return walk(kind=Kind.ADCREATIVE, statuses=statuses, started_at=seconds(start))

    assert may_say_absent(creatives(500), creatives(502, Statuses.EVERY_STATUS), seconds(480))
    assert may_say_absent(creatives(500), creatives(502), seconds(480))
    assert not may_say_absent(creatives(400), creatives(502), seconds(480))


@pytest.mark.parametrize(("after", "overdue"), [(timedelta(hours=23), False), (timedelta(1), True)])
def test_a_passing_reason_lasts_a_day_after_settle_at(after: timedelta, overdue: bool) -> None:
    at = seconds(480)

    assert is_overdue_passing(at + after, at, LIMITS.passing_max) is overdue
    assert not is_overdue_passing(at + after, None, LIMITS.passing_max)
