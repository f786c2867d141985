"""Work that a request began and that does not end with it: a client hanging up harms nothing."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from datetime import timedelta
from typing import Any, TypeVar

Result = TypeVar("Result")

LOG = logging.getLogger(__name__)


class Errands:
    """Tasks of the service's own. They end by themselves, or when the service does."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()
        self._is_stopping = False

    def __len__(self) -> int:
        """How many are under way."""
        return len(self._tasks)

    def is_stopping(self) -> bool:
        """Asked before every create: no further one starts once the service ends."""
        return self._is_stopping

    def start(self, work: Coroutine[Any, Any, Result]) -> asyncio.Task[Result]:
        """Begin it, whoever waits for it or does not."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    async def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Begin it and wait. A caller that is cancelled leaves; the work goes on."""
        return await asyncio.shield(self.start(work))

    def stop(self) -> None:
        """No further create starts; what is under way goes on."""
        self._is_stopping = True

    async def finish(self, grace: timedelta) -> None:
        """Let what is under way end, for this long; then cancel it, which is safe too: an intent is
        on record before every create."""
        self.stop()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=grace.total_seconds())
        left = list(self._tasks)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            LOG.info("an errand failed: %s", error)
