"""What people see: drawn from the same shapes, doubts apart from disproofs, no false zero."""

import io
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console, RenderableType

from adapters.cli.document_picture import document_picture
from adapters.cli.funnel_picture import funnel_picture
from adapters.cli.list_picture import list_picture
from adapters.cli.output import visible
from adapters.shapes import Check, Explained, checks_list, document_state, explanation
from reconciler.model import DocumentState, ItemState, JudgedItem, Outcome, Reason
from reconciler.ports import View
from reconciler.verdict import Evidence
from tests.unit import sample_views as sample

NOW = sample.NOW.isoformat()


def drawn(picture: RenderableType) -> str:
    console = Console(file=io.StringIO(), width=100, markup=False, highlight=False)
    with console.capture() as captured:
        console.print(picture)
    return captured.get()


def of_document(view: View) -> str:
    return drawn(document_picture(document_state(view)))


@pytest.mark.parametrize(
    ("view", "line"),
    [
        (sample.published(), "=  a1   ad    Spring / 1  confirmed  23851        reply"),
        (sample.rescued(), "~  a1   ad    Spring / 1  confirmed  23851        mark"),
        (sample.unsettled(), ".  a1   ad    Spring / 1  pending  -            -"),
        (sample.held(), "?  a1   ad    Spring / 1  held (ambiguous)  -            -"),
        (sample.failed(), "x  a1   ad    Spring / 1  rejected  -            -"),
        (sample.with_surplus(), "! 23852  ad  of item a1"),
        (sample.crashed(), "state     crashed  since 2026-03-10 12:02:04 UTC"),
        (sample.unsettled(), "next      wait until 2026-03-10 12:06:04 UTC"),
        (sample.crashed(), "$ reconciler recover 01KKBXJ7XTPJ3S7TQ4W0DYVWGA"),
        (sample.failed(), "a1  Invalid parameter"),
        (sample.rescued(), "a1  status is PAUSED, sent was ACTIVE"),
    ],
)
def test_a_document_says_what_it_is_in_words_and_symbols(view: View, line: str) -> None:
    assert line in of_document(view)


def test_a_document_where_all_is_well_needs_no_legend() -> None:
    assert "nothing to do" not in of_document(sample.published())


def test_a_large_document_is_cut_and_says_so() -> None:
    items = [sample.item(ItemState.WAITING, key=f"a{n}") for n in range(300)]

    picture = of_document(sample.view(DocumentState.DRAFT, *items))

    assert "and more, see --json: 100 waiting" in picture


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


def test_a_verdict_by_reply_needed_no_listing() -> None:
    assert "no listing was needed" in of_funnel(explained("found", listing=None))


def test_the_explanation_has_the_listed_fields() -> None:
    shape = explanation(explained("absent"))

    (item,) = shape["items"]
    assert shape["schema"] == "explain/1"
    assert {"item", "verdict", "reason", "evidence_id", "listing", "stages"} <= item.keys()
    assert item["listing"]["started_at"] == "2026-03-10T12:05:04.250000Z"
    assert item["stages"] == STAGES


def test_an_empty_list_says_how_to_begin() -> None:
    assert "reconciler submit" in drawn(list_picture({"counts": {}, "documents": []}))


def test_a_check_is_printed_with_its_four_fields() -> None:
    shape = checks_list([Check(name="clock", ok=False, detail="off", fix="set it")])

    assert shape == {
        "schema": "doctor/1",
        "checks": [{"name": "clock", "ok": False, "detail": "off", "fix": "set it"}],
    }


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Grün / 日本 👍🏽", "Grün / 日本 👍🏽"),
        ("\x1b[2J", "\\u001b[2J"),
        ("a\u202eb", "a\\u202eb"),
        ("\ud83d", "\\ud83d"),
        ("a\nb", "a\\u000ab"),
    ],
)
def test_text_from_outside_is_shown_and_never_obeyed(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_a_title_from_outside_is_shown_too() -> None:
    view = sample.published()
    turned = replace(view, document=replace(view.document, title="\x1b]0;gotcha\x07"))

    assert "\x07" not in of_document(turned)
