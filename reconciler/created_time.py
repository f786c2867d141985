"""Reads the API's creation times, and refuses to guess (field cases R054 and R056)."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final

# Facts 5.10: "2016-12-06T02:57:19-0800", the offset without a colon.
_FORM: Final = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.[0-9]+)?"
    r"(Z|[+-][0-9]{2}:?[0-9]{2})"
)
# Facts 5.11: a time that is not set may read as the last seconds of 1969 in some zone.
_UNSET_UNTIL: Final = 1971


def parse_created_time(text: str | None) -> datetime | None:
    """The moment in UTC, in whole seconds. None: missing, unset, unreadable, or without a zone."""
    found = _FORM.fullmatch(text or "")
    if found is None:
        return None
    try:
        moment = datetime.fromisoformat(found[1] + found[2]).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return moment if moment.year >= _UNSET_UNTIL else None
