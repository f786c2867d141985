"""Lines from elsewhere in a few words: a sound one, and what it is read as."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from reconciler.imported import Record, Stated
from reconciler.imported_lines import Group, RawLine, Reading

NOW: Final = datetime(2026, 6, 1, tzinfo=UTC)
GONE: Final = datetime(2026, 5, 1, tzinfo=UTC)
STATED: Final = Stated(gone_before=GONE)
CREATED, STARTED, FINISHED = (f"2026-03-10T12:00:0{second}Z" for second in range(3))


def line(**changed: Any) -> dict[str, Any]:
    """A document that began, did not end, and recorded the first of its three ads."""
    plain = {
        "document_id": "old-1",
        "account_id": "act_1001",
        "container": {"kind": "adset", "id": "2001"},
        "kind": "ad",
        "created_at": CREATED,
        "publish_started_at": STARTED,
        "publish_finished_at": None,
        "last_seen_at": None,
        "names": ["A", "A", "B"],
        "recorded": [{"name": "A", "external_id": "9001"}],
    }
    return plain | changed


def without(*keys: str) -> dict[str, Any]:
    """The same line, lacking these keys."""
    return {key: value for key, value in line().items() if key not in keys}


def recorded(**ids: str) -> list[dict[str, str]]:
    """What was recorded, by name."""
    return [{"name": name, "external_id": each} for name, each in ids.items()]


def groups(*values: object) -> list[Group]:
    """The documents of these lines."""
    lines = [RawLine(number=at, text=repr(each), value=each) for at, each in enumerate(values, 1)]
    return list(Reading(NOW).records(lines))


def record(**changed: Any) -> Record:
    """The record of one sound line."""
    (group,) = groups(line(**changed))
    assert group.record is not None, group.refused
    return group.record
