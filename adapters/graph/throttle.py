"""Reads how long a throttled account is to be left alone, from all usage headers: facts section 3.

Minutes and seconds differ by header (facts 3.2, 3.3); the longest wait of all entries counts. Read
from error replies too, and only from throttles: on an ordinary reply the numbers tell when a window
ends, not that anybody has to wait.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, Final

import httpx

WAIT_MAX: Final = timedelta(days=7)
"""No documented block is longer than a day; a larger number is a broken header, cut to this."""


def wait_asked(headers: httpx.Headers) -> timedelta | None:
    """The longest wait any header asks for; None where none names one longer than zero."""
    waits = [*_account_waits(headers), *_business_waits(headers)]
    longest = max(waits, default=timedelta(0))
    return longest if longest > timedelta(0) else None


def _account_waits(headers: httpx.Headers) -> Iterator[timedelta]:
    """`X-Ad-Account-Usage`, in seconds: facts 3.2."""
    for usage in _contents(headers, "x-ad-account-usage"):
        if isinstance(usage, dict):
            yield _duration(usage.get("reset_time_duration"), timedelta(seconds=1))


def _business_waits(headers: httpx.Headers) -> Iterator[timedelta]:
    """`X-Business-Use-Case-Usage`, in minutes: a map of lists, all read (facts 3.3, 3.4)."""
    for usage in _contents(headers, "x-business-use-case-usage"):
        lists = usage.values() if isinstance(usage, dict) else ()
        for entry in (entry for each in lists if isinstance(each, list) for entry in each):
            if isinstance(entry, dict):
                yield _duration(entry.get("estimated_time_to_regain_access"), timedelta(minutes=1))


def _contents(headers: httpx.Headers, name: str) -> Iterator[Any]:
    for text in headers.get_list(name):
        try:
            yield json.loads(text)
        except (ValueError, RecursionError):
            continue


def _duration(value: Any, unit: timedelta) -> timedelta:
    """Zero for what is no number; integers, floats and numeric strings have been seen (3.8)."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return timedelta(0)
    if not math.isfinite(number) or number <= 0:
        return timedelta(0)
    return min(WAIT_MAX, unit * min(number, WAIT_MAX / unit))
