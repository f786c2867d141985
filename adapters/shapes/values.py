"""How single values are printed: times, account ids."""

from __future__ import annotations

from datetime import UTC, datetime


def shown_time(at: datetime | None) -> str | None:
    """ISO 8601 in UTC with a Z. None stays None."""
    return None if at is None else at.astimezone(UTC).isoformat().removesuffix("+00:00") + "Z"


def account(account_id: str) -> str:
    """With its `act_`, whether it was stored with or without."""
    return f"act_{account_id.removeprefix('act_')}"
