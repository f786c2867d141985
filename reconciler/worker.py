"""A worker: takes what may be published while a slot is free, and sweeps, until it is told to stop.

The ledger decides everything; a worker only asks it what is due and acts under a document's own
lease. While the ledger cannot be asked, nothing new is taken. Where its user may not do there what
is needed, nothing new begins, and the worker ends by it.

On the way out (`Outside.stopping`) nothing new begins; creates in flight end and are saved, and
what is left of a document is handed back uncounted. A worker that is cancelled leaves what is not
known to the next look.
"""

from __future__ import annotations

import asyncio
from contextlib import aclosing

from .due import DueDocument
from .errors import LedgerForbidden, LedgerUnavailable
from .outside import Outside
from .serving import PICK_UP_EVERY, Happened, Happening, Serving, Tell, Worked
from .turns import Turns

__all__ = ["Happened", "Happening", "Tell", "Worked", "work"]


async def work(outside: Outside, tell: Tell = lambda _: None) -> Worked:
    """Work until `outside.stopping` says so; returns once all that was begun has ended.

    Of what the ledger or a document raises only `LedgerForbidden` ends it, and is raised then.
    """
    serving = Serving(outside, tell)
    worker = _Worker(outside, serving)
    async with asyncio.TaskGroup() as group, serving.counted_on():
        while not outside.stopping() and serving.forbidden is None:
            # 1. Say that we are there, so that people wait for us instead of doing it by hand.
            # 2. Take documents while a slot is free.
            # 3. Sweep, if it is time and the last one of ours has ended.
            await worker.look_for_work(group)
            # 4. Wait until something ends, or a moment.
            await worker.pause()
        # 5. Nothing new begins. Leaving the block signs off, then waits for what was begun.
        serving.stopping()
    if serving.forbidden is not None:
        raise serving.forbidden
    return serving.worked()


class _Worker:
    """Asks the ledger for work, and starts it."""

    def __init__(self, outside: Outside, serving: Serving) -> None:
        self._outside = outside
        self._serving = serving
        self._turns = Turns(outside)
        self._tasks: set[asyncio.Task[None]] = set()
        self._sweeping: asyncio.Task[None] | None = None
        self._sweep_at = float("-inf")  # by the boot clock
        self._picking_up: asyncio.Task[None] | None = None
        self._pick_up_at = float("-inf")

    async def look_for_work(self, group: asyncio.TaskGroup) -> None:
        """One round. While the ledger does not answer nothing new is taken."""
        try:
            await self._serving.beat()
            await self._take(group)
        except LedgerForbidden as error:
            self._serving.forbidden = error
            return
        except LedgerUnavailable as error:
            self._serving.no_answer(error.message)
            return
        self._serving.answered()
        self._pick_up_if_due(group)
        self._sweep_if_due(group)

    async def _take(self, group: asyncio.TaskGroup) -> None:
        """Accounts in turn, until no slot is free or nothing is left."""
        if not self._has_slot():
            return
        async with aclosing(
            self._turns.next(self._serving.has_room, self._serving.may_take)
        ) as rows:
            async for row in rows:
                self._begin(row, group)
                if not self._has_slot():
                    return

    def _has_slot(self) -> bool:
        is_free = len(self._serving.in_hand) < self._outside.limits.concurrency
        return is_free and not self._outside.stopping()

    def _begin(self, row: DueDocument, group: asyncio.TaskGroup) -> None:
        self._serving.in_hand[row.document_id] = row.account_id  # before its task begins to run
        task = group.create_task(self._serving.serve(row))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _pick_up_if_due(self, group: asyncio.TaskGroup) -> None:
        """Apart from the sweep, which may be long, or in the hands of one who died."""
        is_at_it = self._picking_up is not None and not self._picking_up.done()
        now = self._outside.clock.boot_seconds()
        if not is_at_it and now >= self._pick_up_at:
            self._pick_up_at = now + PICK_UP_EVERY.total_seconds()
            self._picking_up = group.create_task(self._serving.pick_up())

    def _sweep_if_due(self, group: asyncio.TaskGroup) -> None:
        is_sweeping = self._sweeping is not None and not self._sweeping.done()
        if not is_sweeping and self._outside.clock.boot_seconds() >= self._sweep_at:
            self._sweeping = group.create_task(self._sweep())

    async def _sweep(self) -> None:
        await self._serving.sweep()
        interval = self._outside.limits.sweep_interval.total_seconds()
        self._sweep_at = self._outside.clock.boot_seconds() + interval

    async def pause(self) -> None:
        """Until a document ends, or for a moment; longer each time the ledger did not answer."""
        sleeping = asyncio.ensure_future(self._outside.clock.sleep(self._serving.pause()))
        try:
            await asyncio.wait({sleeping, *self._tasks}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            sleeping.cancel()
