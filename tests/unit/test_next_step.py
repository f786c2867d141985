"""The next safe action of every state, as of a moment."""

from __future__ import annotations

import pytest

from fixtures.samples import at, document, ended, intent, item, lease
from reconciler.copying import replace
from reconciler.model import (
    Account,
    BlockReason,
    Document,
    DocumentState,
    ItemState,
    JudgedItem,
    Kind,
    NextAction,
    Origin,
    Outcome,
    Purpose,
    Reason,
    Surplus,
)
from reconciler.next_step import next_step, shown_next

D, I, N = DocumentState, ItemState, NextAction  # noqa: E741 - columns of the table below
OPEN = Account(id="act_1001")
THROTTLED = Account(id="act_1001", reason=BlockReason.THROTTLED, until=at(60))
CLOSED = Account(id="act_1001", reason=BlockReason.ACCESS, until=at(60), token_print="p")
UNKNOWN = item("a", I.PENDING, intent=intent(ended(Outcome.UNKNOWN)))
EXTRA = Surplus(external_id="77", kind=Kind.AD)


def held(reason: Reason) -> Document:
    return document(
        [item("a", I.HELD, intent=intent(ended(Outcome.UNKNOWN), reason=reason))], D.HELD
    )


TABLE = [
    ("draft", document([item()], D.DRAFT), OPEN, N.PUBLISH, None),
    ("queued, nothing open", document([item()], due_at=at(0)), OPEN, N.PUBLISH, None),
    ("queued, put off", document([item()], due_at=at(50)), OPEN, N.PUBLISH, 50),
    ("queued, a call unanswered, not due", document([UNKNOWN], due_at=at(50)), OPEN, N.WAIT, 50),
    ("queued, a call unanswered, due", document([UNKNOWN], due_at=at(9)), OPEN, N.RECOVER, None),
    ("queued, somebody looks", document([UNKNOWN], due_at=at(9), lease=lease(
        80, Purpose.SETTLE)), OPEN, N.WAIT, 80),
    ("queued, throttled", document([item()], due_at=at(0)), THROTTLED, N.WAIT, 60),
    ("queued, token refused", document([UNKNOWN], due_at=at(0)), CLOSED, N.ROTATE_TOKEN, None),
    ("publishing, live", document([UNKNOWN], D.PUBLISHING), OPEN, N.WAIT, 120),
    ("publishing, crashed", document([UNKNOWN], D.PUBLISHING, lease=lease(5)), OPEN,
     N.RECOVER, None),
    ("held, not proven", held(Reason.AMBIGUOUS), OPEN, N.DECIDE, None),
    ("held, a bound of ours", held(Reason.OVER_CAP), OPEN, N.RAISE_LIMIT, None),
    ("failed, input", document([item("a", I.REJECTED)], D.FAILED), OPEN, N.FIX_INPUT, None),
    ("failed, may be sent", document([item("a", I.ABSENT)], D.FAILED), OPEN, N.PUBLISH, None),
    ("failed, input before sending", document([item("a", I.REJECTED), item("b", I.ABSENT)],
     D.FAILED), OPEN, N.FIX_INPUT, None),
    ("partly, imported", document([item("a", I.ABSENT)], D.PARTLY_PUBLISHED,
     origin=Origin.IMPORTED), OPEN, N.NONE, None),
    ("published", document([item("a", I.CONFIRMED)], D.PUBLISHED), OPEN, N.NONE, None),
    ("published, surplus", document([item("a", I.CONFIRMED)], D.PUBLISHED, surplus=(EXTRA,)),
     OPEN, N.DECIDE, None),
    ("cancelled", document([item()], D.CANCELLED), OPEN, N.NONE, None),
    ("cancelled, surplus", document([item()], D.CANCELLED, surplus=(EXTRA,)), OPEN,
     N.DECIDE, None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "what", "account", "action", "until"), TABLE, ids=[row[0] for row in TABLE]
)
def test_every_state_names_its_next_safe_action(
    name: str, what: Document, account: Account, action: NextAction, until: float | None
) -> None:
    step = next_step(what, account, at(10))

    assert (step.action, step.until) == (action, at(until) if until is not None else None), name
    assert step.why


@pytest.mark.parametrize(
    "what",
    [
        document([item()], due_at=at(0)),
        document([UNKNOWN], due_at=at(9)),
        document([UNKNOWN], D.PUBLISHING, lease=lease(5)),
    ],
    ids=["queued", "unsettled", "crashed"],
)
def test_where_a_worker_was_seen_there_is_nothing_to_do_but_wait(what: Document) -> None:
    assert next_step(what, OPEN, at(10), worker_seen=True).action is N.WAIT


@pytest.mark.parametrize(("due", "until"), [(0, None), (10, None), (50, 50)])
def test_what_waits_for_a_worker_names_no_time_that_has_come(
    due: float, until: float | None
) -> None:
    step = next_step(document([item()], due_at=at(due)), OPEN, at(10), worker_seen=True)

    assert (step.action, step.until) == (N.WAIT, at(until) if until is not None else None)


def test_what_killed_whoever_looked_says_so_and_not_that_a_row_was_doubted() -> None:
    step = next_step(held(Reason.POISON), OPEN, at(10))

    assert step.action is N.DECIDE
    assert "every look at it died, as often as MAX_ATTEMPTS allows" in step.why
    assert next_step(held(Reason.ACCESS), OPEN, at(10)).why == "no look could settle it: access"


@pytest.mark.parametrize("beside", [None, Reason.CONTESTED])
def test_what_waits_for_the_finished_documents_of_its_account_says_so(
    beside: Reason | None,
) -> None:
    reasons = [Reason.POLICY, *([beside] if beside else [])]
    call = ended(Outcome.UNKNOWN)
    items = [item(r.value, I.HELD, intent=intent(call, reason=r)) for r in reasons]

    step = next_step(document(items, D.HELD), OPEN, at(10))

    assert step.action is N.DECIDE
    assert "no finished document of its account is known; import them" in step.why
    assert "RECONCILER_LEGACY_EVIDENCE=never" in step.why
    assert beside is None or beside.value in step.why


def test_a_second_creative_costs_nothing_and_asks_nobody() -> None:
    extra = Surplus(external_id="77", kind=Kind.ADCREATIVE)

    step = next_step(document([item("a", I.CONFIRMED)], D.PUBLISHED, surplus=(extra,)), OPEN, at(1))

    assert step.action is N.NONE


def test_surplus_that_a_person_recorded_is_silent() -> None:
    known = Surplus(external_id="77", kind=Kind.AD, known=True)

    step = next_step(document([item("a", I.CONFIRMED)], D.PUBLISHED, surplus=(known,)), OPEN, at(1))

    assert step.action is N.NONE


def test_what_is_stored_is_overlaid_by_time_alone() -> None:
    live = document([UNKNOWN], D.PUBLISHING)

    assert shown_next(live, OPEN, at(119)).action is N.WAIT
    assert shown_next(live, OPEN, at(120)).action is N.RECOVER


YOURS = "yours to keep or delete"


@pytest.mark.parametrize(
    ("states", "left"),
    [
        ([I.WAITING, I.ABSENT, I.REJECTED], "cancelled"),
        ([I.HELD, I.WAITING], "cancelled; what is held may exist outside"),
        (
            [I.CONFIRMED, I.CONFIRMED, I.WAITING],
            f"cancelled; 2 items exist outside, {YOURS}",
        ),
        (
            [I.CONFIRMED, I.HELD],
            f"cancelled; 1 item exists outside, {YOURS}; what is held may exist outside",
        ),
    ],
)
def test_a_cancelled_document_says_what_it_leaves_behind(
    states: list[ItemState], left: str
) -> None:
    """R079: leftovers are a person's to clean up, and nobody else would tell of them."""
    items = [item(f"a{number}", state) for number, state in enumerate(states)]

    assert next_step(document(items, D.CANCELLED), OPEN, at(1)).why == left


@pytest.mark.parametrize(
    ("states", "says", "says_not"),
    [
        ([I.ABSENT], "proven not made", "not sent"),
        ([I.WAITING], "not sent yet", "proven"),
        ([I.ABSENT, I.WAITING], "proven not made or not sent yet", "?"),
    ],
)
def test_what_was_never_sent_is_not_called_proven(
    states: list[ItemState], says: str, says_not: str
) -> None:
    items = [item(f"a{place}", state) for place, state in enumerate(states)]

    step = next_step(document(items, D.FAILED), OPEN, at(1))

    assert step.action is N.PUBLISH
    assert says in step.why
    assert says_not not in step.why


UNSENT = Outcome.NOT_SENT
STRONG = "not found by name and time (strong, not proof)"


@pytest.mark.parametrize(
    ("verdict", "calls", "says"),
    [
        ("inconclusive", [Outcome.UNKNOWN], "not made, as a person said"),
        ("inconclusive", [Outcome.UNKNOWN, UNSENT], "not made, as a person said"),
        ("absent", [Outcome.UNKNOWN], "proven not made"),
        ("inconclusive", [UNSENT], "proven not made"),
    ],
)
def test_what_a_person_said_was_not_made_is_not_called_proven(
    verdict: str, calls: list[Outcome], says: str
) -> None:
    absent = item("a", I.ABSENT, intent=intent(*map(ended, calls)))

    step = next_step(document([absent], D.FAILED, verdicts=(judged("a", verdict),)), OPEN, at(10))

    assert (step.action, step.why) == (N.PUBLISH, f"what is missing was {says}")


@pytest.mark.parametrize(
    ("calls", "says"),
    [
        ([Outcome.UNKNOWN], STRONG),
        ([Outcome.UNKNOWN, UNSENT], STRONG),
        ([UNSENT], "proven not made"),
    ],
)
def test_what_was_sent_without_a_mark_and_not_found_is_not_called_proven(
    calls: list[Outcome], says: str
) -> None:
    """An answer that nothing was sent is proof all the same, of its own call alone."""
    absent = item("a", I.ABSENT, intent=intent(*map(ended, calls), mark=None))

    step = next_step(document([absent], D.FAILED, verdicts=(judged("a", "absent"),)), OPEN, at(10))

    assert (step.action, step.why) == (N.PUBLISH, f"what is missing was {says}")


def test_each_reason_why_something_is_missing_is_told_once() -> None:
    unmarked = intent(ended(Outcome.UNKNOWN), mark=None)
    items = [
        item("a", I.ABSENT, intent=unmarked),
        item("b", I.ABSENT, intent=unmarked),
        item("c", I.ABSENT),
    ]

    step = next_step(document(items, D.FAILED), OPEN, at(10))

    assert step.why == f"what is missing was proven not made or {STRONG}"


def judged(key: str, verdict: str) -> JudgedItem:
    return JudgedItem(
        item=key,
        verdict=verdict,
        reason=None if verdict == "absent" else Reason.AMBIGUOUS,
        judged_at=at(5),
        evidence_id="ev_1",
        evidence_hash="e",
    )


def judged_in_vain(reason: Reason) -> JudgedItem:
    return JudgedItem(
        item="a",
        verdict="inconclusive",
        reason=reason,
        judged_at=at(400),
        evidence_id="ev_1",
        evidence_hash="0" * 64,
    )


@pytest.mark.parametrize(
    ("due", "verdicts", "why"),
    [
        # 2 s (its end) + 120 s (late landing) + 60 s (lag): everything shows from then on.
        (182, (), "what it made may not show yet"),
        (183, (), "it is looked for again then"),
        (
            500,
            (judged_in_vain(Reason.LISTING_INCOMPLETE),),
            "the last look gave no verdict (listing_incomplete), and it is looked for again then",
        ),
        (500, (judged_in_vain(Reason.TOO_SOON),), "it is looked for again then"),
    ],
)
def test_what_was_looked_for_in_vain_is_not_told_as_too_early(
    due: float, verdicts: tuple[JudgedItem, ...], why: str
) -> None:
    waiting = document([UNKNOWN], due_at=at(due), verdicts=verdicts)

    step = next_step(waiting, OPEN, at(10))

    assert (step.action, step.until) == (N.WAIT, at(due))
    assert step.why == f"a call went unanswered; {why}"
    line = replace(waiting, items=(), next=step)
    assert shown_next(line, OPEN, at(11), unsettled=True) == step


@pytest.mark.parametrize(
    "under_way",
    [
        document([UNKNOWN], D.PUBLISHING, cancel_requested=True),
        document([UNKNOWN], due_at=at(50), cancel_requested=True),
        document([UNKNOWN], due_at=at(9), cancel_requested=True),
    ],
    ids=["publishing", "waiting", "due"],
)
def test_a_cancel_that_was_recorded_is_told_with_what_comes_first(under_way: Document) -> None:
    step = next_step(under_way, OPEN, at(10))

    assert step.why.endswith("; then it is cancelled")
    line = replace(under_way, items=(), next=step)
    told = shown_next(line, OPEN, at(10), unsettled=True).why
    assert told.count("then it is cancelled") == 1


@pytest.mark.parametrize("state", [I.ABSENT, I.PENDING])
def test_what_is_missing_of_an_imported_one_is_submitted_anew_once_its_container_was_checked(
    state: ItemState,
) -> None:
    over = document([item("a", state)], D.PARTLY_PUBLISHED, origin=Origin.IMPORTED)

    step = next_step(over, OPEN, at(10))

    assert step.action is N.NONE
    assert "its old container" in step.why
    assert "as a new document" in step.why.partition("its old container")[2]
