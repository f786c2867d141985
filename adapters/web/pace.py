"""How often one principal may ask: a bucket that fills by time and is emptied by requests."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Final

from .refusals import Refused

PER_SECOND: Final = 20.0
BURST: Final = 200.0
"""A page that shows many documents at once is no attack."""

NAMES_MAX: Final = 10_000
"""Beyond it the buckets are begun anew: full ones, so nobody loses by it."""


class Pace:
    """Of one process. `now` are seconds of a clock that never goes back."""

    def __init__(
        self,
        per_second: float = PER_SECOND,
        burst: float = BURST,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._per_second = per_second
        self._burst = burst
        self._now = now
        self._left: dict[str, tuple[float, float]] = {}

    def spend(self, name: str) -> None:
        """Take one. Raises `Refused` where none is left, saying when there will be."""
        now = self._now()
        left, at = self._left.get(name, (self._burst, now))
        left = min(self._burst, left + (now - at) * self._per_second)
        if left < 1:
            seconds = math.ceil((1 - left) / self._per_second)
            raise Refused(
                "too_many_requests",
                f"more than {self._per_second:g} requests a second",
                next_step=f"go on in {seconds} s",
                headers={"Retry-After": str(seconds)},
            )
        if len(self._left) >= NAMES_MAX:
            self._left.clear()
        self._left[name] = (left - 1, now)
