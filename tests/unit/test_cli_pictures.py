"""What people see: drawn from the same shapes, doubts apart from disproofs, no false zero."""

import io
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console, RenderableType

from adapters.cli.document_commands import verdict_in_words
from adapters.cli.document_picture import document_picture
from adapters.cli.ledger_commands import doctor_picture
from adapters.cli.list_picture import list_picture
from adapters.cli.next_picture import next_picture
from adapters.cli.output import visible
from adapters.shapes import (
    Check,
    checks_list,
    document_state,
    documents_list,
)
from adapters.shapes.advice import commands
from reconciler.imported import NO_END_KNOWN
from reconciler.model import DocumentState, ItemState, JudgedItem, Origin, Reason
from reconciler.ports import Summary, View
from reconciler.verdict import Absent, Evidence
from tests.unit import sample_views as sample

NOW = sample.NOW.isoformat()
ABSENT = Absent(evidence=Evidence.of({}))


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


def test_a_document_of_which_no_item_is_known_is_drawn_all_the_same() -> None:
    view = sample.published()

    drawn_so = of_document(replace(view, document=replace(view.document, items=())))

    assert "state     published" in drawn_so


@pytest.mark.parametrize(
    ("origin", "says"),
    [
        (Origin.OURS, "+ absent, may be made"),
        (Origin.IMPORTED, "+ absent; nothing is made from here"),
    ],
)
def test_nothing_of_an_imported_document_may_be_made(origin: Origin, says: str) -> None:
    view = sample.published()
    document = replace(view.document, origin=origin, items=(sample.item(ItemState.ABSENT),))

    told = of_document(replace(view, document=document))

    assert says in told
    assert told.count("absent") == 2  # the item, and what the symbol means


@pytest.mark.parametrize("cancel", [{"state": DocumentState.CANCELLED}, {"cancel_requested": True}])
def test_nothing_more_of_a_cancelled_document_may_be_made(cancel: dict[str, Any]) -> None:
    view = sample.failed()
    document = replace(view.document, items=(sample.item(ItemState.ABSENT),), **cancel)

    told = of_document(replace(view, document=document))

    assert "+ absent; nothing more is made" in told
    assert "may be made" not in told
    assert commands(document, document.items[0], None) == []
    assert verdict_in_words(ABSENT, document) == "+ absent, nothing listed fits"
    assert verdict_in_words(ABSENT, sample.held().document) == "+ absent, may be made"


@pytest.mark.parametrize("origin", list(Origin))
def test_what_is_held_of_a_cancelled_document_needs_nobody(origin: Origin) -> None:
    view = sample.held()
    over = replace(view.document, state=DocumentState.CANCELLED, origin=origin)

    told = of_document(replace(view, document=over))

    assert "? may exist outside; cancelled, so nobody needs to decide" in told
    assert "needs a person" not in told
    assert "? needs a person" in of_document(view)


def test_an_id_that_came_with_an_import_answered_no_call_of_ours() -> None:
    view = sample.published()
    old = replace(view, document=replace(view.document, origin=Origin.IMPORTED))

    assert "reply, elsewhere" in of_document(old)
    assert "elsewhere" not in of_document(view)


def test_what_is_pending_of_a_document_that_finished_elsewhere_waits_for_nobody() -> None:
    view = sample.unsettled()
    over = replace(view.document, origin=Origin.IMPORTED, state=DocumentState.PARTLY_PUBLISHED)

    told = of_document(replace(view, document=over))

    assert ". not recorded; it finished elsewhere, nobody looks" in told
    assert "unsettled" not in told
    assert ". no verdict yet" in of_document(view)


def test_a_look_that_could_not_tell_is_a_verdict() -> None:
    view = sample.unsettled()
    [key] = {item.key for item in view.document.items if item.state is ItemState.PENDING}
    look = JudgedItem(
        item=key,
        verdict="inconclusive",
        reason=Reason.LISTING_INCOMPLETE,
        judged_at=sample.NOW,
        evidence_id="e",
        evidence_hash="h",
    )

    told = of_document(replace(view, document=replace(view.document, verdicts=(look,))))

    assert ". not known yet" in told
    assert "no verdict yet" not in told


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


def test_an_empty_list_says_how_to_begin() -> None:
    nothing: dict[str, Any] = {"counts": {}, "documents": []}

    assert "reconciler submit" in drawn(list_picture(nothing))
    assert "no such documents" in drawn(list_picture(nothing, narrowed=True))


def test_a_list_of_what_crashed_counts_what_crashed() -> None:
    view = sample.crashed()
    line = Summary(document=view.document, unsettled=True, has_surplus=False)
    shape = documents_list({DocumentState.PUBLISHING: 1}, [line], sample.NOW)

    assert drawn(list_picture(shape, narrowed=True, crashed=True)).startswith("1 crashed\n")
    assert drawn(list_picture(shape)).startswith("1 publishing\n")
    assert "no such documents" in drawn(
        list_picture({"counts": {}, "documents": []}, narrowed=True, crashed=True)
    )


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


def test_an_attempt_of_which_nobody_told_the_end_has_no_date_far_off() -> None:
    """Of an imported document that may still run elsewhere."""
    live = sample.publishing()
    (attempt,) = live.document.attempts
    endless = replace(attempt, lease_until=NO_END_KNOWN)
    view = replace(live, document=replace(live.document, attempts=(endless,)))

    assert document_state(view)["attempts"][0]["lease_until"] is None
    assert "no end is known  running" in of_document(view)
    assert "lease until" in of_document(live)
