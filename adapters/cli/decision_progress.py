"""How far a file of decisions is, on stderr: what went wrong at once, the rest now and then."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import AsyncIterable, AsyncIterator
from typing import Final

from ..shapes import DecisionLine
from .output import say, visible

LINE_EVERY_SECONDS: Final = 10.0
FINE: Final = frozenset({"recorded", "unchanged"})


async def told_each(lines: AsyncIterable[DecisionLine]) -> AsyncIterator[DecisionLine]:
    """Hand every line on, telling of it; nothing with --quiet."""
    counts: Counter[str] = Counter()
    told_at = time.monotonic()
    async for line in lines:
        counts[line.result] += 1
        if logging.getLogger().isEnabledFor(logging.WARNING):
            if line.result not in FINE or line.message:
                say(f"line {line.line}: {line.result}: {visible(line.message)}")
            if time.monotonic() - told_at >= LINE_EVERY_SECONDS:
                told_at = time.monotonic()
                say(", ".join(f"{count:,} {result}" for result, count in counts.items()))
        yield line
