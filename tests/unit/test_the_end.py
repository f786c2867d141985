"""*The end*: the first line that fits decides, and what the document is due for then."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from fixtures.samples import LIMITS, at, attempt, document, ended, intent, item, lease
from reconciler.lifecycle import On
from reconciler.model import (
    AttemptOutcome,
    Document,
    DocumentState,
    ItemState,
    Lease,
    Origin,
    Outcome,
    Purpose,
)
from reconciler.the_end import THE_END, attempt_ended, taken_over, the_end, with_blocked

D, I = DocumentState, ItemState  # noqa: E741 - the tables below are read by their columns
NO_MARK = intent(ended(Outcome.UNKNOWN, started_at=at(1)), name="A", mark=None)


def ends(*items: object, **how: object) -> Document:
    """A queued document with these items, put through the end at second 10."""
    start: Document = document(items, D.QUEUED, **how)  # type: ignore[arg-type]
    return the_end(start, at(10), LIMITS, 1.0, due_at=None)


CASES = [
    ("1: a pending intent keeps it queued, whatever else",
     [item("a", I.PENDING), item("b", I.HELD)], {"cancel_requested": True}, D.QUEUED),
    ("2: all confirmed is published",
     [item("a", I.CONFIRMED), item("b", I.CONFIRMED)], {}, D.PUBLISHED),
    ("2: a cancel that came this late is told so",
     [item("a", I.CONFIRMED)], {"cancel_requested": True}, D.PUBLISHED),
    ("3: a cancel is honoured once nothing is pending",
     [item("a", I.CONFIRMED), item("b")], {"cancel_requested": True}, D.CANCELLED),
    ("3: held items do not stop a cancel",
     [item("a", I.HELD)], {"cancel_requested": True}, D.CANCELLED),
    ("4: a held document creates nothing more",
     [item("a", I.HELD), item("b")], {}, D.HELD),
    ("5: imported, nothing bound",
     [item("a", I.ABSENT)], {"origin": Origin.IMPORTED}, D.FAILED),
    ("5: imported, something bound: never claimed, nothing created",
     [item("a", I.ABSENT), item("b", I.CONFIRMED)], {"origin": Origin.IMPORTED},
     D.PARTLY_PUBLISHED),
    ("6: nothing can be sent and nothing exists",
     [item("a", I.REJECTED)], {}, D.FAILED),
    ("6: nothing can be sent and something exists",
     [item("a", I.REJECTED), item("b", I.CONFIRMED)], {}, D.PARTLY_PUBLISHED),
    ("6: the attempts are used up",
     [item("a", I.ABSENT)], {"attempts_used": 5}, D.FAILED),
    ("6: one attempt is left",
     [item("a", I.ABSENT)], {"attempts_used": 4}, D.QUEUED),
    ("6: absent without a mark is no proof: a person must say publish",
     [item("a", I.ABSENT, intent=NO_MARK)], {}, D.FAILED),
    ("6: said before that call was sent does not count",
     [item("a", I.ABSENT, intent=NO_MARK)], {"publish_said_at": at(0)}, D.FAILED),
    ("7: a person has said publish since",
     [item("a", I.ABSENT, intent=NO_MARK)], {"publish_said_at": at(5)}, D.QUEUED),
    ("7: what never left us needs nobody",
     [item("a", I.ABSENT, intent=intent(ended(Outcome.NOT_SENT), mark=None))], {}, D.QUEUED),
    ("7: absent with a mark is sent again by itself",
     [item("a", I.ABSENT)], {}, D.QUEUED),
]  # fmt: skip


@pytest.mark.parametrize(("why", "items", "how", "want"), CASES, ids=[case[0] for case in CASES])
def test_the_first_line_that_fits_decides(
    why: str, items: list[object], how: dict[str, object], want: DocumentState
) -> None:
    assert ends(*items, **how).state is want, why


def test_every_line_is_reached_by_some_case() -> None:
    reached = set()
    for _, items, how, _ in CASES:
        start = document(items, D.QUEUED, **how)  # type: ignore[arg-type]
        reached.add(next(line.says for line in THE_END if line.fits(start, LIMITS)))

    assert reached == {line.says for line in THE_END}


def test_the_lease_is_given_back_and_the_recovery_is_no_longer_counted() -> None:
    lent = Lease(owner="w", epoch=3, until=at(99), purpose=Purpose.SETTLE)

    after = ends(item("a", I.ABSENT), lease=lent, lease_epoch=3, recoveries=2)

    assert (after.lease, after.recoveries, after.lease_epoch) == (None, 0, 3)


@pytest.mark.parametrize(
    ("outcome", "used", "want"),
    [
        (AttemptOutcome.ORPHANED, 1, at(10) + timedelta(seconds=5)),
        (AttemptOutcome.ERROR, 2, at(10) + timedelta(seconds=10)),
        (AttemptOutcome.ORPHANED, 4, at(10) + timedelta(seconds=40)),
        (AttemptOutcome.HANDED_BACK, 1, at(10)),
        (AttemptOutcome.UNRESOLVED, 2, at(10)),
    ],
)
def test_only_a_crash_or_an_error_is_put_off_by_the_backoff(
    outcome: AttemptOutcome, used: int, want: object
) -> None:
    """R073: a crash loop is no hot loop."""
    tried = attempt(outcome=outcome, finished_at=at(3))

    assert ends(item("a"), attempts=(tried,), attempts_used=used).due_at == want


def test_a_pending_document_is_due_when_section_5_says_or_at_once() -> None:
    start = document([item("a", I.PENDING)], D.QUEUED)

    assert the_end(start, at(10), LIMITS, 1.0, due_at=at(70)).due_at == at(70)
    assert the_end(start, at(10), LIMITS, 1.0, due_at=None).due_at == at(10)


def test_an_imported_document_is_never_due_by_itself() -> None:
    start = document([item("a", I.PENDING)], D.QUEUED, origin=Origin.IMPORTED)

    assert the_end(start, at(10), LIMITS, 1.0, due_at=at(70)).due_at is None


def test_an_owed_look_keeps_its_time_in_a_resting_state() -> None:
    assert ends(item("a", I.CONFIRMED), owes_look_from=at(182)).due_at == at(182)


def test_what_refers_to_a_rejected_item_is_blocked_down_to_the_end_of_the_chain() -> None:
    chain = [
        item("a", I.REJECTED),
        item("b", refs=frozenset("a")),
        item("c", refs=frozenset("b")),
        item("d", refs=frozenset("c")),
        item("e"),
    ]

    states = [each.state for each in with_blocked(document(chain)).items]

    assert states == [I.REJECTED, I.BLOCKED, I.BLOCKED, I.BLOCKED, I.WAITING]


def test_what_refers_to_a_held_item_waits_for_the_person() -> None:
    refers = item("b", refs=frozenset("a"))

    assert with_blocked(document([item("a", I.HELD), refers])).items[1].state is I.WAITING


@pytest.mark.parametrize(
    ("outcome", "used"),
    [
        (AttemptOutcome.ORPHANED, 3),
        (AttemptOutcome.ERROR, 3),
        (AttemptOutcome.UNRESOLVED, 3),
        (AttemptOutcome.HANDED_BACK, 2),
        (AttemptOutcome.CANCELLED, 2),
        (AttemptOutcome.SUCCEEDED, 2),
    ],
)
def test_crashes_errors_and_open_ends_count_and_being_handed_back_does_not(
    outcome: AttemptOutcome, used: int
) -> None:
    running = document([item("a")], D.PUBLISHING, attempts_used=3)

    over = attempt_ended(running, at(7), outcome, LIMITS)

    assert over.attempts_used == used
    assert (over.attempts[-1].outcome, over.attempts[-1].finished_at) == (outcome, at(7))


@pytest.mark.parametrize("outcome", [AttemptOutcome.ORPHANED, AttemptOutcome.ERROR])
def test_a_crash_counts_whatever_the_attempt_had_confirmed_before(outcome: AttemptOutcome) -> None:
    """R071: where one attempt is allowed, that was it."""
    running = document([item("a", I.CONFIRMED)], D.PUBLISHING, attempts_used=0)

    assert attempt_ended(running, at(7), outcome, LIMITS).attempts_used == 1


def test_a_takeover_orphans_the_attempt_and_makes_the_document_due_at_once() -> None:
    crashed = document([item("a", I.PENDING)], D.PUBLISHING, lease=None)

    taken = taken_over(crashed, at(130), LIMITS, 1.0)

    assert (taken.state, taken.due_at) == (D.QUEUED, at(130))
    assert taken.attempts[-1].outcome is AttemptOutcome.ORPHANED


def test_a_takeover_owes_a_look_for_the_calls_that_have_no_end() -> None:
    """Bound by the lease that was granted: 120 + late landing 120 + listing lag 60."""
    crashed = document([item("a", I.PENDING)], D.PUBLISHING, lease=None)

    assert taken_over(crashed, at(130), LIMITS, 1.0).owes_look_from == at(300)


def test_a_takeover_owes_no_look_for_what_was_looked_after_before() -> None:
    old = intent(ended(Outcome.UNKNOWN), name="A")
    crashed = document([item("a", I.ABSENT, intent=old)], D.PUBLISHING, lease=None)

    assert taken_over(crashed, at(130), LIMITS, 1.0).owes_look_from is None


def test_a_crash_before_the_first_intent_is_queued_again_after_the_backoff() -> None:
    """Cut P3: claimed, nothing written: no listing, queued again."""
    crashed = document([item("a")], D.PUBLISHING, lease=None)

    taken = taken_over(crashed, at(130), LIMITS, 0.5)

    assert (taken.state, taken.due_at) == (D.QUEUED, at(130) + timedelta(seconds=2.5))


def test_a_crash_on_the_last_attempt_still_leads_to_settling() -> None:
    """R072: only new creates are blocked, the entity is still looked for."""
    crashed = document([item("a", I.PENDING)], D.PUBLISHING, lease=None, attempts_used=5)

    assert taken_over(crashed, at(130), LIMITS, 1.0).state is D.QUEUED


def test_one_attempt_allowed_means_that_a_crash_starts_no_second() -> None:
    """R071: a document with max_attempts 1 is recovered, and not published again by itself."""
    once = replace(LIMITS, max_attempts=1)
    crashed = document([item("a", I.ABSENT)], D.PUBLISHING, lease=None, attempts_used=1)

    assert taken_over(crashed, at(130), once, 1.0).state is D.FAILED


def test_the_end_of_a_takeover_may_reach_every_resting_state() -> None:
    confirmed = document([item("a", I.CONFIRMED)], D.PUBLISHING, lease=lease(1))

    assert the_end(confirmed, at(9), LIMITS, 1.0, due_at=None, on=On.TAKEOVER).state is D.PUBLISHED
