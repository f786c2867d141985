"""Times as people read them: UTC to the second, and how long ago or ahead that is."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

_UNITS: Final = (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1))


def clock(time: str | None) -> str:
    """`2026-03-10 12:05:12`; the page says once that it is UTC."""
    return "–" if time is None else time[:19].replace("T", " ")


def moment(time: str) -> datetime:
    """Of an ISO time with its zone."""
    return datetime.fromisoformat(time)


def span(length: timedelta) -> str:
    """Its two largest units: `3 min 20 s`; without a sign."""
    left = abs(int(length.total_seconds()))
    if left == 0:
        return "0 s"
    told: list[str] = []
    for name, size in _UNITS:
        count, left = divmod(left, size)
        if count or told:
            told.append(f"{count} {name}" if count else "")
    return " ".join(filter(None, told[:2]))


def relative(time: str | None, now: datetime) -> str:
    """`3 min 20 s ago`, `in 2 h`; empty for none."""
    if time is None:
        return ""
    length = moment(time) - now
    return f"in {span(length)}" if length > timedelta(0) else f"{span(length)} ago"
