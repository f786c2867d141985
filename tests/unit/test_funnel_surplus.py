"""Surplus: what bears our mark and nothing explains, in whatever state the document is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from fixtures.funnel_world import (
    C2,
    FOREIGN_PART,
    PART,
    WHOLE_ACCOUNT,
    answered,
    bare,
    bound,
    document,
    item,
    item_part,
    judged,
    row,
    seconds,
    two_walks,
    waiting,
    walk,
    whole_marked,
)
from reconciler.listing import Row
from reconciler.mark import Mark
from reconciler.model import Document, DocumentState, Grade, ItemState, Kind, Reason, Surplus

CONFIRMED = document(item("a1", bound_to="1000"), state=DocumentState.PUBLISHED)


def extras(doc: Document, *rows: Row, **given: Any) -> list[tuple[str, str | None]]:
    """Id and item of each surplus that two walks with these rows show."""
    found = judged(doc, two_walks(*rows), **given).surplus
    return [(extra.external_id, extra.item) for extra in found]


def test_a_second_row_with_our_mark_is_surplus_of_the_item_whose_name_it_bears() -> None:
    assert extras(CONFIRMED, row("1000"), row("1001")) == [("1001", "a1")]


@pytest.mark.parametrize("state", list(DocumentState))
def test_surplus_is_shown_in_every_state(state: DocumentState) -> None:
    assert extras(replace(CONFIRMED, state=state), row("1000"), row("1001")) == [("1001", "a1")]


def test_surplus_is_ordered_by_id_whatever_the_order_of_rows() -> None:
    assert extras(CONFIRMED, row("1003"), row("1001"), row("1002")) == [
        ("1001", "a1"),
        ("1002", "a1"),
        ("1003", "a1"),
    ]


def test_second_answers_and_unexplained_rows_are_ordered_together() -> None:
    calls = (answered("1000"), answered("1001", number=2, end=9))
    twice = document(item("a1", calls=calls, bound_to="1000"))

    assert extras(twice, row("1002")) == [("1001", "a1"), ("1002", "a1")]


@pytest.mark.parametrize(
    ("why", "given"),
    [
        ("it bears no mark", bare("1001")),
        ("it bears another document's mark", row("1001", labels=(FOREIGN_PART,))),
        ("it is a copy", row("1001", source_id="1000")),
        ("it is bound here", row("1000")),
    ],
)
def test_it_is_no_surplus_where(why: str, given: Row) -> None:
    assert extras(CONFIRMED, given) == [], why
    # The same where the walk keeps its name for a twin, which its time then disproves.
    twin = item("a2", part=None)
    early = replace(given, created_time="2026-03-10T09:00:00+0000")
    assert extras(document(*CONFIRMED.items, twin), early) == [], why


@pytest.mark.parametrize("grade", list(Grade))
def test_what_is_bound_elsewhere_in_any_way_is_no_surplus(grade: Grade) -> None:
    assert extras(CONFIRMED, row("1001"), bindings=bound("1001", grade=grade)) == []


@pytest.mark.parametrize("state", [ItemState.PENDING, ItemState.HELD])
def test_what_an_intent_that_lacks_its_entity_can_own_is_no_surplus(state: ItemState) -> None:
    doc = document(item("a1", state=state))

    assert extras(doc, row("1001"), row("1002")) == []
    assert extras(doc, row("1001", created=None)) == []
    assert extras(doc, row("1001", "Nobody's")) == []


@pytest.mark.parametrize("state", [ItemState.ABSENT, ItemState.REJECTED, ItemState.BLOCKED])
def test_what_came_after_an_item_was_given_up_is_surplus(state: ItemState) -> None:
    assert extras(document(item("a1", state=state)), row("1001")) == [("1001", "a1")]


def test_what_bears_the_name_of_an_item_never_sent_is_surplus() -> None:
    assert extras(document(waiting("a1", "Spring")), row("1001", "Spring")) == [("1001", "a1")]


def test_a_row_that_this_judgement_finds_is_no_surplus() -> None:
    doc = document(item("a1"), item("a2", "Autumn", bound_to="1000"))

    assert extras(doc, row("1000", "Autumn"), row("1001")) == []


def test_the_other_twins_row_is_surplus_where_its_whole_mark_says_so() -> None:
    doc = document(item("a1", in_name=True), item("a2", in_name=True, bound_to="1000"))
    rows = (whole_marked("a2", "1000"), whole_marked("a2", "1001"), whole_marked("a1", "1002"))

    assert extras(doc, *rows) == [("1001", "a2")]


@pytest.mark.parametrize(
    ("given", "of"),
    [
        (row("1001", "Spring"), None),  # two items bear the name
        (row("1001", "Autumn"), "a3"),
        (row("1001", "Tom &amp; Jerry"), "a4"),
        (row("1001", "Nobody's"), None),
        (row("1001", None), None),
    ],
)
def test_the_item_is_told_by_a_unique_name_or_not_at_all(given: Row, of: str | None) -> None:
    doc = document(
        item("a1", bound_to="1"),
        item("a2", bound_to="2"),
        item("a3", "Autumn", bound_to="3"),
        item("a4", "Tom & Jerry", bound_to="4"),
        item("a5", "Autumn", bound_to="5", kind=Kind.AD),
    )

    assert extras(doc, given) == [("1001", of)]


def test_a_foreign_mark_that_ends_like_an_items_tells_no_item() -> None:
    doc = document(item("a1", bound_to="1"), item("a2", "Autumn", bound_to="2"))
    given = row("1001", "Spring" + Mark(FOREIGN_PART, item_part("a2")).as_name_suffix())

    assert extras(doc, given) == [("1001", "a1")]


def test_surplus_under_another_parent_or_outside_the_window_is_reported() -> None:
    rows = (row("1001", campaign_id=C2.id), row("1002", created=-3600))

    assert [external_id for external_id, _ in extras(CONFIRMED, *rows)] == ["1001", "1002"]


def test_an_intents_own_mark_counts_where_the_document_has_none() -> None:
    doc = document(item("a1", bound_to="1000"), part=None)

    assert extras(doc, row("1001")) == [("1001", "a1")]


def test_creatives_are_reported_apart_by_their_kind() -> None:
    creative = item("a1", kind=Kind.ADCREATIVE, container=WHOLE_ACCOUNT, bound_to="1000")
    again = row("1001", kind=Kind.ADCREATIVE, created=None, campaign_id=None)
    listings = two_walks(again, kind=Kind.ADCREATIVE, container=WHOLE_ACCOUNT)

    found = judged(document(creative), listings).surplus

    assert found == (Surplus(external_id="1001", kind=Kind.ADCREATIVE, item="a1"),)


def test_one_complete_walk_suffices_at_any_time_whatever_else_is_withheld() -> None:
    early = walk(row("1001"), started_at=seconds(1), clock_difference=None)
    place = (early.request.container, early.request.kind)

    found = judged(CONFIRMED, [early], incomplete={place: Reason.THROTTLED}).surplus

    assert [extra.external_id for extra in found] == ["1001"]


def test_what_a_person_recorded_stays_recorded() -> None:
    known = Surplus(external_id="1001", kind=Kind.ADSET, item="a1", known=True)

    found = judged(replace(CONFIRMED, surplus=(known,)), two_walks(row("1001"))).surplus

    assert found == (known,)


def test_what_nobody_recorded_yet_is_told_as_it_is_seen_now() -> None:
    seen_before = Surplus(external_id="1001", kind=Kind.ADSET, item=None)

    found = judged(replace(CONFIRMED, surplus=(seen_before,)), two_walks(row("1001"))).surplus

    assert found == (replace(seen_before, item="a1"),)


def test_a_second_answer_to_one_intent_is_surplus_without_any_listing() -> None:
    twice = item("a1", calls=(answered("1000"), answered("1001", number=2, end=9)), bound_to="1000")

    assert [s.external_id for s in judged(document(twice), []).surplus] == ["1001"]


def test_the_bound_id_is_no_surplus_though_another_was_answered_first() -> None:
    adopted = item(
        "a1", calls=(answered("1001"), answered("1000", number=2, end=9)), bound_to="1000"
    )

    assert [s.external_id for s in judged(document(adopted), []).surplus] == ["1001"]


def test_a_second_answer_that_is_bound_to_another_is_no_surplus() -> None:
    """Creatives: the API may answer two creates with one id."""
    twice = item("a1", calls=(answered("1000"), answered("1001", number=2, end=9)), bound_to="1000")
    other = item("a2", "Autumn", calls=(answered("1001"),), bound_to="1001")

    assert judged(document(twice, other), []).surplus == ()
    assert judged(document(twice), [], bindings=bound("1001")).surplus == ()


def test_a_copy_in_one_reading_only_is_reported() -> None:
    first, second = two_walks(row("1001"))
    copied = replace(second, rows=(row("1001", source_id="1000"),))

    assert [s.external_id for s in judged(CONFIRMED, (first, copied)).surplus] == ["1001"]


def test_our_mark_is_recognised_in_the_name_alone() -> None:
    doc = document(item("a1", in_name=True, bound_to="1000"))
    second = whole_marked("a1", "1001", labels=())

    assert PART in second.marks.document_parts
    assert extras(doc, second) == [("1001", "a1")]
