"""Every bound and duration of the core in one frozen value, with the rules that tie them together.

The defaults are those of design section 8; what each serves stands in section 1 (A2, A3, A4, A6).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from .errors import InvalidSettings
from .model import Echo, Timings


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a worker may do and how long it waits. Raises `InvalidSettings` where A2 cannot hold."""

    lease: timedelta = timedelta(seconds=120)
    lease_margin: timedelta = timedelta(seconds=12)
    call_timeout: timedelta = timedelta(seconds=30)
    late_landing: timedelta = timedelta(seconds=120)
    listing_lag: timedelta = timedelta(seconds=60)
    clock_skew: timedelta = timedelta(seconds=5)
    backoff_base: timedelta = timedelta(seconds=5)
    backoff_cap: timedelta = timedelta(seconds=600)
    throttle_max_wait: timedelta = timedelta(seconds=3600)
    max_attempts: int = 5
    max_per_name: int = 10
    concurrency: int = 10
    account_concurrency: int = 10  # documents of one account that one worker has in hand
    wave_size: int = 50
    create_batch: int = 1  # creates that may share one request; 1 sends each alone
    not_sent_max: int = 3  # sends of one item in one attempt that never left (section 4, point 5)
    sweep_interval: timedelta = timedelta(seconds=30)  # the pause between two sweeps of a worker
    passing_max: timedelta = timedelta(days=1)  # after settle_at a passing reason becomes held
    echo: Echo = Echo.LABEL

    def __post_init__(self) -> None:
        for name in (
            "lease",
            "lease_margin",
            "call_timeout",
            "backoff_base",
            "backoff_cap",
            "sweep_interval",
        ):
            if getattr(self, name) <= timedelta(0):
                raise InvalidSettings(f"{name} must be longer than zero")
        for name in ("late_landing", "listing_lag", "clock_skew", "throttle_max_wait"):
            if getattr(self, name) < timedelta(0):
                raise InvalidSettings(f"{name} must not be negative")
        if self.call_timeout + self.lease_margin >= self.lease:
            raise InvalidSettings(
                f"call_timeout ({_seconds(self.call_timeout)}) + lease_margin "
                f"({_seconds(self.lease_margin)}) must be shorter than lease "
                f"({_seconds(self.lease)}): a call must end before its lease does (A2)",
                next_step="lengthen RECONCILER_LEASE_SECONDS or shorten the others",
            )

    @property
    def needed_before_send(self) -> timedelta:
        """What must be left of the lease just before a create goes out."""
        return self.call_timeout + self.lease_margin

    @property
    def renew_every(self) -> timedelta:
        """Twice within the time a renewal may be late, so that one lost renewal is no harm."""
        return (self.lease - self.needed_before_send) / 2

    @property
    def stalled_after(self) -> timedelta:
        """Work without a step for this long is hung and must lose its lease."""
        return 2 * self.call_timeout

    def timings(self) -> Timings:
        """What an attempt keeps of the settings it ran under."""
        return Timings(
            lease=self.lease,
            lease_margin=self.lease_margin,
            call_timeout=self.call_timeout,
            late_landing=self.late_landing,
            listing_lag=self.listing_lag,
            clock_skew=self.clock_skew,
        )

    def backoff(self, step: int, fraction: float) -> timedelta:
        """Full jitter: `fraction` (0 to 1) of min(cap, base x 2^step). Step counts from 0."""
        longest: timedelta = min(self.backoff_cap, self.backoff_base * 2 ** min(step, 30))
        return longest * fraction


def _seconds(value: timedelta) -> str:
    return f"{value.total_seconds():g} s"
