"""What an account's activity log tells: which app created what, and when (facts, section 6).

A row of it proves which app made an entity. That there is none proves nothing: the log lags and
forgets (facts 6.7, 6.10).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

MARGIN: Final = timedelta(minutes=5)
"""On both sides of what is asked: a row's time need not be the entity's, nor bounds be inclusive
(facts 6.6)."""


@dataclass(frozen=True, slots=True)
class Creation:
    """A row that tells which app created an entity, and when; `at` None: its time is unreadable."""

    external_id: str
    app_id: str
    at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedCreations:
    """All creations of a time, read to the end. `pages` counts what was asked for."""

    creations: tuple[Creation, ...]
    pages: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadLog:
    """The log was not read to its end: nothing of it counts. `is_too_long`: a bound of ours."""

    is_too_long: bool = False
    pages: int = 0
