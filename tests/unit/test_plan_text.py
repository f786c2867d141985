"""The text of a plan is JSON and nothing else, and a fault in it is shown where it stands."""

import pytest

from reconciler.errors import InvalidPlan
from reconciler.plan import parse_plan_text


@pytest.mark.parametrize(
    ("text", "want"),
    [
        pytest.param('{"a": [1, "é", null, true]}', {"a": [1, "é", None, True]}, id="plain"),
        pytest.param("\ufeff[1]", [1], id="a byte order mark"),
        pytest.param(b"\xef\xbb\xbf[1]", [1], id="a byte order mark in bytes"),
        pytest.param("23851234567890123", 23851234567890123, id="all digits (R053)"),
        pytest.param('"\\ud83d"', "\ud83d", id="half a pair is left for the plan to refuse"),
    ],
)
def test_json_is_read_exactly(text: str | bytes, want: object) -> None:
    assert parse_plan_text(text) == want


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param('{"a": 1,\n "b" 2}', "line 2, column 6", id="where it went wrong"),
        pytest.param("", "line 1, column 1", id="nothing"),
        pytest.param('{"key": 1, "x": 2, "key": 3}', "'key' twice", id="the last one would win"),
        pytest.param('[{"a": {"b": 1, "b": 1}}]', "'b' twice", id="below the top"),
        pytest.param("[NaN]", "NaN", id="not a number"),
        pytest.param("[-Infinity]", "-Infinity", id="not finite"),
        pytest.param("1" * 5_000, "5000 digits", id="more digits than Python reads"),
        pytest.param("[" * 200_000, "nested too deeply", id="deeper than the stack"),
        pytest.param(b'"\xff"', "UTF-8 at byte 1", id="another encoding"),
    ],
)
def test_what_is_no_json_is_refused_with_its_place(text: str | bytes, problem: str) -> None:
    with pytest.raises(InvalidPlan) as refused:
        parse_plan_text(text, source="spring.json")

    assert problem in refused.value.message
    assert refused.value.message.startswith("spring.json: text: ")
