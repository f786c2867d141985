"""A document whose worker died is taken over soon after its lease, whoever else died."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from adapters.engine.port import Engine
from adapters.engine.procrastinate_engine import Procrastinate
from reconciler import events
from reconciler.publish import claim
from reconciler.sweep import sweep
from tests.integration.engine.engine_stage import IN_PROCESS, PUBLISHED, EngineStage

HOUR = timedelta(hours=1)
PICKED_UP_WITHIN = 5_000_000
"""Microseconds from the end of the dead one's lease."""


async def crashed(stage: EngineStage, *names: str) -> list[str]:
    """Documents whose worker died, each with a lease that still lasts."""
    ids = [await stage.queued(name) for name in names]
    for document_id in ids:
        assert await claim(document_id, "act_1001", stage.outside())
    return ids


async def taken_over(stage: EngineStage) -> int:
    """How often somebody took over."""
    kind = events.TAKEN_OVER
    return len(await stage.asked("SELECT 1 FROM journal WHERE kind = :kind", kind=kind))


@pytest.mark.parametrize("driven_by", ["in-process", "procrastinate"])
async def test_no_dead_sweeper_and_no_long_pause_delays_a_takeover(
    stage: EngineStage, driven_by: str
) -> None:
    """The sweeper died with an hour of its lease left, and sweeps are an hour apart."""
    seconds = timedelta(seconds=1)
    stage.limits = replace(
        stage.limits, lease=3 * seconds, call_timeout=seconds, sweep_interval=HOUR
    )
    assert await stage.ledger.sweep_lease("the dead sweeper", HOUR)
    await crashed(stage, "1", "2", "3")
    engine: Engine = IN_PROCESS if driven_by == "in-process" else Procrastinate(stage.url)
    stage.running(engine)
    stage.running(engine)

    await stage.until_all_are(PUBLISHED)

    assert stage.made() == ["1", "2", "3"]
    assert await taken_over(stage) == 3
    waited = "SELECT finished_at - lease_until AS waited FROM attempt WHERE outcome = 'orphaned'"
    for row in await stage.asked(waited):
        assert 0 <= row["waited"] <= PICKED_UP_WITHIN


async def test_two_sweeps_at_once_take_each_document_over_once(stage: EngineStage) -> None:
    """On a real server, where both run at the same time: one steps aside, or comes too late."""
    ids = await crashed(stage, *"123456")
    await stage.asked("UPDATE document SET lease_until = 1")
    await stage.asked("UPDATE attempt SET lease_until = 1")

    swept = await asyncio.gather(sweep(stage.outside()), sweep(stage.outside()))

    assert any(not one.held_by_another for one in swept)
    assert all(one.visits == () for one in swept if one.held_by_another)
    assert sorted(visit.document_id for one in swept for visit in one.visits) == sorted(ids)
    assert await taken_over(stage) == 6
