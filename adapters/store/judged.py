"""What the latest look may have said of an item: the words that a list is narrowed by."""

from __future__ import annotations

from enum import StrEnum


class Judged(StrEnum):
    """As the column `verdict.verdict` has them (`reconciler.verdict.word`)."""

    FOUND = "found"
    ABSENT = "absent"
    INCONCLUSIVE = "inconclusive"
