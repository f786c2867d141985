"""Absence where a label was used, imported documents under the policy, answers with an id."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from fixtures.funnel_world import (
    C1,
    LIMITS,
    LOOKED_AT,
    PART,
    all_told,
    answered,
    bare,
    call,
    document,
    item,
    judged,
    row,
    seconds,
    told,
    two_walks,
    waiting,
    walk,
)
from reconciler.funnel import LegacyEvidence, Policy, judge, needs_label_check
from reconciler.listing import Row
from reconciler.model import Document, Grade, ItemState, Kind, Origin, Outcome, Reason
from reconciler.ports import Surroundings

HERE = (C1, Kind.ADSET)
UNMARKED = document(item(part=None), part=None)


def only(doc: Document, *listings: Any, **given: Any) -> str:
    """The verdict on the one item, in one line."""
    return told(judged(doc, listings, **given).verdicts["a1"])


# --- the label ---------------------------------------------------------------------------------

MADE_BEFORE = document(item("a1"), item("a2", "Autumn", calls=(answered("9999"),), bound_to="9999"))


def label_question(doc: Document, *listings: Any) -> bool:
    """Whether the judgement over these listings waits for the label."""
    return needs_label_check(doc, doc.items, listings, judged(doc, listings))


@pytest.mark.parametrize(
    ("exists", "want"), [(True, "absent"), (False, "mark_lost"), (None, "listing_incomplete")]
)
def test_where_the_label_was_used_and_no_row_bears_it_absence_asks_whether_it_still_exists(
    exists: bool | None, want: str
) -> None:
    assert label_question(MADE_BEFORE, *two_walks())
    assert only(MADE_BEFORE, *two_walks(), label_exists=exists) == want


@pytest.mark.parametrize(
    ("why", "doc", "listings"),
    [
        ("a row bears it", MADE_BEFORE, two_walks(row("9999", "Autumn"))),
        ("no create is known to have succeeded", document(), two_walks()),
        (
            "a person adopted the only one",
            document(item("a1"), item("a2", "B", bound_to="9", found_by=Grade.PERSON)),
            two_walks(),
        ),
        (
            "the only one was sent without",
            document(item("a1"), item("a2", "B", bound_to="9", part=None)),
            two_walks(),
        ),
        ("nothing was ever sent beside it", document(item("a1"), waiting("a2", "B")), two_walks()),
    ],
)
@pytest.mark.parametrize("exists", [True, False, None])
def test_a_missing_label_says_nothing_where(
    why: str, doc: Document, listings: Any, exists: bool | None
) -> None:
    assert not label_question(doc, *listings), why
    assert only(doc, *listings, label_exists=exists) == "absent", why


def test_one_absence_that_waits_is_enough_to_ask() -> None:
    doc = document(item("a0", "Winter", in_name=True), *MADE_BEFORE.items)
    found = row("1000", "Winter [" + PART + ".aazzzz]", labels=())

    assert label_question(doc, *two_walks(found))


def test_an_answer_that_nobody_decided_yet_was_made_with_the_label() -> None:
    unknown_first = call(1, outcome=Outcome.UNKNOWN, ended_at=seconds(4))
    made = item("a2", "Autumn", calls=(unknown_first, answered("9999", number=2, end=9)))

    assert label_question(document(item("a1"), made), *two_walks())


@pytest.mark.parametrize("found_by", [Grade.REPLY, Grade.MARK])
def test_a_sibling_bound_by_reply_or_mark_was_made_with_the_label(found_by: Grade) -> None:
    doc = document(item("a1"), item("a2", "Autumn", bound_to="9999", found_by=found_by))

    assert label_question(doc, *two_walks())


def test_the_label_is_not_asked_for_before_something_would_be_absent() -> None:
    assert not label_question(MADE_BEFORE, *two_walks(started_at=seconds(100)))
    assert not label_question(MADE_BEFORE, *two_walks()[:1])
    assert not label_question(MADE_BEFORE, *two_walks(bare()))


def test_what_was_sent_without_a_mark_does_not_ask_for_the_label() -> None:
    doc = document(item("a1", part=None), item("a2", "Autumn", bound_to="9999"))

    assert not label_question(doc, *two_walks())
    assert only(doc, *two_walks(), label_exists=False) == "absent"


def test_a_mark_in_a_name_does_not_show_that_the_label_exists() -> None:
    doc = document(item("a1", in_name=True), item("a2", in_name=True, bound_to="9999"))
    in_name_only = row("9999", "Spring [" + PART + ".acacac]", labels=())

    assert label_question(doc, *two_walks(in_name_only)) is True


# --- policy ------------------------------------------------------------------------------------

IMPORTED = document(item(part=None), part=None, origin=Origin.IMPORTED)
FINISHED = Policy(account_has_finished_document=True)


@pytest.mark.parametrize("rows", [(bare(),), ()])
@pytest.mark.parametrize(
    "policy",
    [
        Policy(),
        Policy(legacy_evidence=LegacyEvidence.NEVER, account_has_finished_document=True),
    ],
    ids=["no finished document known", "never"],
)
def test_the_policy_refuses_imported_documents(rows: tuple[Row, ...], policy: Policy) -> None:
    assert only(IMPORTED, *two_walks(*rows), policy=policy) == "policy"
    assert only(UNMARKED, *two_walks(*rows), policy=policy) != "policy"


def test_imported_documents_are_judged_on_name_and_time_where_finished_ones_are_known() -> None:
    assert only(IMPORTED, *two_walks(bare()), policy=FINISHED) == "found 1001 by name_and_time"
    assert only(IMPORTED, *two_walks(), policy=FINISHED) == "absent"


@pytest.mark.parametrize(
    ("log", "want"),
    [
        (None, "provenance"),
        ({}, "provenance"),
        ({"1001": "77001"}, "found 1001 by provenance"),
        ({"1001": "66001"}, "absent"),
    ],
)
def test_where_provenance_is_demanded_the_log_must_name_our_app(log: Any, want: str) -> None:
    policy = Policy(legacy_evidence=LegacyEvidence.PROVENANCE, app_id="77001", provenance=log)

    assert only(IMPORTED, *two_walks(bare()), policy=policy) == want


@pytest.mark.parametrize("doc", [IMPORTED, UNMARKED], ids=["imported", "ours without a mark"])
def test_where_a_bound_of_ours_kept_the_log_from_being_read_nothing_is_claimed_without_it(
    doc: Document,
) -> None:
    bounded = replace(FINISHED, app_id="77001", must_be_logged=True)

    assert only(doc, *two_walks(bare()), policy=bounded) == "provenance"
    assert only(doc, *two_walks(), policy=bounded) == "absent", "no row, nothing to tell of"
    assert only(document(), *two_walks(row()), policy=bounded) == "found 1001 by mark"


def test_the_policy_is_about_imported_documents_without_a_mark() -> None:
    marked = document(origin=Origin.IMPORTED)
    demanding = Policy(legacy_evidence=LegacyEvidence.PROVENANCE)

    assert only(marked, *two_walks(row()), policy=Policy()) == "found 1001 by mark"
    assert only(marked, *two_walks(), policy=Policy()) == "absent"
    assert only(UNMARKED, *two_walks(bare()), policy=demanding) == "found 1001 by name_and_time"


# --- by reply ----------------------------------------------------------------------------------


@pytest.mark.parametrize("state", [ItemState.PENDING, ItemState.HELD, ItemState.ABSENT])
def test_an_answer_with_an_id_needs_no_listing(state: ItemState) -> None:
    doc = document(item(state=state, calls=(answered("1001"),)))

    assert only(doc, only=["a1"], incomplete={HERE: Reason.ACCESS}) == "found 1001 by reply"
    assert only(doc, walk(clock_difference=None), only=["a1"]) == "found 1001 by reply"


def test_an_answered_row_is_shown_where_a_walk_has_it() -> None:
    doc = document(item(calls=(answered("1001"),)))

    verdict: Any = judged(doc, [walk(row(effective_status="ACTIVE"))]).verdicts["a1"]

    assert (verdict.row.effective_status, verdict.created_at) == ("ACTIVE", seconds(4))


def test_of_two_answers_the_first_recorded_is_bound_and_the_other_is_surplus() -> None:
    calls = (answered("2002", number=1, end=50), answered("1001", number=2, end=9))

    judgement = judged(document(item(calls=calls)), [])

    assert all_told(judgement) == {"a1": "found 1001 by reply"}
    assert [(s.external_id, s.item) for s in judgement.surplus] == [("2002", "a1")]


# --- what is asked about -----------------------------------------------------------------------


def test_only_what_is_asked_about_is_judged_and_held_items_may_be() -> None:
    doc = document(item("a1"), item("a2", "Autumn", state=ItemState.HELD), waiting("a3", "W"))

    assert all_told(judged(doc, two_walks())) == {"a1": "absent"}
    assert all_told(judged(doc, two_walks(), only=["a2"])) == {"a2": "absent"}


def test_judge_can_be_asked_with_the_least() -> None:
    doc = document()

    judgement = judge(
        doc, doc.items, two_walks(row()), Surroundings(), now=LOOKED_AT, limits=LIMITS
    )

    assert all_told(judgement) == {"a1": "found 1001 by mark"}
