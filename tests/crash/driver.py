"""A real process that publishes one document and kills itself with SIGKILL at a chosen effect.

Run as a program: `driver.py DOCUMENT EFFECT before|after`, with the product's settings in the
environment. The ledger is a real database and the API is a real socket; only the place of death
is made up. Renewals come by the clock and are not counted.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from dataclasses import dataclass, replace

from adapters.bootstrap import open_reconciler
from adapters.settings import load_settings
from fixtures.crash_points import DyingGraph, DyingLedger, Process
from reconciler.publish import publish

EFFECTS = {
    "queued": "ledger.LeaseFree",
    "claimed": "ledger.Claim",
    "intent": "ledger.Fenced",
    "create": "graph.create",
    "answer": "ledger.Fenced",
    "end": "ledger.Fenced",
}
"""The effects of publishing one ad, in their order, and what the ports call them."""


@dataclass(slots=True)
class KilledProcess(Process):
    """Dies as the kernel kills: no handler, no finally, no flush."""

    def begin(self, effect: str) -> bool:
        """Note an effect; a renewal is none."""
        return effect != "ledger.renew" and Process.begin(self, effect)

    def die(self, effect: str) -> None:
        """Gone."""
        os.kill(os.getpid(), signal.SIGKILL)


async def _publish(document_id: str, life: Process) -> None:
    async with open_reconciler(load_settings()) as product:
        outside = product.outside
        dying = replace(
            outside,
            ledger=DyingLedger(outside.ledger, life),
            graph=DyingGraph(outside.graph, life),
        )
        await publish(document_id, dying)


def main(document_id: str, effect: str, when: str) -> None:
    """Publish until killed."""
    number = list(EFFECTS).index(effect)
    life = KilledProcess(dies_at=number, after=when == "after")
    asyncio.run(_publish(document_id, life))
    sys.exit(f"was not killed: {life.effects}")


if __name__ == "__main__":
    main(*sys.argv[1:4])
