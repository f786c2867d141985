"""Documents that a worker leaves alone for a while: what failed there, or was not to be had.

Its own process' memory, nothing durable: another worker may try, and so may this one when it was
started again. What must outlast a process is counted in the ledger.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from .outside import Outside

REMEMBERED_MAX: Final = 10_000
"""Documents remembered; beyond it those whose time is over are forgotten, and begin anew."""


class Aside:
    """Each waits by the common backoff, longer each time in a row, and never less than a poll."""

    def __init__(self, outside: Outside, *, at_least: timedelta) -> None:
        self._outside = outside
        self._at_least = at_least
        self._until: dict[str, tuple[float, int]] = {}  # boot seconds, times in a row

    def has(self, document_id: str) -> bool:
        """Whether it is still to be left alone."""
        until, _ = self._until.get(document_id, (float("-inf"), 0))
        return self._outside.clock.boot_seconds() < until

    def put(self, document_id: str) -> None:
        """Leave it alone from now on."""
        _, times = self._until.get(document_id, (0.0, 0))
        limits, fraction = self._outside.limits, self._outside.chance.fraction()
        pause = max(self._at_least, limits.backoff(times, fraction)).total_seconds()
        self._until[document_id] = (self._outside.clock.boot_seconds() + pause, times + 1)
        if len(self._until) > REMEMBERED_MAX:
            self._until = {one: self._until[one] for one in self._until if self.has(one)}

    def forget(self, document_id: str) -> None:
        """It went well."""
        self._until.pop(document_id, None)
