"""The model of many accounts: what it must get right to be worth a plan."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import pytest

from fixtures.scale.model import YEAR_SECONDS, Inputs, simulated
from fixtures.scale.quota import Quota, Tier, quota_of

FREE: Final = Quota(per_second=1_000, at_once=1_000_000)
SMALL: Final = Inputs(
    accounts=20,
    documents_a_year=0.5 * YEAR_SECONDS,
    creates_each=4,
    hours=1,
    skew=1.0,
    peak=1.0,
    quota=FREE,
    latency_seconds=1.0,
    lanes=10,
    concurrency=10,
    seed=1,
)
"""A document in two seconds of the mean, which takes two: one worker is plenty."""


def waits(inputs: Inputs, workers: int = 1) -> list[float]:
    """Of all documents, in seconds, the longest last."""
    return sorted(wait.all for wait in simulated(inputs, workers))


def test_with_quota_and_workers_enough_nobody_waits() -> None:
    assert waits(SMALL)[-1] < 0.001  # what sums of seconds differ by


def test_about_as_many_documents_come_as_a_year_has() -> None:
    assert len(waits(SMALL)) == pytest.approx(0.5 * 3_600, rel=0.1)


def test_the_same_seed_gives_the_same_waits() -> None:
    assert waits(SMALL) == waits(SMALL)
    assert len(waits(SMALL)) != len(waits(replace(SMALL, seed=2)))


def test_more_than_the_quota_waits_for_it_and_no_worker_helps() -> None:
    """Its largest account has a quarter of all: 0.56 creates a second, of which 0.1 are allowed."""
    scarce = replace(SMALL, quota=Quota(per_second=0.1, at_once=10))

    assert waits(scarce)[-1] > 3_600
    assert waits(scarce) == pytest.approx(waits(scarce, workers=50))


def test_a_burst_within_what_is_allowed_at_once_waits_for_nothing() -> None:
    rested = replace(SMALL, quota=Quota(per_second=0.1, at_once=100_000))

    assert waits(rested)[-1] < 0.001


def test_too_few_workers_are_waited_for_by_all_accounts() -> None:
    busy = replace(
        SMALL, skew=0, documents_a_year=10 * YEAR_SECONDS
    )  # ten slots serve five a second

    kept = simulated(busy, workers=1)

    assert max(wait.for_worker for wait in kept) > 20
    assert max(wait.for_worker for wait in simulated(busy, workers=4)) < 1


def test_one_account_has_no_more_than_its_lanes_in_hand() -> None:
    """One account, one lane: a document after the other, two seconds each."""
    alone = replace(SMALL, accounts=1, lanes=1, hours=0.1, documents_a_year=2 * YEAR_SECONDS)

    assert waits(alone)[-1] > 60


@pytest.mark.parametrize(
    ("tier", "active_ads", "per_second", "at_once"),
    [
        ("limited", 0, 20 / 300, 20),  # by the score (facts 3.10), below 300 calls an hour
        ("full", 0, 10, 3_000),
        ("full", 1_000_000, 10, 3_000),
    ],
)
def test_the_narrowest_bound_counts(
    tier: Tier, active_ads: int, per_second: float, at_once: float
) -> None:
    quota = quota_of(tier, active_ads)

    assert (quota.per_second, quota.at_once) == pytest.approx((per_second, at_once))
