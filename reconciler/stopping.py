"""Drops work that only reads once the process is told to stop: nothing is lost by it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Final, TypeVar

Result = TypeVar("Result")

ASKED_EVERY_SECONDS: Final = 0.5
"""How long a reply that hangs keeps us after we were told."""


async def unless_stopped(
    reading: Coroutine[Any, Any, Result], stopping: Callable[[], bool]
) -> Result | None:
    """What it read; None where we were told to stop before it ended. Bounded by what it reads."""
    task = asyncio.ensure_future(reading)
    try:
        while not task.done():
            if stopping():
                return None
            await asyncio.wait({task}, timeout=ASKED_EVERY_SECONDS)
        return task.result()
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
