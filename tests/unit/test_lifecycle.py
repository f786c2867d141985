"""The table of states: every move it allows, and that nothing else moves a state."""

from __future__ import annotations

from itertools import product

import pytest

from fixtures.samples import LIMITS, at, document, item, lease
from reconciler.errors import WrongState
from reconciler.lifecycle import MOVES, On, cancelled, claimed, move, queued, refuse_cancelled
from reconciler.model import DocumentState, ItemState, Origin, Purpose

D, I = DocumentState, ItemState  # noqa: E741 - the table below is read by its columns


@pytest.mark.parametrize("on", On)
def test_published_and_cancelled_absorb_but_a_claim_that_was_never_true(on: On) -> None:
    assert (D.CANCELLED, on) not in MOVES
    assert ((D.PUBLISHED, on) in MOVES) is (on in (On.CONTEST, On.REVERT))


@pytest.mark.parametrize(
    ("source", "on", "to"),
    [
        (source, on, to)
        for source, on, to in product(D, On, D)
        if to not in MOVES.get((source, on), frozenset())
    ],
)
def test_a_move_that_the_table_does_not_know_is_refused(
    source: DocumentState, on: On, to: DocumentState
) -> None:
    with pytest.raises(AssertionError, match="may not become"):
        move(document([item()], source), on, to, at(5))


def test_a_move_notes_since_when_and_staying_does_not() -> None:
    moved = move(document([item()], D.DRAFT), On.PUBLISH, D.QUEUED, at(5))
    stayed = move(document([item()], D.QUEUED), On.END, D.QUEUED, at(5))

    assert (moved.state, moved.since) == (D.QUEUED, at(5))
    assert stayed.since == at(0)


@pytest.mark.parametrize("state", [D.DRAFT, D.PARTLY_PUBLISHED, D.FAILED])
def test_a_persons_publish_queues_a_resting_document_with_a_fresh_budget(
    state: DocumentState,
) -> None:
    rests = document([item()], state, attempts_used=5, backoff_step=3)

    waits = queued(rests, at(9))

    assert (waits.state, waits.due_at, waits.publish_said_at) == (D.QUEUED, at(9), at(9))
    assert (waits.attempts_used, waits.backoff_step) == (0, 0)


@pytest.mark.parametrize("state", [D.QUEUED, D.PUBLISHING])
def test_publish_again_changes_nothing_while_it_is_under_way(state: DocumentState) -> None:
    under_way = document([item()], state)

    assert queued(under_way, at(9)) is under_way


@pytest.mark.parametrize(
    ("state", "word"), [(D.PUBLISHED, "published"), (D.CANCELLED, "cancelled"), (D.HELD, "person")]
)
def test_publish_is_refused_with_a_way_out_where_it_is_over_or_held(
    state: DocumentState, word: str
) -> None:
    with pytest.raises(WrongState, match=word) as refused:
        queued(document([item()], state), at(9))

    assert refused.value.next_step


def test_an_imported_document_is_never_published() -> None:
    with pytest.raises(WrongState, match="imported"):
        queued(document([item()], D.FAILED, origin=Origin.IMPORTED), at(9))


def test_the_claim_counts_the_attempt_before_anything_can_happen_in_it() -> None:
    leased = document(
        [item()],
        D.PUBLISHING,
        attempts=(),
        attempts_used=1,
        lease_epoch=4,
        lease=lease(120, epoch=4),
    )

    begun = claimed(leased, at(0), LIMITS)

    assert begun.attempts_used == 2
    assert [(a.number, a.lease_epoch, a.owner, a.lease_until) for a in begun.attempts] == [
        (1, 4, "w4", at(120))
    ]
    assert begun.attempts[0].timings == LIMITS.timings()


@pytest.mark.parametrize("state", [D.DRAFT, D.HELD, D.PARTLY_PUBLISHED, D.FAILED, D.QUEUED])
def test_cancel_is_at_once_where_nothing_is_under_way(state: DocumentState) -> None:
    ended = cancelled(document([item()], state), at(9))

    assert (ended.state, ended.cancel_requested) == (D.CANCELLED, True)


@pytest.mark.parametrize(
    ("why", "busy"),
    [
        ("an attempt runs", document([item()], D.PUBLISHING)),
        ("its worker is gone: what it made is not known", document(
            [item(state=I.PENDING)], D.PUBLISHING, lease=lease(1))),
        ("a call is unanswered", document([item(state=I.PENDING)], D.QUEUED)),
        ("somebody is looking", document(
            [item(state=I.HELD)], D.HELD, lease=lease(120, Purpose.SETTLE))),
    ],
)  # fmt: skip
def test_cancel_is_a_request_for_the_end_where_something_is_not_known(
    why: str, busy: object
) -> None:
    """R019, R078: a cancel is accepted in every such state and honoured later."""
    assert isinstance(busy, type(document()))

    asked = cancelled(busy, at(9))

    assert (asked.state, asked.cancel_requested) == (busy.state, True), why


def test_cancel_says_too_late_where_everything_is_published() -> None:
    """R078: finished, and cancel says so."""
    with pytest.raises(WrongState, match="too late"):
        cancelled(document([item(state=I.CONFIRMED)], D.PUBLISHED), at(9))


def test_held_items_of_a_cancelled_document_stay_held() -> None:
    ended = cancelled(document([item(state=I.HELD)], D.HELD), at(9))

    assert [each.state for each in ended.items] == [I.HELD]


def test_a_publish_after_a_cancel_that_waits_is_refused_and_not_lost_without_a_word() -> None:
    waiting = document([item()], DocumentState.PUBLISHING, cancel_requested=True)

    with pytest.raises(WrongState, match="a cancel of it was recorded") as refused:
        refuse_cancelled(waiting)

    assert "--new" in (refused.value.next_step or "")
    refuse_cancelled(document([item()], DocumentState.PUBLISHING))


@pytest.mark.parametrize("state", [D.CANCELLED, D.PUBLISHED])
def test_a_second_set_is_offered_with_what_would_exist_twice(state: DocumentState) -> None:
    over = document([item("a", I.CONFIRMED), item("b", I.ABSENT)], state)

    with pytest.raises(WrongState) as refused:
        queued(over, at(9))

    assert refused.value.next_step == (
        "to make it once more, though 1 of its 2 items exists outside and would be made a second "
        "time: reconciler submit PLAN.json --new"
    )


def test_a_publish_of_what_was_published_after_all_is_not_refused_for_its_cancel() -> None:
    refuse_cancelled(document([item(state=I.CONFIRMED)], D.PUBLISHED, cancel_requested=True))
