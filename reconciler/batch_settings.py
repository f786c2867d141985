"""The settings a plan is made with: carried out under others, it would not be what was planned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .outside import Outside


def settings_of(outside: Outside) -> Mapping[str, Any]:
    """All that a verdict depends on and that a process is told from outside; durations in
    seconds."""
    limits = outside.limits
    return {
        "late_landing_seconds": limits.late_landing.total_seconds(),
        "listing_lag_seconds": limits.listing_lag.total_seconds(),
        "clock_skew_seconds": limits.clock_skew.total_seconds(),
        "max_per_name": limits.max_per_name,
        "legacy_evidence": outside.legacy.evidence.value,
        "app_id": outside.legacy.app_id,
    }
