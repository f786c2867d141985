"""Groups of one name in one place: what is wanted, what is ours, what only looks alike."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console

from adapters.cli.duplicates_command import duplicates_picture
from adapters.shapes import duplicates_report
from fixtures.funnel_world import C1, C2, PART, bare, document, item, row, walk, whole_marked
from reconciler.duplicates import Duplicates
from reconciler.duplicates_groups import Group, Wants, groups_of
from reconciler.listing import Row
from reconciler.model import Document, ItemState, Kind, Surplus

BOUND = document(item("a1", "Spring", bound_to="1001"))


def beyond(*rows: Row, docs: tuple[Document, ...] = (BOUND,), known: str = "") -> list[Group]:
    wants = Wants()
    for one in docs:
        wants.add(one)
        extra = Surplus(external_id=known, kind=Kind.ADSET, known=True)
        wants.know(replace(one, surplus=(extra,)))
    return list(groups_of(wants, docs[0].account_id, walk(*rows)))


def told(groups: list[Group]) -> list[tuple[str, int, list[str], list[str]]]:
    return [
        (
            group.name,
            group.wanted,
            [entity.external_id for entity in group.ours],
            [entity.external_id for entity in group.look_alikes],
        )
        for group in groups
    ]


def test_the_entity_of_an_item_that_was_moved_here_is_wanted_here() -> None:
    """Whoever deleted it as too many would delete the only one there is."""
    moved = item("a1", "Spring", bound_to="1001", container=C2)
    sent_elsewhere = document(moved, item("a2", "Autumn"))

    alone = beyond(row("1001"), docs=(sent_elsewhere,))
    beside_another = beyond(row("1001"), row("1002"), docs=(sent_elsewhere,))

    assert alone == []
    assert told(beside_another) == [("Spring", 1, ["1001", "1002"], [])]


@pytest.mark.parametrize(
    ("rows", "want"),
    [
        ((), []),
        ((row("1001"),), []),
        ((row("1001"), row("1002")), [("Spring", 1, ["1001", "1002"], [])]),
        ((row("1001"), bare("7")), [("Spring", 1, ["1001"], ["7"])]),
        ((row("1001"), row("7", source_id="1001")), [("Spring", 1, ["1001"], ["7"])]),
        ((row("1001"), bare("7", "Autumn")), []),
        ((row("1001"), row("1002", "Renamed")), [("Renamed", 0, ["1002"], [])]),
        ((row("1001", "Renamed"), bare("7")), [("Spring", 1, ["1001"], ["7"])]),
        ((row("1001"), row("1002", None)), []),
        ((row("1001"), whole_marked("a1", "1002")), [("Spring", 1, ["1001", "1002"], [])]),
        ((row("1001"), bare("7", "  Spring ")), [("Spring", 1, ["1001"], ["7"])]),
    ],
)
def test_what_is_beyond_is_grouped_by_the_name_it_counts_under(
    rows: tuple[Row, ...], want: list[object]
) -> None:
    assert told(beyond(*rows)) == want


def test_what_is_pending_may_own_one_and_what_is_absent_none() -> None:
    pending = document(item("a1", "Spring"))
    absent = document(item("a1", "Spring", state=ItemState.ABSENT))

    assert beyond(row("1001"), docs=(pending,)) == []
    assert told(beyond(row("1001"), docs=(absent,))) == [("Spring", 0, ["1001"], [])]


def test_two_documents_that_want_one_name_want_two() -> None:
    other = document(item("b1", "Spring", part="rc1-" + "c" * 16), id="D2", part="rc1-" + "c" * 16)
    theirs = row("2001", labels=("rc1-" + "c" * 16,))

    assert beyond(row("1001"), theirs, docs=(BOUND, other)) == []
    (group,) = beyond(row("1001"), theirs, bare("7"), docs=(BOUND, other))
    assert (group.wanted, group.documents) == (2, frozenset({"D1", "D2"}))


def test_what_a_person_knows_of_is_not_beyond() -> None:
    assert beyond(row("1001"), row("1002"), known="1002") == []


def test_a_row_that_is_bound_is_ours_though_it_bears_no_mark() -> None:
    unmarked = document(item("a1", "Spring", part=None, bound_to="1001"), part=None)

    (group,) = beyond(bare("1001"), bare("7"), docs=(unmarked,))

    assert told([group]) == [("Spring", 1, ["1001"], ["7"])]
    (ours,) = group.ours
    assert ours.owner is not None
    assert (ours.owner.document_id, ours.owner.item) == ("D1", "a1")


def test_a_walk_keeps_the_names_that_are_wanted_and_all_that_bears_our_marks() -> None:
    wants = Wants()
    wants.add(BOUND)
    keeps = wants.wanted_at(BOUND.account_id, (C1, Kind.ADSET)).keeps

    assert wants.places == [(BOUND.account_id, (C1, Kind.ADSET))]
    assert [keeps(one) for one in (bare("7"), bare("7", "Autumn"), row("7", "Autumn"))] == [
        True, False, True,
    ]  # fmt: skip
    assert PART in row("7").labels


def test_a_report_tells_times_in_utc_and_the_oldest_first() -> None:
    """The API writes its account's zone: read as it stands, a time would be hours off."""
    (group,) = beyond(row("1001", created=9), row("1002", created=4), bare("7", created="odd"))

    report = duplicates_report(Duplicates(groups=(group,), walked=1))
    picture = drawn(report)

    (shape,) = report["groups"]
    assert (shape["ours"], shape["look_alikes"]) == (["1002", "1001"], ["7"])
    assert [entity["created_time"] for entity in shape["entities"]] == [
        "2026-03-10T12:00:04Z", "2026-03-10T12:00:09Z", None,
    ]  # fmt: skip
    assert "1 group beyond what is wanted, in 1 listing that came to an end" in picture
    assert "what was moved to any other is not seen" in " ".join(picture.split())
    assert "  ours        1002  PAUSED    2026-03-10 12:00:04 UTC" in picture
    assert "bears our mark, bound to nothing" in picture
    assert max(len(line.rstrip()) for line in picture.splitlines()) <= 80


def drawn(report: dict[str, Any]) -> str:
    console = Console(file=io.StringIO(), width=80, markup=False, highlight=False)
    with console.capture() as captured:
        console.print(duplicates_picture(report), crop=False)
    return captured.get()


REPORTED = replace(BOUND, surplus=(Surplus(external_id="1002", kind=Kind.ADSET, item="a1"),))
KEEP = f"resolve {BOUND.id} a1 --adopt 1001 --also 1002 --reason TEXT"


def reported(doc: Document) -> dict[str, Any]:
    wants = Wants()
    wants.add(doc)
    wants.know(doc)
    groups = groups_of(wants, doc.account_id, walk(row("1001"), row("1002")))
    return duplicates_report(Duplicates(groups=tuple(groups), walked=1))


def test_what_was_reported_beyond_a_bound_item_is_told_with_the_command_that_keeps_it() -> None:
    report = reported(REPORTED)

    assert [one["keep"] for one in report["groups"][0]["entities"]] == [None, f"reconciler {KEEP}"]
    assert KEEP in drawn(report)


@pytest.mark.parametrize(
    "doc",
    [
        BOUND,
        replace(REPORTED, items=(replace(BOUND.items[0], state=ItemState.HELD),)),
        replace(REPORTED, surplus=(Surplus(external_id="1002", kind=Kind.ADSET),)),
    ],
    ids=["not reported", "of an item that is held", "of no item"],
)
def test_no_command_is_advised_that_would_be_refused(doc: Document) -> None:
    report = reported(doc)

    assert [one["keep"] for one in report["groups"][0]["entities"]] == [None, None]
    assert "resolve" not in drawn(report)
    assert "yours to delete in Ads Manager" in drawn(report)
