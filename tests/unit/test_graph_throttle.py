"""The wait that usage headers ask for: minutes and seconds apart, the worst entry of all."""

import json
from datetime import timedelta
from typing import Any

import httpx
import pytest

from adapters.graph.throttle import WAIT_MAX, wait_asked

ACCOUNT, BUSINESS = "X-Ad-Account-Usage", "X-Business-Use-Case-Usage"


def regain(*minutes: Any) -> list[dict[str, Any]]:
    return [{"type": "ads", "estimated_time_to_regain_access": each} for each in minutes]


@pytest.mark.parametrize(
    ("reason", "headers", "wait"),
    [
        ("no headers", {}, None),
        ("percents only", {"X-App-Usage": {"call_count": 100}}, None),
        ("seconds", {ACCOUNT: {"acc_id_util_pct": 100, "reset_time_duration": 240}}, 240),
        ("minutes", {BUSINESS: {"900": regain(7)}}, 420),
        ("not the first entry only", {BUSINESS: {"900": regain(0, 7, 3)}}, 420),
        ("every list", {BUSINESS: {"900": regain(1), "901": regain(2)}}, 120),
        (
            "the worst header",
            {BUSINESS: {"900": regain(1)}, ACCOUNT: {"reset_time_duration": 90}},
            90,
        ),
        ("zero is no block", {BUSINESS: {"900": regain(0)}}, None),
        ("a float", {BUSINESS: {"900": regain(0.5)}}, 30),
        ("a numeral", {BUSINESS: {"900": regain("2")}}, 120),
        ("odd values", {BUSINESS: {"900": regain(None, "x", -3, [1], True)}}, 60),
        ("not finite", {BUSINESS: {"900": regain(float("inf"), float("nan"))}}, None),
        ("odd shapes", {BUSINESS: {"900": 7, "901": [7]}, ACCOUNT: [5]}, None),
        ("missing keys", {BUSINESS: {"900": [{}]}, ACCOUNT: {}}, None),
    ],
)
def test_the_longest_wait_of_all_entries_counts(
    reason: str, headers: dict[str, Any], wait: float | None
) -> None:
    """Facts 3.1 to 3.8."""
    sent = httpx.Headers({name: json.dumps(value) for name, value in headers.items()})

    assert wait_asked(sent) == (None if wait is None else timedelta(seconds=wait)), reason


def test_a_header_that_is_no_json_asks_nothing() -> None:
    assert wait_asked(httpx.Headers({ACCOUNT: "{", BUSINESS: "[" * 100_000})) is None


def test_a_broken_number_is_cut_to_a_week() -> None:
    assert wait_asked(httpx.Headers({ACCOUNT: '{"reset_time_duration": 1e300}'})) == WAIT_MAX


def test_a_header_given_twice_is_read_twice() -> None:
    usage = [(ACCOUNT, '{"reset_time_duration": 5}'), (ACCOUNT, '{"reset_time_duration": 9}')]

    assert wait_asked(httpx.Headers(usage)) == timedelta(seconds=9)
