"""The lease: time-bounded sole right to act on a document, and what is left of it.

The ledger decides who holds it: claim, settle lease, takeover and renewal are conditional updates
there, and every fenced write repeats owner and epoch. The process decides only one thing, by its
own clocks: whether enough is left to send one more create. It counts from *before* it asked for
the last renewal that was acknowledged, by the clock of the two that shows more elapsed time, so
that neither a slow reply, a suspended machine nor a stepped clock can make a lease look longer.

Fencing stops our own late writes. It cannot stop a request that is on the wire already, because
the API does not check our fence: that is what A2, A3 and the settle time are for.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from .model import Lease


def is_live(lease: Lease | None, now: datetime) -> bool:
    """Whether somebody holds it. At `until` itself it has ended."""
    return lease is not None and lease.until > now


def is_free(lease: Lease | None, now: datetime) -> bool:
    """None, or expired, whatever its purpose: taking it raises the epoch."""
    return not is_live(lease, now)


@dataclass(frozen=True, slots=True)
class LocalLease:
    """A lease as its holder may count on it: both clocks read before the grant was asked for."""

    boot_seconds: float
    wall_seconds: float
    duration: timedelta

    def left(self, boot_seconds: float, wall_seconds: float) -> timedelta:
        """What is left by the clock that shows less. Negative once it ran out."""
        elapsed = max(boot_seconds - self.boot_seconds, wall_seconds - self.wall_seconds)
        return self.duration - timedelta(seconds=elapsed)
