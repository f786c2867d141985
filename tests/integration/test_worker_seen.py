"""A worker that ends is counted on no more, however it ends short of a kill."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import timedelta

import pytest

from fixtures.stage import Stage
from reconciler.worker import work
from tests.integration.crashed import crashed_after_create

MINUTE = timedelta(minutes=1)


@pytest.fixture
def stage() -> Iterator[Stage]:
    made = Stage()
    yield made
    made.close()


def test_a_worker_that_stops_is_not_counted_on_while_a_look_of_it_hangs(stage: Stage) -> None:
    """It takes nothing more; what it still waits for may outlast the grace of its process."""
    crashed_after_create(stage)
    stage.sky.latency = 10 * MINUTE
    ends_at = stage.time.now() + MINUTE
    outside = stage.worker(stopping=lambda: stage.time.now() >= ends_at).outside
    seen: list[bool] = []

    async def story() -> None:
        working = asyncio.create_task(work(outside))
        for seconds in (50, 50):
            await asyncio.sleep(seconds)
            seen.append(await stage.ledger.worker_seen_at() is not None)
        assert not working.done()
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)

    stage.time.run(story())

    assert seen == [True, False]


def test_a_worker_that_is_cancelled_is_seen_no_more(stage: Stage) -> None:
    async def story() -> None:
        working = asyncio.create_task(work(stage.process()))
        await asyncio.sleep(10)
        assert await stage.ledger.worker_seen_at() is not None
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)

    stage.time.run(story())

    assert stage.time.run(stage.ledger.worker_seen_at()) is None
