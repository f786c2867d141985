"""Reads the usage headers: how full an account's allowance is, and how long to leave it alone.

All four headers, every entry of each, on errors too; the worst counts (facts 3.1 to 3.7). Minutes
and seconds differ by header (facts 3.2, 3.3). After a throttle every wait counts, whatever it is
for. On another reply only what says that our next request would be refused is a block: the account
header tells when its window ends to everybody, and an account blocked for insights may create ads.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

import httpx

WAIT_MAX: Final = timedelta(days=7)
"""No documented block is longer than a day; a larger number is a broken header, cut to this."""

FULL: Final = 100.0
"""Percent. At this the API refuses (facts 3.1); a larger number says no more than this one."""

OUR_CASE: Final = "ads_management"
"""The business use case that creates and listings count against: facts E22, 3.3."""

_PERCENTS: Final = (
    "call_count",
    "total_time",
    "total_cputime",
    "acc_id_util_pct",
    "app_id_util_pct",
)
_PLAIN: Final = ("x-app-usage", "x-ad-account-usage", "x-fb-ads-insights-throttle")
_BUSINESS: Final = "x-business-use-case-usage"
USAGE_HEADERS: Final = (*_PLAIN, _BUSINESS)
"""Every header that is read here."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What one reply tells of its account. `percent` 0 to 100, of whatever is fullest.

    `block` is how long the next request would be refused. Each is None where nothing is told.
    """

    percent: float | None
    block: timedelta | None


def usage_of(headers: httpx.Headers) -> Usage:
    """Read from any reply."""
    percents = [percent for entry in _entries(headers) for percent in _percents(entry)]
    longest = max((*_full_account(headers), *_own_blocks(headers)), default=timedelta(0))
    block = longest if longest > timedelta(0) else None
    return Usage(percent=max(percents, default=None), block=block)


def wait_asked(headers: httpx.Headers) -> timedelta | None:
    """The longest wait that a throttle asks for; None where no header names one above zero."""
    waits = [
        *(_account_wait(usage) for usage in _plain(headers, "x-ad-account-usage")),
        *(_business_wait(entry) for entry in _business(headers)),
    ]
    longest = max(waits, default=timedelta(0))
    return longest if longest > timedelta(0) else None


def _full_account(headers: httpx.Headers) -> Iterator[timedelta]:
    for usage in _plain(headers, "x-ad-account-usage"):
        if max(_percents(usage), default=0.0) >= FULL:
            yield _account_wait(usage)


def _own_blocks(headers: httpx.Headers) -> Iterator[timedelta]:
    """An entry that does not say what it is for may be ours."""
    for entry in _business(headers):
        if entry.get("type") in (OUR_CASE, None):
            yield _business_wait(entry)


def _account_wait(usage: Mapping[str, Any]) -> timedelta:
    """Facts 3.2."""
    return _duration(usage.get("reset_time_duration"), timedelta(seconds=1))


def _business_wait(entry: Mapping[str, Any]) -> timedelta:
    """Facts 3.3."""
    return _duration(entry.get("estimated_time_to_regain_access"), timedelta(minutes=1))


def _percents(entry: Mapping[str, Any]) -> Iterator[float]:
    for name in _PERCENTS:
        number = _number(entry.get(name))
        if number is not None:
            yield min(number, FULL)


def _entries(headers: httpx.Headers) -> Iterator[Mapping[str, Any]]:
    for name in _PLAIN:
        yield from _plain(headers, name)
    yield from _business(headers)


def _plain(headers: httpx.Headers, name: str) -> Iterator[Mapping[str, Any]]:
    yield from (usage for usage in _contents(headers, name) if isinstance(usage, dict))


def _business(headers: httpx.Headers) -> Iterator[Mapping[str, Any]]:
    """A map of lists, each read to its end (facts 3.3, 3.4)."""
    for usage in _contents(headers, _BUSINESS):
        lists = usage.values() if isinstance(usage, dict) else ()
        for entry in (entry for each in lists if isinstance(each, list) for entry in each):
            if isinstance(entry, dict):
                yield entry


def _contents(headers: httpx.Headers, name: str) -> Iterator[Any]:
    for text in headers.get_list(name):
        try:
            yield json.loads(text)
        except (ValueError, RecursionError):
            continue


def _duration(value: Any, unit: timedelta) -> timedelta:
    number = _number(value)
    return timedelta(0) if number is None else min(WAIT_MAX, unit * min(number, WAIT_MAX / unit))


def _number(value: Any) -> float | None:
    """Above zero, else None: integers, floats and numeric strings have been seen (facts 3.8)."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) and number > 0 else None
