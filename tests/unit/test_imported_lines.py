"""What a line from elsewhere may say, and what is said of one that cannot be accepted."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from reconciler.imported_lines import LINES_MAX, RawLine, Reading
from tests.unit.elsewhere_lines import (
    CREATED,
    FINISHED,
    NOW,
    groups,
    line,
    record,
    recorded,
    without,
)


def faults(*values: object) -> list[tuple[int, str, str]]:
    """Line, field and reason of everything that is refused."""
    return [(one.line, one.field, one.reason) for group in groups(*values) for one in group.refused]


def test_a_sound_line_is_read_whole() -> None:
    read = record(account_id=1001, names=[" A ", "A", "B"])

    assert (read.document_id, read.account_id, read.is_begun) == ("old-1", "act_1001", True)
    (part,) = read.parts
    assert (part.names, part.external_ids) == (("A", "A", "B"), ("9001", None, None))
    assert read.times.created_at == datetime(2026, 3, 10, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "same",
    [
        {"account_id": 1001},
        {"created_at": "2026-03-10T13:00:00+01:00"},
        {"created_at": datetime(2026, 3, 10, 14, tzinfo=timezone(timedelta(hours=2)))},
        {"container": {"id": 2001, "kind": "adset", "more": 1}},
        {"recorded": [{"external_id": 9001, "name": " A"}], "version": 7},
    ],
)
def test_the_same_content_spelt_otherwise_is_the_same(same: dict[str, Any]) -> None:
    assert record(**same).hash == record().hash


@pytest.mark.parametrize(
    "other",
    [
        {"names": ["A", "B", "B"]},
        {"recorded": recorded(B="9001")},
        {"recorded": []},
        {"publish_finished_at": FINISHED},
        {"last_seen_at": FINISHED},
        {"worker_gone_at": FINISHED},
        {"container": {"kind": "adset", "id": "2002"}},
    ],
)
def test_whatever_else_it_says_is_other_content(other: dict[str, Any]) -> None:
    assert record(**other).hash != record().hash


def test_ids_of_equal_names_are_the_same_in_any_order() -> None:
    pairs = [{"name": "A", "external_id": "9001"}, {"name": "A", "external_id": "9002"}]

    assert record(recorded=pairs).hash == record(recorded=pairs[::-1]).hash


REFUSED: list[tuple[object, str, str]] = [
    ("text", "line", "no object"),
    ([1], "line", "no object"),
    (None, "line", "null"),
    (without("document_id"), "document_id", "null, no id"),
    (line(document_id=""), "document_id", "no id"),
    (line(document_id=True), "document_id", "true, no id"),
    (line(document_id=" x"), "document_id", "no id"),
    (line(document_id="a\x00b"), "document_id", "no id"),
    (line(document_id="x" * 201), "document_id", "no id"),
    (line(document_id=10**300), "document_id", "no id"),
    (line(account_id="act_act_1"), "account_id", "act_ stands twice"),
    (line(account_id=1.0), "account_id", "no id"),
    (without("container"), "container", "null, no object"),
    (line(container={"kind": "campaign", "id": "1501"}), "container.kind", "no ad is made"),
    (line(container={"kind": "adset"}), "container.id", "no id"),
    (
        line(kind="campaign", container={"kind": "account", "id": "act_7"}),
        "container.id",
        "another account",
    ),
    (line(kind="advert"), "kind", "campaign, adset, adcreative, ad"),
    (without("kind"), "kind", "null"),
    (without("created_at"), "created_at", "is missing"),
    (line(created_at="2026-03-10T12:00:00"), "created_at", "without a zone"),
    (line(created_at="1773144000"), "created_at", "no time"),
    (line(created_at=1773144000), "created_at", "a number"),
    (line(created_at=""), "created_at", "no time"),
    (line(created_at="1970-01-01T00:00:00Z"), "created_at", "no time that can be meant"),
    (line(created_at="0001-01-01T00:00:00+23:59"), "created_at", "no time that can be meant"),
    (line(publish_started_at="yesterday"), "publish_started_at", "no time"),
    (line(publish_started_at="2026-03-10"), "publish_started_at", "without a zone"),
    (line(publish_started_at="2026-03-09T12:00:00Z"), "publish_started_at", "before created_at"),
    (line(publish_finished_at=CREATED), "publish_finished_at", "before publish_started_at"),
    (line(last_seen_at="2026-06-01T00:00:01Z"), "last_seen_at", "in the future"),
    (
        line(last_seen_at="2026-04-01T00:00:00Z", worker_gone_at=FINISHED),
        "worker_gone_at",
        "before last_seen_at",
    ),
    (without("names"), "names", "null, no list"),
    (line(names={}), "names", "an object, no list"),
    (line(names=[]), "names", "is empty"),
    (line(names=["A"] * 1001), "names", "more than 1,000"),
    (line(names=["A", None]), "names[1]", "null, no text"),
    (line(names=["A", " "]), "names[1]", "is empty"),
    (line(names=["A\x00"]), "names[0]", "NUL"),
    (line(names=["\ud800"]), "names[0]", "surrogate"),
    (line(names=["A" * 65_536]), "names[0]", "65,536 characters"),
    (line(names=["A [rc1-abcdefghabcdefgh.abcdef]"]), "names[0]", "form of our mark"),
    (without("recorded"), "recorded", "null, no list"),
    (line(recorded={"A": "9001"}), "recorded", "an object, no list"),
    (line(recorded=["9001"]), "recorded[0]", "no object"),
    (line(recorded=[{"name": "A"}]), "recorded[0].external_id", "no id"),
    (line(recorded=[{"name": "A", "external_id": 9.0}]), "recorded[0].external_id", "no id"),
    (line(recorded=[{"name": "A", "external_id": "9e3"}]), "recorded[0].external_id", "no id"),
    (line(recorded=[{"external_id": "9001"}]), "recorded[0].name", "no text"),
    (line(recorded=recorded(C="9001")), "recorded[0].name", "more often than it stands in names"),
    (
        line(recorded=[*recorded(B="9001"), *recorded(B="9002")]),
        "recorded[1].name",
        "more often",
    ),
    (line(recorded=recorded(A="9001", B="9001")), "recorded[1].external_id", "stands there twice"),
    (
        without("publish_started_at"),
        "publish_started_at",
        "nothing says when its worker was last there",
    ),
]


@pytest.mark.parametrize(("value", "field", "reason"), REFUSED)
def test_what_cannot_be_meant_is_refused_and_never_mended(
    value: object, field: str, reason: str
) -> None:
    """R092: fifty malformed lines, and none is repaired by a guess.

    Among them digits that a float lost (R053), what no database stores (R051), and times without a
    zone (R054).
    """
    ((number, at, said),) = faults(value)

    assert (number, at) == (1, field)
    assert reason in said
    assert ";" in said, "what to write instead"


def test_everything_that_is_wrong_with_a_line_is_said_at_once() -> None:
    wrong = line(document_id=None, kind="advert", created_at="noon", names=[""], recorded=None)

    assert [field for _, field, _ in faults(wrong)] == [
        *("document_id", "kind", "names[0]", "recorded", "created_at")
    ]


def test_adjacent_lines_of_one_document_are_its_parts() -> None:
    campaign = line(
        kind="campaign",
        container={"kind": "account", "id": "act_1001"},
        names=["C"],
        recorded=recorded(C="1501"),
    )
    (group, other) = groups(campaign, line(), line(document_id="old-2"))

    assert group.record is not None
    assert [part.kind.value for part in group.record.parts] == ["campaign", "ad"]
    assert other.record is not None
    assert (other.record.number, other.record.document_id) == (3, "old-2")


def test_one_refused_line_refuses_its_document() -> None:
    (group,) = groups(line(), line(names=[]), line())

    assert group.record is None
    assert [(one.line, one.field) for one in group.refused] == [
        (1, "line"),
        (2, "names"),
        (3, "line"),
    ]
    assert "another line of its document is refused" in group.refused[0].reason


def test_parts_that_disagree_about_their_document_are_refused() -> None:
    other = line(account_id="act_7", last_seen_at=FINISHED, recorded=[])

    said = faults(line(), other)

    assert [field for _, field, _ in said] == ["line", "account_id", "times"]


def test_an_id_that_two_lines_of_a_document_record_is_refused() -> None:
    said = faults(line(), line())

    assert (said[1][1], "9001 is recorded in two lines" in said[1][2]) == ("recorded", True)


def test_creatives_may_share_an_id() -> None:
    creative = line(
        kind="adcreative",
        container={"kind": "account", "id": "act_1001"},
        recorded=recorded(A="9001", B="9001"),
    )

    assert faults(creative) == []


def test_a_document_of_endless_lines_is_refused_to_its_end() -> None:
    many = [line(names=["A"], recorded=[])] * (LINES_MAX + 3)

    told = groups(*many, line(document_id="next"))

    assert [group.record is None for group in told] == [True, True, True, True, False]
    assert {len(group.raws) for group in told[1:]} == {1}
    assert "more than 1,000 lines" in told[0].refused[0].reason


def test_keys_that_mean_nothing_here_are_counted_and_passed_over() -> None:
    reading = Reading(NOW)
    values = [line(version=3, status="x"), line(document_id="2", version=None), "nonsense"]

    list(reading.records(RawLine(number=1, text="", value=each) for each in values))

    assert dict(reading.ignored) == {"version": 2, "status": 1}
