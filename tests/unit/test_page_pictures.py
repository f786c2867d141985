"""What the page draws of values: bars, spans of time, the story in lines, a comparison."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from adapters.web.page.ads_manager import ads_manager_link
from adapters.web.page.candidates import NOT_THERE, PASSED, comparison_of
from adapters.web.page.funnel import BAR_WIDTH, SEGMENT_MIN, funnel_of
from adapters.web.page.timeline_groups import LINES_SHOWN_MAX, groups_of
from adapters.web.page.times import relative, span
from reconciler import events

NOON = datetime(2026, 3, 10, 12, tzinfo=UTC)


def stage(name: str, came: int, not_ours: int = 0, doubt: int = 0) -> dict[str, Any]:
    examples = [{"id": "1", "says": "doubt", "why": "w", "compared": []}] if doubt else []
    return {
        "stage": name, "in": came, "not_ours": not_ours, "doubt": doubt, "examples": examples
    }  # fmt: skip


def judged(*stages: dict[str, Any], rows: int = 100_000, **more: Any) -> dict[str, Any]:
    listing = {
        "complete": True, "pages": 200, "rows": rows, "reason": None, "detail": None,
        "started_at": None, "ended_at": None,
    }  # fmt: skip
    walk = {"rows": rows, "pages": 200}
    return {"listing": listing, "walks": [walk, walk], "stages": list(stages)} | more


def test_one_row_of_a_hundred_thousand_is_still_seen_and_no_bar_is_wider_than_its_room() -> None:
    drawn = funnel_of(judged(stage("mark", 3, not_ours=1, doubt=1), stage("copy", 1)))

    assert [bar.stage for bar in drawn.bars] == ["listed", "narrowed", "mark", "copy"]
    assert [bar.left for bar in drawn.bars] == [100_000, 3, 1, 1]
    for bar in drawn.bars:
        for _, x, width in bar.segments:
            assert width >= SEGMENT_MIN
            assert x + width <= BAR_WIDTH
    assert [name for name, _, _ in drawn.bars[2].segments] == ["left", "doubt", "gone"]


def test_a_stage_that_keeps_few_of_its_rows_says_how_many_more_there_are() -> None:
    drawn = funnel_of(judged(stage("mark", 30, doubt=30)))

    assert (drawn.bars[2].removed, drawn.bars[2].hidden) == (30, 29)


def test_an_answered_call_needs_no_bars() -> None:
    drawn = funnel_of({"listing": None, "walks": [], "stages": []})

    assert (drawn.bars, drawn.is_complete) == ((), None)


def test_a_log_that_nobody_asked_for_has_no_bar() -> None:
    drawn = funnel_of(judged(stage("provenance", 1), rows=1))

    assert [bar.stage for bar in drawn.bars] == ["listed", "narrowed"]


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0, "0 s"), (59, "59 s"), (60, "1 min"), (200, "3 min 20 s"), (3_600, "1 h"),
     (3_661, "1 h 1 min"), (86_400 * 3 + 7_200, "3 d 2 h"), (86_405, "1 d"), (-90, "1 min 30 s")],
)  # fmt: skip
def test_a_span_is_told_by_its_two_largest_units(seconds: int, told: str) -> None:
    assert span(timedelta(seconds=seconds)) == told


def test_a_time_is_told_as_ahead_or_behind() -> None:
    assert relative("2026-03-10T12:03:20Z", NOON) == "in 3 min 20 s"
    assert relative("2026-03-10T11:59:59.4Z", NOON) == "0 s ago"
    assert relative(None, NOON) == ""


def entry(number: int, kind: str, item: str | None = None, **detail: Any) -> dict[str, Any]:
    at = f"2026-03-10T12:00:{number % 60:02}Z"
    return {"sequence": number, "at": at, "kind": kind, "item": item, "detail": detail}


def test_a_wave_is_one_line_and_what_differs_is_another() -> None:
    answers = [
        entry(n, events.ANSWERED, f"a{n}", outcome="created", call=1, external_id=str(n), row=None)
        for n in range(30)
    ]
    other = entry(31, events.ANSWERED, "b", outcome="unknown", call=1, external_id=None, row="N02")

    groups, left_out = groups_of({"entries": [*answers, other]}, [])

    [group] = groups
    assert [line.what for line in group.lines] == ["answered: created", "answered: unknown (N02)"]
    assert (len(group.lines[0].keys), group.lines[0].more, left_out) == (12, 18, 0)


def test_two_looks_that_say_the_same_are_two_lines_and_each_is_one() -> None:
    said = {"verdict": "inconclusive", "reason": "too_soon"}
    looks = [
        entry(number, events.LOOKED, item, **said) | {"at": f"2026-03-10T12:0{minute}:00Z"}
        for number, (minute, item) in enumerate([(1, "a1"), (1, "a2"), (4, "a1"), (4, "a2")])
    ]

    [group], _ = groups_of({"entries": looks}, [])

    assert [(line.at[14:16], line.keys) for line in group.lines] == [
        ("01", ("a1", "a2")),
        ("04", ("a1", "a2")),
    ]


def test_a_story_too_long_to_show_says_how_many_lines_are_left_out() -> None:
    entries = [entry(n, events.QUEUED) for n in range(LINES_SHOWN_MAX + 7)]

    groups, left_out = groups_of({"entries": entries}, [])

    assert sum(len(group.lines) for group in groups) == LINES_SHOWN_MAX
    assert left_out == 7


@pytest.mark.parametrize("kind", sorted(events.ALL))
def test_every_event_has_a_line(kind: str) -> None:
    detail = {"outcome": "created", "verdict": "found", "choice": "adopt"}

    [group], _ = groups_of({"entries": [entry(1, kind, **detail)]}, [])

    assert group.lines[0].what
    assert "_" not in group.lines[0].what


def test_what_the_evidence_does_not_have_is_said_not_to_be_there() -> None:
    doubted = {"id": "7", "says": "doubt", "why": "lacks", "compared": [{"name": "other"}]}
    left = {"id": "8", "speaks_for": [], "compared": [{"name": "N", "created_time": "soon"}]}
    shape = {
        "kind": "ad", "name": "N", "window": [], "sent": {"name": "N", "label": "rc1-x"},
        "stages": [stage("name", 2) | {"examples": [doubted]}], "survivor_rows": [left],
    }  # fmt: skip

    found = comparison_of(shape, "act_1", None)

    first, second = found.candidates
    assert (first.external_id, first.letter, first.is_doubted) == ("8", "A", False)
    assert (second.external_id, second.letter, second.is_doubted) == ("7", "B", True)
    assert first.cells["parent"].text == PASSED
    assert second.cells["parent"].text == NOT_THERE
    assert (second.cells["name"].differs, first.cells["name"].differs) == (True, False)
    assert (first.cells["created"].differs, first.cells["created"].text) == (True, "soon")


def test_an_entity_is_found_in_the_table_of_its_kind_and_an_odd_id_in_none() -> None:
    link = ads_manager_link("adset", "act_1001", "2001")

    assert link is not None
    assert link.endswith("/manage/adsets?act=1001&selected_adset_ids=2001")
    assert ads_manager_link("adcreative", "act_1001", "3001") is None
    assert ads_manager_link("ad", "act_1001", "javascript:1") is None
