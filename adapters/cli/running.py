"""Runs one command's coroutine and turns signals into an orderly end.

The first SIGINT or SIGTERM asks: no further create starts, what is in flight is awaited and saved.
Where the work does not end within the grace, it is cancelled; that too is safe, for an intent is
on record before every create. A second signal stops the process at once.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

Result = TypeVar("Result")

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


class Stop:
    """Whether, and by which signal, the command was asked to stop."""

    def __init__(self) -> None:
        self.signal: signal.Signals | None = None
        self._asked = asyncio.Event()

    def __call__(self) -> bool:
        """Asked before every create."""
        return self.signal is not None

    def ask(self, by: signal.Signals) -> None:
        """Record the signal and wake whoever pauses."""
        self.signal = by
        self._asked.set()

    async def wait(self) -> None:
        """Until the command is asked to stop."""
        await self._asked.wait()

    async def pause(self, seconds: float) -> None:
        """Let this time pass, less if the command is asked to stop meanwhile."""
        try:
            async with asyncio.timeout(seconds):
                await self._asked.wait()
        except TimeoutError:
            return


class Interrupted(Exception):
    """The work ended because a signal asked for it."""

    def __init__(self, by: signal.Signals) -> None:
        super().__init__(by.name)
        self.exit_code = 128 + by


def run(work: Callable[[Stop], Awaitable[Result]], *, grace_seconds: float) -> Result:
    """Run to the end. Raises `Interrupted` where a signal ended it before it had a result."""
    return asyncio.run(_supervised(work, grace_seconds))


async def _supervised(work: Callable[[Stop], Awaitable[Result]], grace_seconds: float) -> Result:
    stop = Stop()
    task = asyncio.ensure_future(work(stop))
    _listen(stop, task, grace_seconds)
    try:
        return await task
    except asyncio.CancelledError:
        if stop.signal is None:
            raise
        raise Interrupted(stop.signal) from None


def _listen(stop: Stop, task: asyncio.Future[Result], grace_seconds: float) -> None:
    loop = asyncio.get_running_loop()

    def caught(by: signal.Signals) -> None:
        if stop.signal is not None:
            _leave(by)
        stop.ask(by)
        _say("stopping: what is in flight is finished and saved; once more stops at once\n")
        loop.call_later(grace_seconds, task.cancel)

    for by in SIGNALS:
        loop.add_signal_handler(by, caught, by)


def _leave(by: signal.Signals) -> None:
    """Without any clean-up: what the clean-up would save is found by the next look."""
    _say("stopped at once: what was sent is on record and will be looked up\n")
    os._exit(128 + by)


def _say(text: str) -> None:
    os.write(sys.stderr.fileno(), text.encode())
