"""Workers are seen through the ledger, and one of them sweeps; a killed one stops nobody."""

from __future__ import annotations

from datetime import timedelta

from tests.contract.ledger_documents import MINUTE
from tests.contract.ledgers import NOON, OpenLedger, StandingClock


async def test_nobody_was_seen_before_somebody_was(ledger: OpenLedger) -> None:
    assert await ledger.worker_seen_at() is None


async def test_the_last_sight_of_any_worker_counts(
    ledger: OpenLedger, clock: StandingClock
) -> None:
    await ledger.beat("w1")
    later = clock.pass_by(MINUTE)
    await ledger.beat("w2")
    clock.pass_by(MINUTE)

    assert await ledger.worker_seen_at() == later

    await ledger.beat("w1")
    assert await ledger.worker_seen_at() == clock()


async def test_one_that_signed_off_is_not_counted_on(
    ledger: OpenLedger, clock: StandingClock
) -> None:
    await ledger.beat("w1")
    clock.pass_by(MINUTE)
    await ledger.beat("w2")

    await ledger.sign_off("w2")
    await ledger.sign_off("nobody")

    assert await ledger.worker_seen_at() == NOON


async def test_killed_workers_are_forgotten_after_a_day(
    ledger: OpenLedger, clock: StandingClock
) -> None:
    """They sign off nowhere: a row for each start would pile up for ever."""
    await ledger.beat("killed")
    clock.pass_by(timedelta(days=1, microseconds=1))
    await ledger.beat("w2")
    await ledger.sign_off("w2")

    assert await ledger.worker_seen_at() is None


async def test_one_sweeps_at_a_time(ledger: OpenLedger) -> None:
    assert await ledger.sweep_lease("w1", 2 * MINUTE)
    assert not await ledger.sweep_lease("w2", 2 * MINUTE)


async def test_whoever_sweeps_may_go_on(ledger: OpenLedger, clock: StandingClock) -> None:
    assert await ledger.sweep_lease("w1", 2 * MINUTE)
    clock.pass_by(MINUTE)
    assert await ledger.sweep_lease("w1", 2 * MINUTE)
    clock.pass_by(2 * MINUTE - timedelta(microseconds=1))

    assert not await ledger.sweep_lease("w2", MINUTE)


async def test_a_killed_sweeper_stops_nobody(ledger: OpenLedger, clock: StandingClock) -> None:
    """R019: its lease ends by itself, at its end."""
    assert await ledger.sweep_lease("killed", 2 * MINUTE)
    clock.pass_by(2 * MINUTE)

    assert await ledger.sweep_lease("w2", MINUTE)
    assert not await ledger.sweep_lease("killed", MINUTE)


async def test_the_lease_on_sweeping_is_given_back_by_its_owner_alone(ledger: OpenLedger) -> None:
    assert await ledger.sweep_lease("w1", 2 * MINUTE)

    await ledger.end_sweep("w2")
    assert not await ledger.sweep_lease("w2", MINUTE)
    await ledger.end_sweep("w1")
    assert await ledger.sweep_lease("w2", MINUTE)
