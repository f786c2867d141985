"""Keeps a lease while the work moves, and lets it go when the work hangs.

The timer proves nothing about the work (field case R063), so every renewal asks first when the
last step was made: a call or page ended, a commit done. A renewal that errors is neither fine nor
lost; the last acknowledged one counts, by the local clocks.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

from .errors import LedgerUnavailable
from .lease import LocalLease
from .model import Lease
from .outside import Outside


class HeldLease:
    """A lease as the process that took it counts on it."""

    def __init__(self, document_id: str, lease: Lease, local: LocalLease, outside: Outside) -> None:
        self.document_id = document_id
        self.owner = lease.owner
        self.epoch = lease.epoch
        self.lost = False
        self._local = local
        self._outside = outside
        self._last_step = outside.clock.boot_seconds()

    def left(self) -> timedelta:
        """What is left by the clock that shows less; zero once the lease is known to be lost."""
        if self.lost:
            return timedelta(0)
        clock = self._outside.clock
        return self._local.left(clock.boot_seconds(), clock.wall_seconds())

    def step(self) -> None:
        """The work moved."""
        self._last_step = self._outside.clock.boot_seconds()

    def is_stalled(self) -> bool:
        """Whether the work made no step for twice the call timeout."""
        idle = timedelta(seconds=self._outside.clock.boot_seconds() - self._last_step)
        return idle >= self._outside.limits.stalled_after

    async def renew(self) -> None:
        """Ask once; count from before the asking."""
        issued = local_now(self._outside)
        try:
            until = await self._outside.ledger.renew(
                self.document_id, self.owner, self.epoch, self._outside.limits.lease
            )
        except LedgerUnavailable:
            return
        if until is None:
            self.lost = True
        else:
            self._local = issued


def local_now(outside: Outside) -> LocalLease:
    """Both clocks, read before a grant is asked for."""
    return LocalLease(
        outside.clock.boot_seconds(), outside.clock.wall_seconds(), outside.limits.lease
    )


@asynccontextmanager
async def renewed(
    document_id: str, lease: Lease, local: LocalLease, outside: Outside
) -> AsyncIterator[HeldLease]:
    """Renew the lease in the background while the block runs."""
    held = HeldLease(document_id, lease, local, outside)
    task = asyncio.create_task(_keep(held, outside))
    try:
        yield held
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _keep(held: HeldLease, outside: Outside) -> None:
    """Ends by itself once the lease is lost, has run out or the work hangs."""
    while not held.lost and held.left() > timedelta(0):
        await outside.clock.sleep(outside.limits.renew_every)
        if held.is_stalled():
            return
        await held.renew()
