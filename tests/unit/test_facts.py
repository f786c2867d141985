"""What is written before a call, and what its answer changes: facts always, decisions by lease."""

from __future__ import annotations

from datetime import timedelta

import pytest

from fixtures.samples import LIMITS, at, attempt, call, document, ended, intent, item
from reconciler.call_outcome import Again, Answer, Answered
from reconciler.facts import with_answers_decided, with_calls_written, with_facts
from reconciler.model import (
    AttemptOutcome,
    CallError,
    DocumentState,
    Grade,
    ItemState,
    Kind,
    Outcome,
    Surplus,
)

D, I = DocumentState, ItemState  # noqa: E741 - read as columns
CREATED = Answer(outcome=Outcome.CREATED, external_id="901")
UNKNOWN = Answer(
    outcome=Outcome.UNKNOWN, again=Again.BACKOFF, error=CallError(row="N02", message="timeout")
)
REJECTED = Answer(outcome=Outcome.REJECTED, error=CallError(row="E28", message="name"))
UNSENT = Answer(outcome=Outcome.NOT_SENT, again=Again.NOW)


def answered(answer: Answer, number: int = 1) -> Answered:
    return Answered(item="a", call=number, answer=answer)


def pending(*calls: object) -> object:
    return item("a", I.PENDING, intent=intent(*calls, name="A"))  # type: ignore[arg-type]


def test_an_intent_and_its_call_are_written_together() -> None:
    before = document([item("a")], D.PUBLISHING)

    after, written = with_calls_written(before, {"a": intent(name="A")}, 1, at(1))

    made = after.item("a").intent
    assert written == {"a"}
    assert after.item("a").state is I.PENDING
    assert made is not None
    assert [(c.number, c.attempt, c.started_at, c.ended_at) for c in made.calls] == [
        (1, 1, at(1), None)
    ]
    assert made.facts == 1


def test_a_further_call_keeps_the_earlier_ones_and_counts_on() -> None:
    absent = item("a", I.ABSENT, intent=intent(ended(Outcome.UNKNOWN), name="A"))

    after, _ = with_calls_written(document([absent], D.PUBLISHING), {"a": intent()}, 2, at(9))

    made = after.item("a").intent
    assert made is not None
    assert [(c.number, c.attempt) for c in made.calls] == [(1, 1), (2, 2)]
    assert made.facts == 2


@pytest.mark.parametrize(
    ("why", "state", "calls"),
    [
        ("it may exist", I.PENDING, [call()]),
        ("it exists", I.CONFIRMED, [ended(Outcome.CREATED, external_id="9")]),
        ("a late answer says that it exists", I.ABSENT, [ended(Outcome.CREATED, external_id="9")]),
        ("the input must change", I.REJECTED, [ended(Outcome.REJECTED)]),
        ("a person must decide", I.HELD, [ended(Outcome.UNKNOWN)]),
    ],
)
def test_no_call_is_written_where(why: str, state: ItemState, calls: list[object]) -> None:
    """R014: refused once any call of the intent has an id, and while anything is not known."""
    here = item("a", state, intent=intent(*calls, name="A"))  # type: ignore[arg-type]
    before = document([here], D.PUBLISHING)

    after, written = with_calls_written(before, {"a": intent(name="A")}, 1, at(1))

    assert (after, written) == (before, frozenset()), why


def test_a_fact_adds_one_and_moves_no_state() -> None:
    before = document([pending(call())])  # type: ignore[list-item]

    after = with_facts(before, [answered(CREATED)], at(5), LIMITS).item("a")

    assert after.state is I.PENDING
    assert after.intent is not None
    assert after.intent.facts == 2
    assert after.intent.calls[0].external_id == "901"
    assert after.intent.calls[0].ended_at == at(5)
    assert after.intent.external_id is None


def test_a_fact_makes_a_queued_document_due() -> None:
    before = document([pending(call())], due_at=at(500))  # type: ignore[list-item]

    assert with_facts(before, [answered(CREATED)], at(5), LIMITS).due_at == at(5)


def test_a_call_keeps_the_end_it_has() -> None:
    """Recording again after a lost acknowledgement changes nothing."""
    before = document([pending(ended(Outcome.UNKNOWN))])  # type: ignore[list-item]

    assert with_facts(before, [answered(CREATED)], at(5), LIMITS) is before


def test_an_answer_to_a_call_that_was_never_written_is_our_bug() -> None:
    with pytest.raises(AssertionError):
        with_facts(document([pending(call())]), [answered(CREATED, 2)], at(5), LIMITS)  # type: ignore[list-item]


def test_an_unanswered_call_owes_a_look_after_everything_has_settled() -> None:
    before = document([pending(call())])  # type: ignore[list-item]

    after = with_facts(before, [answered(UNKNOWN)], at(31), LIMITS)

    assert after.owes_look_from == at(31) + timedelta(seconds=180)


@pytest.mark.parametrize("answer", [CREATED, REJECTED, UNSENT])
def test_a_final_answer_owes_no_look(answer: Answer) -> None:
    before = document([pending(call())])  # type: ignore[list-item]

    assert with_facts(before, [answered(answer)], at(31), LIMITS).owes_look_from is None


def test_a_call_looked_after_before_owes_nothing_when_another_is_answered() -> None:
    """A healthy document is never listed again for an old trouble."""
    before = document([pending(ended(Outcome.UNKNOWN), call(2, started_at=at(400)))])  # type: ignore[list-item]

    after = with_facts(before, [answered(CREATED, 2)], at(401), LIMITS)

    assert after.owes_look_from is None


@pytest.mark.parametrize(
    ("calls", "want"),
    [
        ([ended(Outcome.CREATED, external_id="901")], I.CONFIRMED),
        ([ended(Outcome.REJECTED)], I.REJECTED),
        ([ended(Outcome.NOT_SENT)], I.ABSENT),
        ([ended(Outcome.UNKNOWN)], I.PENDING),
        ([ended(Outcome.REFUSED_ACCESS)], I.PENDING),
        ([call()], I.PENDING),
        ([ended(Outcome.UNKNOWN), ended(Outcome.REJECTED, 2)], I.REJECTED),
        ([ended(Outcome.REJECTED), call(2)], I.PENDING),
    ],
)
def test_a_decision_follows_from_the_last_answer(calls: list[object], want: ItemState) -> None:
    """R015: a definite refusal closes the intent; only what nobody knows stays pending."""
    decided = with_answers_decided(document([pending(*calls)]))  # type: ignore[list-item]

    assert decided.item("a").state is want


@pytest.mark.parametrize("state", [I.ABSENT, I.HELD])
def test_a_late_id_is_found_by_reply_whatever_was_decided_before(state: ItemState) -> None:
    late = item("a", state, intent=intent(ended(Outcome.CREATED, external_id="901"), name="A"))

    bound = with_answers_decided(document([late], attempts_used=3))

    made = bound.item("a").intent
    assert made is not None
    assert (bound.item("a").state, made.external_id) == (I.CONFIRMED, "901")
    assert (made.found_by, made.reason) == (Grade.REPLY, None)


@pytest.mark.parametrize(("outcome", "used"), [(None, 0), (AttemptOutcome.ORPHANED, 3)])
def test_what_a_running_attempt_confirms_gives_the_attempts_back(
    outcome: AttemptOutcome | None, used: int
) -> None:
    made = item("a", I.PENDING, intent=intent(ended(Outcome.CREATED, external_id="901"), name="A"))
    running = document([made], attempts=(attempt(1, outcome=outcome),), attempts_used=3)

    assert with_answers_decided(running).attempts_used == used


def test_of_two_ids_the_first_recorded_is_bound_and_the_other_is_surplus() -> None:
    first = ended(Outcome.CREATED, 2, external_id="902", ended_at=at(3))
    both = pending(call(), first)

    after = with_answers_decided(
        with_facts(document([both]), [answered(CREATED, 1)], at(9), LIMITS)  # type: ignore[list-item]
    )

    made = after.item("a").intent
    assert made is not None
    assert made.external_id == "902"
    assert after.surplus == (Surplus(external_id="901", kind=Kind.AD, item="a"),)


def test_what_becomes_bound_is_no_longer_surplus() -> None:
    late = item("a", I.ABSENT, intent=intent(ended(Outcome.CREATED, external_id="901"), name="A"))
    seen = document([late], surplus=(Surplus(external_id="901", kind=Kind.AD),))

    assert with_answers_decided(seen).surplus == ()
