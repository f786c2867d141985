"""A pass of the sweep on a stage, and the crashed documents that most stories of it begin with."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Final

from fixtures.crash_points import Process
from fixtures.stage import Stage
from reconciler import publish
from reconciler.outside import Outside
from reconciler.sweep import Swept, sweep
from tests.crash.plans import ads

SECOND: Final = timedelta(seconds=1)
MINUTE: Final = timedelta(minutes=1)


def swept(stage: Stage, outside: Outside | None = None) -> Swept:
    """One pass; it never sends a create."""
    before = len(stage.graph.creates)
    done = stage.time.run(sweep(outside or stage.process()))
    assert len(stage.graph.creates) == before, "a sweep created something"
    return done


def counted(done: Swept) -> dict[str, int]:
    return {count.value: number for count, number in done.counts.items() if number}


def crashed(stage: Stage, count: int) -> list[str]:
    """Documents of one ad each, whose workers died at the create; their leases have ended."""
    stage.sky.cut_lands_after = SECOND
    ids = [stage.submit(ads(f"D{number} / 1")) for number in range(count)]
    for number, each in enumerate(ids):
        life = Process()
        outside = stage.worker(life).outside

        async def dies(document_id: str = each, outside: Outside = outside) -> None:
            task = asyncio.create_task(publish.publish(document_id, outside))
            await asyncio.sleep(0.02)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

        stage.time.run(dies())
        assert len(stage.graph.creates) == number + 1
    stage.time.pass_(stage.limits.lease)
    return ids
