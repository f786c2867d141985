"""Whose lease the line of creates keeps: those who wait in it, and nobody else's."""

from __future__ import annotations

import asyncio

from reconciler.slots import Slots


async def test_whoever_waits_is_told_of_each_create_that_ends_ahead_of_it() -> None:
    slots, steps = Slots(1), [0]

    def step() -> None:
        steps[0] += 1

    async with slots.one(step):
        waiting = asyncio.create_task(slots.one(step).__aenter__())
        await asyncio.sleep(0)
    await waiting

    assert steps == [1]


async def test_whoever_has_its_slot_is_told_of_nothing_for_it_may_hang() -> None:
    """A hung create must lose its lease, however well the others go on."""
    slots, steps = Slots(2), [0]

    def step() -> None:
        steps[0] += 1

    async with slots.one(step), slots.one(lambda: None):
        pass

    assert steps == [0]


async def test_whoever_is_cancelled_in_the_line_leaves_it() -> None:
    slots, steps = Slots(1), [0]

    def step() -> None:
        steps[0] += 1

    async with slots.one(lambda: None):
        waiting = asyncio.create_task(slots.one(step).__aenter__())
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait({waiting})

    assert (steps, waiting.cancelled()) == ([0], True)
