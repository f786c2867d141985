"""The guard around a program's own create call: `send` is called only if a create is due.

A program keeps its publisher, and wraps the one line that creates. What `send` must keep to: one
request, once, within `intent.timeout` (A2), without a retry of its own (A8), with the labels (A5).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack

from .errors import AlreadyMade
from .open_intent import OpenIntent

Send = Callable[[OpenIntent], Awaitable[str | int]]
"""Makes it and returns its id; raises `Refused` where the API refused the input for certain."""


class OutOfTime(Exception):
    """`send` was told to stop: nobody knows what it made."""


async def create_once(opening: OpenIntent, send: Send) -> str:
    """The item's external id, made now if it has to be; durable on return.

    Raises `NotSettled` where it is not known yet, `Refused`, `WrongState`, `UnknownItem`, and what
    `send` raises: then the item is `pending`, and the next call looks what became of it.
    """
    try:
        return await _made(opening, send)
    except OutOfTime as error:
        raise await opening.not_settled() from error


async def _made(opening: OpenIntent, send: Send) -> str:
    async with AsyncExitStack() as open_:
        # 1. Known already: nothing is sent.
        try:
            intent = await open_.enter_async_context(opening)
        except AlreadyMade as made:
            return made.external_id
        # 2. Durable, and the lease is ours: send it, and save the id the moment it is known.
        external_id = await _within(intent.timeout, send(intent))
        await intent.confirm(external_id)
    # 3. What stands for the item: where the lease was lost, somebody else may have made it.
    return str(intent.external_id)


async def _within(seconds: float, sending: Awaitable[str | int]) -> str | int:
    """An id that comes although it was told to stop is an id all the same."""
    limit = asyncio.timeout(seconds)
    try:
        async with limit:
            return await sending
    except TimeoutError as error:
        if limit.expired():
            raise OutOfTime from error
        raise  # the program's own
