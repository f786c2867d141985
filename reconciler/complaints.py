"""Collects everything that is wrong in a plan, so that a person mends it once.

Whoever finds a fault says it and goes on; nothing is raised until all has been looked at. What was
written is shown cut and escaped, for it may hold what no terminal or database takes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from .errors import PlanError

SHOWN_LENGTH_MAX = 60


@dataclass(frozen=True, slots=True)
class Complaints:
    """The faults found so far. Those made `about` an item go into the same list."""

    item: str | None = None
    errors: list[PlanError] = field(default_factory=list)

    def about(self, item: str) -> Complaints:
        """The same list, for faults of one item."""
        return Complaints(item, self.errors)

    def say(self, at: str, problem: str, instead: str) -> None:
        """Add one fault: where, what, and what to write instead."""
        self.errors.append(PlanError(item=self.item, field=at, problem=problem, instead=instead))

    def refuse_others(self, keys: Iterable[object], allowed: tuple[str, ...], prefix: str) -> None:
        """Say which keys are none of the allowed ones: a misspelt key must not be passed over."""
        for key in keys:
            if key not in allowed:
                known = ", ".join(allowed)
                self.say(prefix + plain(key), "is not a known key", f"remove it; known: {known}")


def plain(key: object) -> str:
    """A key as it may stand in a path."""
    if isinstance(key, str) and key.isprintable() and len(key) <= SHOWN_LENGTH_MAX:
        return key
    return shown(key)


def shown(value: object) -> str:
    """What somebody wrote, in few characters that can be printed and stored anywhere."""
    match value:
        case str():
            cut = value if len(value) <= SHOWN_LENGTH_MAX else value[:SHOWN_LENGTH_MAX] + "…"
            return repr(cut)
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return "a number"
        case list():
            return "a list"
        case dict():
            return "an object"
        case _:
            return f"a {type(value).__name__}"
