"""Work of the service's own: it outlives whoever waits for it, and ends with the service."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from adapters.web.errands import Errands

LONG = timedelta(minutes=1)
AT_ONCE = timedelta(0)


async def test_work_goes_on_when_who_waits_for_it_leaves() -> None:
    errands, may_end, ended = Errands(), asyncio.Event(), asyncio.Event()

    async def work() -> None:
        await may_end.wait()
        ended.set()

    waiting = asyncio.ensure_future(errands.run(work()))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    assert len(errands) == 1
    may_end.set()
    await errands.finish(LONG)

    assert ended.is_set()
    assert len(errands) == 0


async def test_what_does_not_end_in_time_is_cancelled_and_waited_for() -> None:
    errands, cleaned = Errands(), asyncio.Event()

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            cleaned.set()

    errands.start(work())
    await asyncio.sleep(0)
    assert not errands.is_stopping()
    await errands.finish(AT_ONCE)

    assert errands.is_stopping()
    assert cleaned.is_set()


async def test_an_error_reaches_who_waits_and_nobody_else(caplog: pytest.LogCaptureFixture) -> None:
    errands = Errands()

    async def work() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await errands.run(work())
    errands.start(work())
    await errands.finish(LONG)

    assert caplog.messages == []
