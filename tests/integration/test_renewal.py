"""A lease is kept while the work moves, let go when it hangs, and known as lost when it is."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from fixtures.crash_points import DyingLedger, Process
from fixtures.stage import Stage
from reconciler.errors import LedgerUnavailable
from reconciler.outside import Outside
from reconciler.ports import Anyhow, Change, SettleLease, View
from reconciler.renewal import HeldLease, local_now, renewed
from tests.crash.plans import ONE_AD

FIRST_END = timedelta(seconds=120)


@pytest.fixture
def stage() -> Iterator[Stage]:
    made = Stage()
    yield made
    made.close()


async def held_for(
    stage: Stage, outside: Outside, seconds: int, *, stepping: bool
) -> tuple[HeldLease, View]:
    """Take a settle lease and hold it that long; the work steps every ten seconds, or hangs."""
    (document_id,) = stage.documents
    local = local_now(outside)
    guard = SettleLease(owner=outside.owner, duration=outside.limits.lease)
    view = await stage.ledger.change(document_id, guard, lambda v: Change(document=v.document))
    assert view is not None
    assert view.document.lease is not None
    async with renewed(document_id, view.document.lease, local, outside) as held:
        for _ in range(seconds // 10):
            await asyncio.sleep(10)
            if stepping:
                held.step()
        return held, await stage.ledger.read(document_id)


def until(view: View) -> datetime:
    assert view.document.lease is not None
    return view.document.lease.until


def test_work_that_moves_keeps_its_lease_far_beyond_the_first_end(stage: Stage) -> None:
    """R059: long is not stranded."""
    stage.submit(ONE_AD)

    held, view = stage.time.run(held_for(stage, stage.process(), 1200, stepping=True))

    assert until(view) > stage.time.now()
    assert held.left() > stage.limits.needed_before_send


def test_work_that_hangs_loses_its_lease_although_its_timer_is_healthy(stage: Stage) -> None:
    """R063: without a step for twice the call timeout it is renewed no more."""
    stage.submit(ONE_AD)

    held, view = stage.time.run(held_for(stage, stage.process(), 1200, stepping=False))

    latest = stage.time.start + stage.limits.stalled_after + stage.limits.lease
    assert until(view) <= latest
    assert held.left() < timedelta(0)


def test_a_lease_that_somebody_took_is_known_as_lost_at_the_next_renewal(stage: Stage) -> None:
    """The local clocks alone would count on it for up to two minutes more."""
    document_id = stage.submit(ONE_AD)
    outside = stage.process()

    async def story() -> HeldLease:
        holding = asyncio.create_task(held_for(stage, outside, 60, stepping=True))
        await asyncio.sleep(1)
        await stage.ledger.change(
            document_id,
            Anyhow(),
            lambda v: Change(document=replace(v.document, lease=None)),
        )
        return (await holding)[0]

    held = stage.time.run(story())

    assert (held.lost, held.left()) == (True, timedelta(0))


class FailingLedger(DyingLedger):
    """Its renewals fail: neither granted nor refused."""

    async def renew(
        self, document_id: str, owner: str, epoch: int, lease: timedelta
    ) -> datetime | None:
        raise LedgerUnavailable("busy")


def test_a_renewal_that_errs_is_neither_fine_nor_lost(stage: Stage) -> None:
    """R062: the last acknowledged one counts, by the local clocks."""
    stage.submit(ONE_AD)
    outside = replace(stage.process(), ledger=FailingLedger(stage.ledger, Process()))

    held, _ = stage.time.run(held_for(stage, outside, 60, stepping=True))

    assert not held.lost
    assert held.left() == FIRST_END - timedelta(seconds=60)
