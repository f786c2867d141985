"""What one create call was answered: closed, and told apart from whether to try again.

The table from status codes and network events to these values is `adapters/graph/outcome.py`.
Whoever cannot tell says `UNKNOWN`; only a proof of refusal may say anything else (A8).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Any

from .copying import quick
from .model import CallError, Kind, Outcome


class Again(StrEnum):
    """When another call may follow. Says nothing about whether this one made something."""

    NOW = "now"  # nothing left us: at once, a few times
    BACKOFF = "backoff"  # the far side has trouble
    THROTTLED = "throttled"  # the account is to be left alone for `wait`
    ACCESS = "access"  # until the token changes or a cheap read succeeds
    NEVER = "never"  # the same input fails again


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class CreateRequest:
    """One create, complete: name with its mark, parent, labels and status stand in `params`."""

    account_id: str
    kind: Kind
    params: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """How a call ended. `wait` is what the API's headers ask for, None where they say nothing."""

    outcome: Outcome
    again: Again = Again.NEVER
    external_id: str | None = None
    error: CallError | None = None
    wait: timedelta | None = None

    def __post_init__(self) -> None:
        if (self.outcome is Outcome.CREATED) != (self.external_id is not None):
            raise AssertionError("an answer bears an id exactly where something was created")

    @property
    def stops_the_wave(self) -> bool:
        """Whether no further create of the document may start after it."""
        return self.outcome in (Outcome.UNKNOWN, Outcome.REFUSED_ACCESS) or self.again in (
            Again.THROTTLED,
            Again.ACCESS,
        )


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """An answer with the item and the call number it belongs to: what becomes a fact."""

    item: str
    call: int
    answer: Answer
