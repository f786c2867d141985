"""How far a file of decisions is, on stderr: counts now and then; each line is told at the end."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import AsyncIterable, AsyncIterator
from typing import Final

from ..shapes import DecisionLine
from .output import say

LINE_EVERY_SECONDS: Final = 10.0


async def told_each(lines: AsyncIterable[DecisionLine]) -> AsyncIterator[DecisionLine]:
    """Hand every line on, telling how many there were; nothing with --quiet."""
    counts: Counter[str] = Counter()
    told_at = time.monotonic()
    async for line in lines:
        counts[line.result] += 1
        is_told = logging.getLogger().isEnabledFor(logging.WARNING)
        if is_told and time.monotonic() - told_at >= LINE_EVERY_SECONDS:
            told_at = time.monotonic()
            say(", ".join(f"{count:,} {result}" for result, count in counts.items()))
        yield line
