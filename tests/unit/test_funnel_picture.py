"""The funnel as people see it: doubts apart from disproofs, no false zero, one screenful."""

import io
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console, RenderableType

from adapters.cli.funnel_picture import funnel_picture
from adapters.shapes import (
    Explained,
    explanation,
)
from adapters.web.page.words import of_verdict
from reconciler import events
from reconciler.mark import Mark
from reconciler.model import DocumentState, ItemState, JudgedItem, Origin, Outcome, Reason
from reconciler.ports import Event, Recorded
from reconciler.verdict import Evidence
from tests.unit import sample_views as sample

NOW = sample.NOW.isoformat()


def drawn(picture: RenderableType, width: int = 100) -> str:
    console = Console(file=io.StringIO(), width=width, markup=False, highlight=False)
    with console.capture() as captured:
        console.print(picture, crop=False)
    return captured.get()  # lines padded to the width, which the program strips


def stage(name: str, entering: int, **counts: Any) -> dict[str, Any]:
    return {"stage": name, "in": entering, "not_ours": 0, "doubt": 0, "examples": [], **counts}


STAGES = [
    stage(
        "bound",
        3,
        not_ours=1,
        examples=[{"id": "77", "says": "not_ours", "why": "is bound elsewhere for good"}],
    ),
    stage(
        "mark",
        2,
        doubt=1,
        examples=[
            {
                "id": "78",
                "says": "doubt",
                "why": "bears no mark",
                "compared": [{"labels": [], "name": "Spring \u202e"}],
            }
        ],
    ),
    stage("cap", 1),
]
LISTING = {
    "complete": True,
    "pages": 14,
    "rows": 1377,
    "started_at": NOW,
    "ended_at": NOW,
    "clock_difference": 0.4,
    "reason": None,
}
INCOMPLETE = {**LISTING, "complete": False, "pages": 0, "rows": 0, "reason": "throttled"}


GIVEN_UP = {**INCOMPLETE, "pages": 8, "rows": 4000, "detail": "page 9: HTTP 400, code 17"}


def explained(
    verdict: str, reason: Reason | None = None, listing: Mapping[str, Any] | None = LISTING
) -> Explained:
    """A document with one judged item."""
    body = {
        "candidate_id": "23851" if verdict == "found" else None,
        "grade": "mark" if verdict == "found" else None,
        "listing": listing,
        "walks": [listing] if listing else [],
        "stages": STAGES if listing else [],
        "settle_at": NOW,
    }
    judged = JudgedItem(
        item="a1",
        verdict=verdict,
        reason=reason,
        judged_at=sample.NOW,
        evidence_id="ev_1",
        evidence_hash="e" * 64,
    )
    pending = sample.item(ItemState.PENDING, sample.intent(Outcome.UNKNOWN))
    other = sample.item(ItemState.CONFIRMED, sample.intent(), key="a2")
    view = sample.view(DocumentState.QUEUED, pending, other, verdicts=(judged,))
    return Explained(view=view, evidence={"a1": Evidence.of(body)})


def of_funnel(told: Explained) -> str:
    return drawn(funnel_picture(explanation(told)))


def test_the_funnel_shows_what_each_stage_left_and_removed() -> None:
    picture = of_funnel(explained("found"))

    assert "~ FOUND 23851 by mark" in picture
    assert 'listing COMPLETE   1 walk, 14 pages, 1,377 rows, ended by an absent "next"' in picture
    assert "clock +0.4 s" in picture
    assert "narrowed              3  #                        -1,374" in picture
    assert "bound                 2  #                            -1   not ours 1" in picture
    assert "never looked up: 1 confirmed by reply" in picture


def test_what_is_open_and_was_never_judged_is_not_said_to_have_never_been_looked_for() -> None:
    """Its looks may have died."""
    (poison,) = sample.held(Reason.POISON).document.items
    waiting = sample.item(ItemState.WAITING, key="a2")
    view = sample.view(DocumentState.HELD, poison, waiting)

    picture = of_funnel(Explained(view=view))

    assert "no look came to its end: 1 held" in picture
    assert "never looked up: 1 waiting" in picture


def test_a_doubt_is_told_apart_from_a_disproof_with_the_values_compared() -> None:
    picture = of_funnel(explained("inconclusive", Reason.ECHO_UNPROVEN))

    assert "x 77  is bound elsewhere for good" in picture
    assert "DOUBT 1" in picture
    assert "? 78  bears no mark" in picture
    assert "labels []   name Spring \\u202e" in picture


def test_an_incomplete_listing_shows_no_numbers_and_never_a_zero() -> None:
    picture = of_funnel(explained("inconclusive", Reason.THROTTLED, INCOMPLETE))

    assert "listing INCOMPLETE   throttled: no verdict" in picture
    for line in picture.splitlines():
        if line.strip().startswith(("bound", "mark", "cap")):
            assert "/////" in line
            assert not any(char.isdigit() for char in line)
    assert "listed" not in picture


def test_an_incomplete_listing_says_where_it_stopped_and_why() -> None:
    picture = of_funnel(explained("inconclusive", Reason.THROTTLED, GIVEN_UP))

    assert "stopped after 8 pages, 4,000 rows" in picture
    assert "page 9: HTTP 400, code 17" in picture


def test_stages_that_removed_nothing_share_a_line_and_what_nobody_asked_is_left_out() -> None:
    told = explanation(explained("found"))
    idle = [stage("copy", 1), stage("created", 1), stage("provenance", 1), stage("cap", 0)]
    told["items"][0]["stages"] = [*STAGES[:1], *idle]

    picture = drawn(funnel_picture(told))

    assert "  copy, created: nothing removed " in picture
    assert "cap: nothing left to judge" in picture
    assert "provenance" not in picture


def test_two_walks_of_one_place_are_told_each_and_not_together() -> None:
    told = explanation(explained("found"))
    told["items"][0]["walks"] *= 2

    assert "each of 2 walks: 14 pages, 1,377 rows" in drawn(funnel_picture(told))


def test_a_walk_of_what_bears_our_label_is_not_told_as_one_of_the_whole() -> None:
    told = explanation(explained("found"))
    told["items"][0]["walks"][0]["statuses"] = "our_label"

    assert "1 walk of what bears our label, 14 pages" in drawn(funnel_picture(told))


def test_items_that_the_same_stages_proved_absent_share_a_block() -> None:
    told = explanation(explained("absent"))
    (first,) = told["items"]
    told["items"] = [first, {**first, "item": "a3"}, {**first, "item": "a4", "verdict": "found"}]

    picture = drawn(funnel_picture(told))

    assert "a1, a3  ad  Spring / 1 and 1 other" in picture
    assert picture.count("ABSENT") == 1
    assert "\na4  ad" in picture


def test_a_thousand_items_that_differ_are_told_by_one_example() -> None:
    """Each of its own name, with another row removed: what was concluded is the same."""
    told = explanation(explained("inconclusive", Reason.ECHO_UNPROVEN))
    (first,) = told["items"]
    told["items"] = [_with_another_row(first, f"a{n}") for n in range(1000)]

    picture = drawn(funnel_picture(told), width=80)

    assert picture.count("INCONCLUSIVE") == 1
    assert "a10, a11 and 988 more ad Spring / 1 and 999 others" in " ".join(picture.split())
    assert "what follows is told of a0; of another: --item KEY" in picture
    assert len(picture.splitlines()) < 40


def _with_another_row(item: dict[str, Any], key: str) -> dict[str, Any]:
    removed = stage("mark", 1, doubt=1, examples=[{"id": key, "why": "bears no mark"}])
    return {**item, "item": key, "stages": [removed]}


def test_more_kinds_of_conclusions_than_fit_are_counted() -> None:
    told = explanation(explained("inconclusive", Reason.ECHO_UNPROVEN))
    (first,) = told["items"]
    told["items"] = [{**first, "item": f"a{n}", "reason": f"r{n}"} for n in range(25)]

    assert "and 5 items more: --item KEY, or --json" in drawn(funnel_picture(told))


@pytest.mark.parametrize("width", [80, 120])
def test_what_it_comes_to_stands_under_one_edge_and_a_command_in_one_piece(width: int) -> None:
    told = explanation(explained("inconclusive", Reason.ECHO_UNPROVEN))
    (item,) = told["items"]
    item |= {"left": 0, "lacking": 1, "commands": ["reconciler resolve " + "x" * 130]}
    item["decisions"] = [
        {"at": NOW, "choice": "hold", "external_id": None, "by": "ann", "overridden": [],
         "reason": "asked Bea, who looks at it tomorrow, and again " * 3}
    ]  # fmt: skip

    lines = drawn(funnel_picture(told), width=width).splitlines()

    begins = next(n for n, line in enumerate(lines) if line.startswith("  left  no rows are left"))
    ends = next(n for n, line in enumerate(lines) if line.startswith("  do  "))
    assert {line[:8] for line in lines[begins:ends]} == {
        "  left  ",
        "  why   ",
        "  said  ",
        " " * 8,
    }
    assert "reconciler resolve " + "x" * 130 in lines[ends]


@pytest.mark.parametrize("reason", Reason)
def test_every_reason_is_told_with_why_and_with_what_to_do(reason: Reason) -> None:
    told = explained("inconclusive", reason)
    document = told.view.document
    held = sample.item(ItemState.HELD, sample.intent(Outcome.UNKNOWN, reason=reason))
    view = replace(told.view, document=replace(document, items=(held,)))

    (item,) = explanation(replace(told, view=view))["items"]

    assert item["why"]
    first = ["reconciler import FILE --worker-gone-before TIME"] * (reason is Reason.POLICY)
    told_first = item["commands"][: len(first) + 1]
    assert told_first == [*first, f"reconciler recover {document.id}"]
    assert item["commands"][-1] == f"reconciler resolve {document.id} a1 --hold --reason TEXT"


@pytest.mark.parametrize("origin", Origin)
def test_what_is_absent_is_to_be_published_only_where_it_is_ours(origin: Origin) -> None:
    told = explained("absent")
    absent = sample.item(ItemState.ABSENT, sample.intent(Outcome.UNKNOWN))
    document = replace(told.view.document, items=(absent,), origin=origin)

    (item,) = explanation(replace(told, view=replace(told.view, document=document)))["items"]

    is_ours = origin is Origin.OURS
    assert item["commands"] == [f"reconciler publish {document.id}"] * is_ours
    assert ("nothing is made from here" in item["why"]) is not is_ours


@pytest.mark.parametrize(
    ("origin", "mark", "is_proven", "why"),
    [
        (Origin.OURS, sample.MARK, True, "found no row that is it"),
        (Origin.OURS, None, False, "strong, not proof, for it was sent without a mark"),
        (Origin.IMPORTED, None, False, "by the times it was imported with"),
        (Origin.IMPORTED, sample.MARK, False, "by the times it was imported with"),
    ],
)
def test_that_nothing_was_made_is_proven_only_of_ours_with_a_mark(
    origin: Origin, mark: Mark | None, is_proven: bool, why: str
) -> None:
    """Of a document from elsewhere the times are what somebody wrote down."""
    told = explained("absent")
    intent = sample.intent(Outcome.UNKNOWN, mark=mark)
    document = replace(
        told.view.document, origin=origin, items=(sample.item(ItemState.ABSENT, intent),)
    )

    shape = explanation(replace(told, view=replace(told.view, document=document)))

    (item,) = shape["items"]
    head = "proven not made" if is_proven else "nothing listed fits"
    assert f"+ ABSENT: {head}" in drawn(funnel_picture(shape))
    assert of_verdict(item).word == f"absent: {head}"
    assert item["proven_absent"] is is_proven
    assert why in item["why"]


def test_what_is_proven_and_what_is_not_are_two_blocks() -> None:
    """A revision keeps the marks of what was sent; its new items go by the setting of the day."""
    told = explained("absent")
    marks = {"a1": sample.MARK, "a2": None}
    items = tuple(
        sample.item(ItemState.ABSENT, sample.intent(Outcome.UNKNOWN, mark=mark), key=key)
        for key, mark in marks.items()
    )
    verdicts = tuple(replace(told.view.document.verdicts[0], item=key) for key in marks)
    document = replace(told.view.document, items=items, verdicts=verdicts)
    evidence = dict.fromkeys(marks, told.evidence["a1"])

    picture = of_funnel(
        replace(told, view=replace(told.view, document=document), evidence=evidence)
    )

    assert "+ ABSENT: proven not made" in picture
    assert "+ ABSENT: nothing listed fits" in picture


def test_what_a_person_decided_is_told_with_their_reason() -> None:
    event = Event(
        kind=events.RESOLVED,
        item="a1",
        detail={"choice": "adopt", "external_id": "23851", "also": [], "reason": "seen",
                "overridden": ["23851 has another name"], "by": "ann"},
    )  # fmt: skip
    journal = (Recorded(sequence=1, at=sample.NOW, event=event),)

    picture = of_funnel(replace(explained("absent"), journal=journal))

    assert "adopt 23851, by ann, 2026-03-10 12:05:04 UTC: seen" in picture
    assert "overruled: 23851 has another name" in picture


def test_values_that_do_not_fit_go_on_below_themselves() -> None:
    told = explanation(explained("inconclusive", Reason.ECHO_UNPROVEN))
    (compared,) = told["items"][0]["stages"][1]["examples"][0]["compared"]
    compared["more"] = "word " * 11

    lines = drawn(funnel_picture(told), width=60).splitlines()

    assert [line for line in lines if line.startswith("word")] == []


def test_a_verdict_by_reply_needed_no_listing() -> None:
    assert "no listing was needed" in of_funnel(explained("found", listing=None))


def test_the_explanation_has_the_listed_fields() -> None:
    shape = explanation(explained("absent"))

    (item,) = shape["items"]
    assert shape["schema"] == "explain/1"
    assert {"item", "verdict", "reason", "evidence_id", "listing", "stages"} <= item.keys()
    assert item["listing"]["started_at"] == "2026-03-10T12:05:04.250000Z"
    assert item["stages"] == STAGES
