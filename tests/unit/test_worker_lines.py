"""What a worker tells while it works: calm, in words or in JSON, and without a secret."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from adapters.bootstrap import REDACTION
from adapters.cli.worker_commands import sweep_picture
from adapters.cli.worker_lines import WorkerLines
from adapters.shapes import sweep_report
from reconciler.due import Due
from reconciler.model import DocumentState, Reason
from reconciler.sweep import Swept
from reconciler.visit import Visit
from reconciler.worker import Happened, Happening

NOTHING = Visit(document_id="d1", kind=Due.LOOK)
LOOKED = Visit(
    document_id="d2",
    kind=Due.TAKEOVER,
    before=DocumentState.PUBLISHING,
    after=DocumentState.PARTLY_PUBLISHED,
    withheld=Reason.THROTTLED,
    new_surplus=1,
)
ENDED = {"state": "partly_published", "attempt": 2, "outcome": "handed_back", "error": "full"}


@pytest.fixture(autouse=True)
def level() -> Iterator[None]:
    """The level of a command without -v or -q."""
    root = logging.getLogger()
    before = root.level
    root.setLevel(logging.WARNING)
    yield
    root.setLevel(before)


def happened(what: Happening, **detail: Any) -> Happened:
    return Happened(what=what, document_id="d1", detail=detail)


EVERY = [
    (happened(Happening.TAKEN, attempt=1), "d1 attempt 1 begins"),
    (happened(Happening.ENDED, **ENDED), "d1 partly published (attempt 2 handed back: full)"),
    (happened(Happening.FAILED, error="bad"), "d1 error, left alone for a while: bad"),
    (happened(Happening.SWEPT, swept=Swept(run="r", visits=(LOOKED,))), "sweep: 1 inconclusive"),
    (happened(Happening.LEDGER_AWAY, error="gone"), "nothing new is taken: gone"),
    (happened(Happening.LEDGER_BACK), "the ledger answers again"),
    (happened(Happening.STOPPING, in_hand=3), "stopping with 3 documents in hand"),
]


def test_every_happening_has_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    lines = WorkerLines(as_json=False)
    for one, _ in EVERY:
        lines(one)

    told = [line.split(" ", 1)[1] for line in capsys.readouterr().err.splitlines()]
    assert told == [text for _, text in EVERY]
    assert {one.what for one, _ in EVERY} == set(Happening)


def test_programs_get_a_json_object_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    lines = WorkerLines(as_json=True)
    lines.begin("w1", 10, 30.0, "in-process")
    for one, _ in EVERY:
        lines(one)

    told = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [line["event"] for line in told] == ["started", *(one.what.value for one, _ in EVERY)]
    assert told[2] == {"at": told[2]["at"], "event": "ended", "document_id": "d1", **ENDED}
    assert told[4]["counts"]["inconclusive"] == 1


def test_a_sweep_at_which_nothing_happened_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    lines = WorkerLines(as_json=False)
    lines(happened(Happening.SWEPT, swept=Swept(run="r")))
    lines(happened(Happening.SWEPT, swept=Swept(run="r", visits=(NOTHING,))))
    lines(happened(Happening.SWEPT, swept=Swept(run="r", held_by_another=True)))

    assert capsys.readouterr().err == ""


def test_quiet_leaves_what_went_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    logging.getLogger().setLevel(logging.ERROR)
    lines = WorkerLines(as_json=False)
    lines.begin("w1", 10, 30.0, "in-process")
    for one, _ in EVERY:
        lines(one)
    lines(happened(Happening.SWEPT, swept=Swept(run="r", error="gone")))

    told = [line.split(" ", 1)[1] for line in capsys.readouterr().err.splitlines()]
    assert told == [
        "d1 error, left alone for a while: bad",
        "nothing new is taken: gone",
        "sweep: broken off: gone",
    ]


def test_a_pass_that_failed_says_at_which_document_and_why(
    capsys: pytest.CaptureFixture[str],
) -> None:
    failed = [Visit(document_id=f"d{n}", kind=Due.LOOK, error="gone") for n in range(1, 8)]
    few = happened(Happening.SWEPT, swept=Swept(run="r", visits=(LOOKED, failed[0])))
    many = happened(Happening.SWEPT, swept=Swept(run="r", visits=tuple(failed)))
    for one in (few, many):
        WorkerLines(as_json=False)(one)
    WorkerLines(as_json=True)(few)

    *told, as_json = capsys.readouterr().err.splitlines()
    first, second = (line.split(" ", 1)[1] for line in told)
    assert first == "sweep: 1 inconclusive, 1 error; d1 error: gone"
    assert second.startswith("sweep: 7 error; d1 error: gone; d2 error: gone; ")
    assert second.endswith("d5 error: gone; and 2 more")
    [said] = json.loads(as_json)["failed"]
    assert (said["document_id"], said["reason"]) == ("d1", "gone")


def test_an_error_tells_no_secret_and_moves_no_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    """R096: a library may put a token into what it says."""
    REDACTION.learn("EAACANARYworker0123456789")
    WorkerLines(as_json=False)(
        happened(Happening.FAILED, error="EAACANARYworker0123456789 \x1b[2J refused")
    )

    told = capsys.readouterr().err
    assert "CANARY" not in told
    assert "\x1b" not in told


def test_a_pass_lists_only_what_it_touched_with_its_reason() -> None:
    report = sweep_report(Swept(run="r", visits=(NOTHING, LOOKED)))

    assert report["counts"] | {"inconclusive": 0, "nothing": 0} == dict.fromkeys(
        ["found", "absent", "inconclusive", "nothing", "stale", "error"], 0
    )
    assert report["documents"] == [
        {
            "document_id": "d2",
            "due": "takeover",
            "before": "publishing",
            "after": "partly_published",
            "reason": "throttled",
            "surplus": 1,
        }
    ]


def test_a_pass_is_drawn_with_its_counts_first() -> None:
    from rich.console import Console

    console = Console(width=200, highlight=False)
    with console.capture() as drawn:
        console.print(sweep_picture(sweep_report(Swept(run="r", visits=(LOOKED,), error="gone"))))

    assert drawn.get().splitlines() == [
        "1 inconclusive",
        "d2  publishing -> partly published  throttled  ! 1 surplus",
        "broken off: gone",
    ]
