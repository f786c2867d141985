"""Reads the times of a document from elsewhere, and refuses those that contradict each other.

They are the other system's clock, and they bound in which minutes its entities can have been made.
A time without a zone means an unknown moment and is refused, never guessed (field case R054).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Final

from .complaints import Complaints, shown

A_TIME: Final = "write it like 2026-03-10T12:00:00Z, with its zone, or null"
_UNSET_UNTIL: Final = 1971
"""A time that was never set often reads as the first second of 1970."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """When what happened to it, in UTC. None: it did not, or nobody wrote it down.

    `last_seen_at` is the last sign of life of its worker; `worker_gone_at` the time from which the
    worker is known to be gone.
    """

    created_at: datetime
    publish_started_at: datetime | None = None
    publish_finished_at: datetime | None = None
    last_seen_at: datetime | None = None
    worker_gone_at: datetime | None = None

    @property
    def began_at(self) -> datetime:
        """From here on its entities can have been made."""
        return self.publish_started_at or self.created_at

    @property
    def seen_at(self) -> datetime | None:
        """The last that is known of a worker of it."""
        return self.last_seen_at or self.publish_started_at


FIELDS: Final = tuple(field.name for field in fields(Times))

_NOT_BEFORE: Final = (
    ("publish_started_at", "created_at"),
    ("publish_finished_at", "created_at"),
    ("publish_finished_at", "publish_started_at"),
    ("worker_gone_at", "created_at"),
    ("worker_gone_at", "publish_started_at"),
    ("worker_gone_at", "last_seen_at"),
)
"""The first of each pair may not lie before the second."""


def read_times(line: Mapping[str, object], now: datetime, complaints: Complaints) -> Times | None:
    """The times of a line; None, and every complaint, where one of them cannot be used."""
    before = len(complaints.errors)
    read = {name: _read(line.get(name), name, now, complaints) for name in FIELDS}
    created_at = read.pop("created_at")
    if line.get("created_at") is None:
        complaints.say("created_at", "is missing", A_TIME.removesuffix(", or null"))
    if created_at is None or len(complaints.errors) > before:
        return None
    times = Times(created_at=created_at, **read)
    for later, earlier in _NOT_BEFORE:
        _refuse_before(times, later, earlier, complaints)
    return times if len(complaints.errors) == before else None


def _refuse_before(times: Times, later: str, earlier: str, complaints: Complaints) -> None:
    one, other = getattr(times, later), getattr(times, earlier)
    if one is not None and other is not None and one < other:
        complaints.say(later, f"lies before {earlier}", "see which of the two is wrong")


def _read(value: object, name: str, now: datetime, complaints: Complaints) -> datetime | None:
    if value is None:
        return None
    moment = moment_of(value)
    if moment is None:
        complaints.say(name, f"is {_told(value)}", A_TIME)
    elif moment > now:
        complaints.say(name, "lies in the future", "compare the clocks, or import it later")
        return None
    return moment


def moment_of(value: object) -> datetime | None:
    """The moment in UTC; None where the value names none for certain."""
    try:
        time = datetime.fromisoformat(value) if isinstance(value, str) else value
        if not isinstance(time, datetime) or time.utcoffset() is None:
            return None
        moment = time.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return moment if moment.year >= _UNSET_UNTIL else None


def _told(value: object) -> str:
    try:
        time = datetime.fromisoformat(value) if isinstance(value, str) else value
    except ValueError:
        return f"{shown(value)}, no time"
    if isinstance(time, datetime) and time.utcoffset() is None:
        return f"{shown(str(value))}, a time without a zone"
    return f"{shown(value)}, no time that can be meant"
