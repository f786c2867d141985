"""How fast one account may be asked, by what its replies told: facts section 3."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.graph.pace import ACCOUNTS_MAX, PAUSE_MAX, REMEMBERED, UNTOLD_BLOCK, Pace
from adapters.graph.throttle import WAIT_MAX, usage_of
from fixtures.virtual_time import VirtualTime

APP, ACCOUNT, BUSINESS = "X-App-Usage", "X-Ad-Account-Usage", "X-Business-Use-Case-Usage"
INSIGHTS = "X-FB-Ads-Insights-Throttle"
CALL = timedelta(seconds=30)
HOUR = timedelta(hours=1)


def headers(given: dict[str, Any]) -> httpx.Headers:
    return httpx.Headers({name: json.dumps(value) for name, value in given.items()})


def case(percent: Any = 1, minutes: Any = 0, kind: Any = "ads_management") -> dict[str, Any]:
    return {"type": kind, "call_count": percent, "estimated_time_to_regain_access": minutes}


@pytest.mark.parametrize(
    ("reason", "given", "percent"),
    [
        ("no header", {}, None),
        ("the app's, whichever is fullest", {APP: {"call_count": 28, "total_cputime": 91}}, 91),
        ("the account's, a float", {ACCOUNT: {"acc_id_util_pct": 9.67}}, 9.67),
        ("not the first entry only", {BUSINESS: {"900": [case(3), case(88), case(5)]}}, 88),
        ("every list of the map", {BUSINESS: {"900": [case(3)], "901": [case(77)]}}, 77),
        ("the insights header", {INSIGHTS: {"app_id_util_pct": 12, "acc_id_util_pct": 80}}, 80),
        (
            "the worst of all headers",
            {APP: {"call_count": 1}, ACCOUNT: {"acc_id_util_pct": 93}, BUSINESS: {"9": [case(2)]}},
            93,
        ),
        ("text", {APP: {"call_count": "85"}}, 85),
        ("more than all", {APP: {"call_count": 1e300}}, 100),
        ("no numbers", {APP: {"call_count": None, "total_time": [], "total_cputime": "x"}}, None),
        ("not finite", {APP: {"call_count": float("nan"), "total_time": float("inf")}}, None),
        ("odd shapes", {APP: [7], ACCOUNT: 3, BUSINESS: {"900": {"call_count": 99}}}, None),
    ],
)
def test_the_fullest_allowance_of_all_headers_counts(
    reason: str, given: dict[str, Any], percent: float | None
) -> None:
    """Facts 3.1 to 3.8."""
    assert usage_of(headers(given)).percent == percent, reason


@pytest.mark.parametrize(
    ("reason", "given", "seconds"),
    [
        ("ads management is blocked", {BUSINESS: {"900": [case(100, 7)]}}, 420),
        ("a case that does not say which", {BUSINESS: {"900": [case(100, 7, None)]}}, 420),
        ("insights are blocked, ads are not", {BUSINESS: {"9": [case(100, 7, "ads_insights")]}}, 0),
        ("another entry is ours", {BUSINESS: {"9": [case(0, 9, "pages"), case(100, 2)]}}, 120),
        ("a full account", {ACCOUNT: {"acc_id_util_pct": 100, "reset_time_duration": 90}}, 90),
        ("a window that ends", {ACCOUNT: {"acc_id_util_pct": 99, "reset_time_duration": 90}}, 0),
        ("a full app names no time", {APP: {"call_count": 100}}, 0),
    ],
)
def test_only_what_would_refuse_our_next_request_is_a_block(
    reason: str, given: dict[str, Any], seconds: float
) -> None:
    block = usage_of(headers(given)).block

    assert block == (timedelta(seconds=seconds) if seconds else None), reason


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["call_count", "acc_id_util_pct", "reset_time_duration", "type", "9"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=10,
)


@given(st.lists(st.tuples(st.sampled_from([APP, ACCOUNT, BUSINESS, INSIGHTS]), JSON | st.text())))
def test_no_header_breaks_the_reading_and_every_figure_is_bounded(
    given: list[tuple[str, Any]],
) -> None:
    sent = httpx.Headers([(name, json.dumps(value)) for name, value in given])

    usage = usage_of(sent)

    assert usage.percent is None or 0 < usage.percent <= 100
    assert usage.block is None or timedelta(0) < usage.block <= WAIT_MAX


# --- the memory -----------------------------------------------------------------------------------


@pytest.fixture
def time() -> Iterator[VirtualTime]:
    made = VirtualTime()
    yield made
    made.close()


def at_once(time: VirtualTime, ask: Callable[[], Any]) -> Any:
    async def asked() -> Any:
        return ask()

    return time.run(asked())


def noted(time: VirtualTime, pace: Pace, given: dict[str, Any], **how: Any) -> Any:
    return at_once(time, lambda: pace.note("act_1", headers(given), **how))


def pause(time: VirtualTime, pace: Pace, account: str = "act_1", within: timedelta = CALL) -> float:
    return float(at_once(time, lambda: pace.pause(account, within)).total_seconds())


def left(time: VirtualTime, pace: Pace) -> Any:
    block = at_once(time, lambda: pace.block("act_1"))
    return block and (block.wait or "untold")


@pytest.mark.parametrize(
    ("percent", "seconds"), [(0, 0), (74, 0), (75, 0), (80, 1), (87.5, 2.5), (100, 5), (4000, 5)]
)
def test_pauses_grow_from_three_quarters_on(
    time: VirtualTime, percent: float, seconds: float
) -> None:
    pace = Pace(HOUR)
    noted(time, pace, {APP: {"call_count": percent}})

    assert pause(time, pace) == pytest.approx(seconds)
    assert pause(time, pace, "act_2") == 0


def test_no_pause_takes_more_than_a_quarter_of_a_short_deadline(time: VirtualTime) -> None:
    pace = Pace(HOUR)
    noted(time, pace, {APP: {"call_count": 100}})

    assert pause(time, pace, within=timedelta(seconds=2)) == pytest.approx(0.5)


def owe(time: VirtualTime, pace: Pace, calls: int, within: timedelta = CALL) -> None:
    at_once(time, lambda: pace.owe("act_1", calls, within))


def test_each_create_of_a_batch_owes_the_pause_it_would_have_made_alone(time: VirtualTime) -> None:
    """Facts 3.11: ten creates in one request are ten calls."""
    pace = Pace(HOUR)
    noted(time, pace, {APP: {"call_count": 80}})

    owe(time, pace, 9)

    assert pause(time, pace) == pytest.approx(10)
    assert pause(time, pace, "act_2") == 0


def test_batches_side_by_side_owe_side_by_side_and_time_that_passes_pays(
    time: VirtualTime,
) -> None:
    """So do creates that are sent alone: each waits, none for the other."""
    pace = Pace(HOUR)
    noted(time, pace, {APP: {"call_count": 80}})
    owe(time, pace, 9)
    owe(time, pace, 4)

    time.pass_(timedelta(seconds=6))
    assert pause(time, pace) == pytest.approx(4)
    time.pass_(timedelta(seconds=4))
    assert pause(time, pace) == pytest.approx(1)


def test_what_a_batch_owes_takes_no_more_than_half_of_the_deadline(time: VirtualTime) -> None:
    """Longer, and a lease whose work makes no step would be given up."""
    pace = Pace(HOUR)
    noted(time, pace, {APP: {"call_count": 100}})

    owe(time, pace, 49)

    assert pause(time, pace) == pytest.approx(15)
    assert pause(time, pace, within=timedelta(seconds=2)) == pytest.approx(1)


def test_below_the_ramp_a_batch_owes_nothing_and_where_usage_falls_nothing_is_left(
    time: VirtualTime,
) -> None:
    pace = Pace(HOUR)
    owe(time, pace, 9)
    noted(time, pace, {APP: {"call_count": 70}})
    owe(time, pace, 9)
    noted(time, pace, {APP: {"call_count": 80}})
    assert pause(time, pace) == pytest.approx(1)

    owe(time, pace, 9)
    noted(time, pace, {APP: {"call_count": 70}})
    assert pause(time, pace) == 0


def test_a_newer_figure_replaces_an_older_one_and_a_reply_without_one_does_not(
    time: VirtualTime,
) -> None:
    pace = Pace(HOUR)
    noted(time, pace, {APP: {"call_count": 100}})
    noted(time, pace, {})
    assert pause(time, pace) == PAUSE_MAX.total_seconds()

    noted(time, pace, {APP: {"call_count": 50}})
    assert pause(time, pace) == 0


def test_an_old_figure_is_forgotten(time: VirtualTime) -> None:
    pace = Pace(HOUR)
    noted(time, pace, {APP: {"call_count": 100}})
    time.pass_(REMEMBERED)

    assert pause(time, pace) == 0


def test_a_block_ends_when_it_said_and_nothing_shortens_it(time: VirtualTime) -> None:
    pace = Pace(HOUR)
    noted(time, pace, {BUSINESS: {"9": [case(100, 7)]}})
    noted(time, pace, {BUSINESS: {"9": [case(100, 1)]}})
    noted(time, pace, {}, is_throttle=True)

    assert left(time, pace) == timedelta(minutes=7)
    time.pass_(timedelta(minutes=6, seconds=59))
    assert left(time, pace) == timedelta(seconds=1)
    time.pass_(timedelta(seconds=1))
    assert left(time, pace) is None


def test_a_throttle_without_a_figure_blocks_for_a_moment_and_names_no_time(
    time: VirtualTime,
) -> None:
    pace = Pace(HOUR)

    assert noted(time, pace, {}, is_throttle=True) is None
    assert left(time, pace) == "untold"
    time.pass_(UNTOLD_BLOCK)
    assert left(time, pace) is None


def test_after_a_throttle_every_wait_counts_whatever_it_is_for(time: VirtualTime) -> None:
    pace = Pace(HOUR)
    noted(time, pace, {BUSINESS: {"9": [case(100, 7, "ads_insights")]}}, is_throttle=True)

    assert left(time, pace) == timedelta(minutes=7)


def test_an_absurd_block_is_cut_to_the_bound(time: VirtualTime) -> None:
    pace = Pace(HOUR)
    noted(time, pace, {BUSINESS: {"9": [case(100, 1e300)]}})

    assert left(time, pace) == HOUR


def test_a_person_is_told_once_a_minute_that_it_goes_slowly(
    time: VirtualTime, caplog: pytest.LogCaptureFixture
) -> None:
    pace = Pace(HOUR)
    noted(time, pace, {APP: {"call_count": 90}})
    with caplog.at_level(logging.WARNING, "reconciler.graph"):
        for _ in range(3):
            pause(time, pace)
        time.pass_(timedelta(minutes=1))
        pause(time, pace)

    assert caplog.messages == ["act_1 has used 90 % of its allowance: 3.0 s between requests"] * 2


def test_a_limit_of_the_app_blocks_every_account_of_its_token_and_no_other(
    time: VirtualTime,
) -> None:
    pace = Pace(HOUR, app_of=lambda account: None if account == "act_3" else account[:5])
    given = {BUSINESS: {"9": [case(100, 7)]}}
    noted(time, pace, given, is_throttle=True, is_app_wide=True)

    def blocked() -> list[bool]:
        accounts = ("act_1", "act_12", "act_2", "act_3")
        return [pace.block(each) is not None for each in accounts]

    assert at_once(time, blocked) == [True, True, False, False]
    assert at_once(time, lambda: pace.is_app_wide("act_12")) is True
    time.pass_(timedelta(minutes=7))
    assert at_once(time, blocked) == [False] * 4
    assert at_once(time, lambda: pace.is_app_wide("act_12")) is False


def test_what_is_remembered_is_bounded(time: VirtualTime) -> None:
    pace = Pace(HOUR)
    full = headers({APP: {"call_count": 100}})

    def fill() -> None:
        for number in range(ACCOUNTS_MAX + 1):
            pace.note(f"act_{number}", full)

    at_once(time, fill)

    assert pause(time, pace, "act_0") == 0
    assert pause(time, pace, f"act_{ACCOUNTS_MAX}") == PAUSE_MAX.total_seconds()
