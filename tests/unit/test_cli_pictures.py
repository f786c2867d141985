"""What people see: drawn from the same shapes, doubts apart from disproofs, no false zero."""

import io
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console, RenderableType

from adapters.cli.document_picture import document_picture
from adapters.cli.funnel_picture import funnel_picture
from adapters.cli.ledger_commands import doctor_picture
from adapters.cli.list_picture import list_picture
from adapters.cli.next_picture import next_picture
from adapters.cli.output import visible
from adapters.shapes import (
    Check,
    Explained,
    checks_list,
    document_state,
    documents_list,
    explanation,
)
from reconciler.model import DocumentState, ItemState, JudgedItem, Outcome, Reason
from reconciler.ports import Summary, View
from reconciler.verdict import Evidence
from tests.unit import sample_views as sample

NOW = sample.NOW.isoformat()


def drawn(picture: RenderableType, width: int = 100) -> str:
    console = Console(file=io.StringIO(), width=width, markup=False, highlight=False)
    with console.capture() as captured:
        console.print(picture, crop=False)
    return captured.get()  # lines padded to the width, which the program strips


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


@pytest.mark.parametrize(
    ("action", "says"),
    [("wait", "wait until 2026-03-10 12:05:04 UTC  w"), ("publish", "publish, from 2026-03-10")],
)
def test_one_waits_until_a_time_and_publishes_from_a_time_on(action: str, says: str) -> None:
    step = {"action": action, "until": NOW, "why": "why", "command": None}

    assert says in drawn(next_picture(step))


def test_a_long_reason_is_indented_and_the_command_stays_in_one_piece() -> None:
    command = "reconciler submit PLAN.json --key " + "k" * 60
    step = {"action": "fix_input", "until": None, "why": "word " * 30, "command": command}

    *told, last = drawn(next_picture(step), width=60).splitlines()

    assert [line for line in told if line[:10] not in ("next      ", " " * 10)] == []
    assert last.strip() == f"$ {command}"


def test_a_surplus_comes_with_what_a_person_can_do() -> None:
    assert "yours to delete" in " ".join(of_document(sample.with_surplus()).split())
    assert "yours to delete" not in of_document(sample.with_surplus(known=True))


def test_what_a_look_saw_outside_is_shown() -> None:
    assert "a1  PAUSED  created 2026-03-10 12:02:05 UTC" in of_document(sample.rescued())
    assert "outside   as" not in of_document(sample.published())


@pytest.mark.parametrize("more", ["", "-01KKBXJ7XTPJ3S7TQ4W0DYVWGA"])
def test_a_hash_is_told_by_its_beginning_also_with_new(more: str) -> None:
    view = sample.published()
    hashed = replace(view, document=replace(view.document, key="0" * 64 + more))

    assert ("once more by --new" in of_document(hashed)) is bool(more)
    assert "0" * 13 not in of_document(hashed)


def test_an_external_id_is_never_cut_however_narrow_the_terminal() -> None:
    long = sample.intent(external_id="120200000000000101")
    view = sample.view(DocumentState.PUBLISHED, sample.item(ItemState.CONFIRMED, long))

    assert "120200000000000101" in drawn(document_picture(document_state(view)), width=60)


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


def test_items_that_the_same_stages_proved_absent_share_a_block() -> None:
    told = explanation(explained("absent"))
    (first,) = told["items"]
    told["items"] = [first, {**first, "item": "a3"}, {**first, "item": "a4", "verdict": "found"}]

    picture = drawn(funnel_picture(told))

    assert "a1, a3  ad  Spring / 1 and 1 other" in picture
    assert picture.count("ABSENT") == 1
    assert "\na4  ad" in picture


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


def test_an_empty_list_says_how_to_begin() -> None:
    assert "reconciler submit" in drawn(list_picture({"counts": {}, "documents": []}))


@pytest.mark.parametrize("width", [60, 80, 100])
def test_a_list_never_cuts_an_id(width: int) -> None:
    view = sample.unsettled()
    line = Summary(document=view.document, unsettled=True, has_surplus=True)
    shape = documents_list({DocumentState.QUEUED: 1}, [line], sample.NOW)

    picture = drawn(list_picture(shape), width=width)

    assert picture.startswith("1 queued")
    assert view.document.id in picture
    assert "2026-03-10 12:02" in picture
    assert "wait until 12:06:04" in " ".join(picture.split()) or width < 80


def test_a_check_is_printed_with_its_fields() -> None:
    shape = checks_list([Check(name="clock", ok=False, detail="off", fix="set it")])

    assert shape == {
        "schema": "doctor/1",
        "checks": [
            {"name": "clock", "ok": False, "status": "failed", "detail": "off", "fix": "set it"}
        ],
    }


def test_what_a_check_could_not_find_out_is_not_ok_and_not_called_a_failure() -> None:
    shape = checks_list([Check(name="clock", ok=False, known=False, detail="?", fix="mend it")])

    picture = drawn(doctor_picture(shape))

    assert (shape["checks"][0]["ok"], shape["checks"][0]["status"]) == (False, "unknown")
    assert picture.startswith("--    clock")
    assert "-> mend it" in picture


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
