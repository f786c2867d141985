"""`resolve/1`: what came of a file of decisions, line by line, counts first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

SCHEMA: Final = "resolve/1"

RESULTS: Final = (
    "recorded",
    "unchanged",
    "refused",
    "stale",
    "withheld",
    "held_by_another",
    "error",
)
"""What may come of a line. *Closed.*"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionLine:
    """One line. `document_id` and `item` are empty where it could not be understood."""

    line: int
    result: str
    document_id: str = ""
    item: str = ""
    message: str = ""
    next_step: str = ""

    def ended(self, result: str, message: str = "", next_step: str = "") -> DecisionLine:
        """The line with what came of it."""
        return replace(self, result=result, message=message, next_step=next_step)


def decisions_report(lines: Sequence[DecisionLine]) -> dict[str, Any]:
    """The shape."""
    counts = Counter(line.result for line in lines)
    return {
        "schema": SCHEMA,
        "counts": {result: counts[result] for result in RESULTS if counts[result]},
        "lines": [
            {
                "line": line.line,
                "document_id": line.document_id or None,
                "item": line.item or None,
                "result": line.result,
                "message": line.message or None,
                "next": line.next_step or None,
            }
            for line in lines
        ],
    }
