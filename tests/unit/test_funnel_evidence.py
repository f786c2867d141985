"""Evidence: plain JSON under one hash, with the figures, the stages and what was compared."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from fixtures.funnel_world import (
    C1,
    LOOKED_AT,
    answered,
    bare,
    document,
    item,
    judged,
    row,
    seconds,
    two_walks,
    walk,
)
from reconciler.evidence import EXAMPLES_MAX
from reconciler.listing import Row, Statuses
from reconciler.model import Kind, Reason
from reconciler.verdict import Evidence, Verdict

UNMARKED = document(item(part=None), part=None)
STAGES = [
    "bound",
    "container",
    "mark",
    "copy",
    "name",
    "created",
    "provenance",
    "uncontested",
    "unambiguous",
    "cap",
]


def verdict(*rows: Row, **changes: Any) -> Verdict:
    """On the one unmarked item."""
    return judged(UNMARKED, two_walks(*rows), **changes).verdicts["a1"]


def stage(name: str, judged_: Verdict) -> dict[str, Any]:
    """One stage of its evidence."""
    found: dict[str, Any] = next(
        stage for stage in judged_.evidence.body["stages"] if stage["stage"] == name
    )
    return found


@pytest.mark.parametrize("rows", [(), (bare(),), (bare("1"), bare("2")), (bare(created=None),)])
def test_it_is_plain_json_and_its_hash_fits(rows: tuple[Row, ...]) -> None:
    evidence = verdict(*rows).evidence

    read_back = json.loads(json.dumps(evidence.body))

    assert read_back == evidence.body
    assert Evidence.of(read_back) == evidence
    assert evidence.id == f"ev_{evidence.hash[:26]}"


def test_it_says_what_was_said_on_what_and_when() -> None:
    body = verdict(bare()).evidence.body

    assert (body["item"], body["verdict"], body["reason"]) == ("a1", "found", None)
    assert (body["grade"], body["candidate_id"]) == ("name_and_time", "1001")
    assert body["candidate"] == {"id": "1001", "name": "Spring"}
    assert body["now"] == "2026-03-10T12:15:10+00:00"
    assert body["settle_at"] == seconds(480).isoformat()
    assert body["window"] == [[seconds(-6).isoformat(), seconds(426).isoformat()]]
    assert body["settings"]["late_landing_seconds"] == 120
    assert (body["lacking"], body["survivors"], body["label"]) == (1, ["1001"], "not_needed")


@pytest.mark.parametrize(
    ("rows", "word", "reason", "candidate"),
    [
        ((bare(),), "found", None, "1001"),
        ((), "absent", None, None),
        ((bare("2"), bare("1")), "inconclusive", "ambiguous", None),
    ],
)
def test_it_repeats_the_verdict(
    rows: tuple[Row, ...], word: str, reason: str | None, candidate: str | None
) -> None:
    body = verdict(*rows).evidence.body

    assert (body["verdict"], body["reason"], body["candidate_id"]) == (word, reason, candidate)


def test_it_holds_the_figures_of_the_walks_together_and_apart() -> None:
    first = walk(bare("1"), clock_difference=timedelta(seconds=1))
    second = walk(
        statuses=Statuses.NO_FILTER,
        started_at=LOOKED_AT + timedelta(seconds=3),
        clock_difference=timedelta(seconds=-2),
    )

    body = judged(UNMARKED, [first, second]).verdicts["a1"].evidence.body

    assert body["listing"] == {
        "complete": True,
        "pages": 2,
        "rows": 201,
        "started_at": LOOKED_AT.isoformat(),
        "ended_at": (LOOKED_AT + timedelta(seconds=5)).isoformat(),
        "clock_difference": -2.0,
        "reason": None,
        "detail": None,
    }
    assert [w["statuses"] for w in body["walks"]] == ["every_status", "no_filter"]
    assert [w["clock_difference"] for w in body["walks"]] == [1.0, -2.0]


def test_an_incomplete_listing_is_shown_as_such() -> None:
    withheld = {(C1, Kind.ADSET): Reason.THROTTLED}

    nothing = judged(UNMARKED, [], incomplete=withheld).verdicts["a1"].evidence.body
    half = judged(UNMARKED, [walk()], incomplete=withheld).verdicts["a1"].evidence.body
    unasked = judged(UNMARKED, []).verdicts["a1"].evidence.body

    assert nothing["listing"] == {
        "complete": False,
        "pages": 1,
        "rows": 25,
        "started_at": LOOKED_AT.isoformat(),
        "ended_at": LOOKED_AT.isoformat(),
        "clock_difference": None,
        "reason": "throttled",
        "detail": "stopped at page 2",
    }
    assert (half["listing"]["complete"], half["listing"]["pages"]) == (False, 2)
    assert unasked["listing"]["complete"] is False


def test_a_clock_that_one_walk_did_not_measure_is_not_shown_as_measured() -> None:
    listings = [walk(), walk(clock_difference=None)]

    assert judged(UNMARKED, listings).verdicts["a1"].evidence.body["listing"][
        "clock_difference"
    ] is None  # fmt: skip


def test_every_stage_is_told_in_order_and_what_goes_in_is_what_the_last_one_left() -> None:
    rows = (
        bare("1", campaign_id="7"),
        bare("2", created=-3600),
        bare("3", created=None),
        bare("4", source_id="1"),
        bare("5"),
    )
    body = verdict(*rows).evidence.body

    assert [stage["stage"] for stage in body["stages"]] == STAGES
    assert [stage["in"] for stage in body["stages"]] == [5, 5, 4, 4, 3, 3, 1, 1, 1, 1]
    assert [stage["not_ours"] for stage in body["stages"]] == [0, 1, 0, 1, 0, 1, 0, 0, 0, 0]
    assert [stage["doubt"] for stage in body["stages"]] == [0, 0, 0, 0, 0, 1, 0, 0, 0, 0]


def test_what_was_removed_is_shown_with_the_values_that_were_compared() -> None:
    removed = verdict(bare("1", created=-3600))

    assert stage("created", removed)["examples"] == [
        {
            "id": "1",
            "says": "not_ours",
            "why": "was created outside the window and bears no mark of ours",
            "reason": None,
            "compared": [
                {
                    "created_time": "2026-03-10T04:00:00-0700",
                    "window": [["2026-03-10T11:59:54+00:00", "2026-03-10T12:07:06+00:00"]],
                }
            ],
        }
    ]


@pytest.mark.parametrize(
    ("name", "given", "compared"),
    [
        ("bound", bare("1000"), {"known_as": ["a2"], "bound_to": None}),
        (
            "container",
            bare("1", campaign_id="7"),
            {
                "account": ["1000000000000001", "act_1000000000000001"],
                "parent": ["7", C1.id],
                "name": "Spring",
            },
        ),
        (
            "mark",
            bare("1"),
            {
                "labels": [],
                "name": "Spring",
                "label_sent": "rc1-aaaaaaaaaaaaaaaa",
                "name_sent": "Spring",
            },
        ),
        ("copy", row("1", source_id="9"), {"source_id": "9"}),
        ("name", row("1", "Nobody's"), {"name": "Nobody's", "name_sent": "Spring"}),
    ],
)
def test_each_sieve_shows_what_it_compared(
    name: str, given: Row, compared: dict[str, object]
) -> None:
    doc = document(item("a1"), item("a2", "Autumn", bound_to="1000"))

    removed = judged(doc, two_walks(given)).verdicts["a1"]

    assert stage(name, removed)["examples"][0]["compared"] == [compared]


def test_a_stage_shows_a_few_examples_and_counts_them_all() -> None:
    many = [bare(f"1{n:03}", created=-3600) for n in range(EXAMPLES_MAX + 5)]
    too_many = [bare(f"1{n:03}") for n in range(EXAMPLES_MAX + 5)]

    removed = verdict(*many)
    vetoed = verdict(*too_many)

    assert stage("created", removed)["not_ours"] == EXAMPLES_MAX + 5
    assert len(stage("created", removed)["examples"]) == EXAMPLES_MAX
    assert stage("unambiguous", vetoed)["doubt"] == EXAMPLES_MAX + 5
    assert len(stage("unambiguous", vetoed)["examples"]) == EXAMPLES_MAX
    assert len(vetoed.evidence.body["survivors"]) == EXAMPLES_MAX


def test_outside_text_that_a_database_refuses_is_made_visible() -> None:
    """R051: U+0000 and a lone surrogate in a name."""
    removed = verdict(bare("1", "Spring", source_id="\x00\ud83d"))

    assert stage("copy", removed)["examples"][0]["compared"] == [{"source_id": "\\u0000\\ud83d"}]


def test_the_answer_to_the_label_question_is_kept() -> None:
    doc = document(item("a1"), item("a2", "Autumn", calls=(answered("9"),), bound_to="9"))

    for exists, word in ((True, "exists"), (False, "gone"), (None, "not_known")):
        said = judged(doc, two_walks(), label_exists=exists).verdicts["a1"]
        assert said.evidence.body["label"] == word


def test_what_was_answered_says_by_which_call() -> None:
    calls = (answered("1002", number=2, end=9), answered("1001", number=3, end=5))

    body = judged(document(item(calls=calls)), []).verdicts["a1"].evidence.body

    assert (body["grade"], body["candidate_id"], body["calls"]) == ("reply", "1001", [3])
    assert (body["verdict"], body["stages"], body["listing"]) == ("found", [], None)


def test_the_same_judgement_has_the_same_evidence() -> None:
    assert verdict(bare("1"), bare("2")).evidence == verdict(bare("2"), bare("1")).evidence


def test_two_readings_of_one_walk_are_told_in_one_order() -> None:
    one, other = bare("1", created=None), bare("1", labels=("rc1-cut",))
    first, second = two_walks()

    told = [
        judged(UNMARKED, [replace(first, rows=rows), second]).verdicts["a1"].evidence
        for rows in ((one, other), (other, one))
    ]

    assert told[0] == told[1]
