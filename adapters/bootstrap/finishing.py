"""Work that runs to its end though whoever asked for it goes away."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from datetime import timedelta
from typing import Any, TypeVar

Result = TypeVar("Result")


class Finishing:
    """Keeps what was begun, of one event loop.

    For work that holds a lease: a client that hangs up must not leave it to run out.
    """

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()

    def __len__(self) -> int:
        """How many are under way."""
        return len(self._running)

    async def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Wait for it. A caller that is cancelled goes at once, and the work goes on."""
        return await asyncio.shield(self._begun(work))

    async def wait(self, work: Coroutine[Any, Any, Result], within: timedelta) -> Result | None:
        """The same for so long; None: it goes on."""
        task = self._begun(work)
        await asyncio.wait([task], timeout=within.total_seconds())
        return task.result() if task.done() else None

    def _begun(self, work: Coroutine[Any, Any, Result]) -> asyncio.Task[Result]:
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._ended)
        return task

    async def end(self) -> None:
        """Tell what still runs to stop, and return once it did."""
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()  # told to whoever waits; nobody need wait any more
