"""Bounds the creates in flight over all documents of a process, first come, first served.

Whoever waits for a slot is not hung: the line moves with every create that ends, and each such end
is a step of everybody in the line. Where the API answers nobody any more, nothing moves, and the
leases are let go (field case R063).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

Step = Callable[[], None]


class Slots:
    """`count` of them; belongs to one event loop."""

    def __init__(self, count: int) -> None:
        self._free = asyncio.Semaphore(count)
        self._line: list[Step] = []

    @asynccontextmanager
    async def one(self, step: Step) -> AsyncIterator[None]:
        """Hold a slot while the block runs. `step` is called while others ahead of us end."""
        await self._wait(step)
        try:
            yield
        finally:
            self._free.release()
            for waiting in self._line:
                waiting()

    async def _wait(self, step: Step) -> None:
        self._line.append(step)
        try:
            await self._free.acquire()
        finally:
            self._line.remove(step)
