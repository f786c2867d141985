"""What a program that keeps its own publisher asks for: a guard around the line that creates."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from reconciler.create_once import Send, create_once
from reconciler.open_intent import OpenIntent
from reconciler.outside import Outside

from .secrets import REDACTION

_log = logging.getLogger(__name__)


class OwnSends:
    """The part of `Reconciler` for programs that create with a client of their own."""

    def __init__(self, outside: Outside) -> None:
        self._outside = outside
        self._turns = Turns()

    async def create_once(self, document_id: str, item: str, send: Send) -> str:
        """The external id of this item, created by `send(intent)` only if a create is due.

        `send` makes **one** request, once, within `intent.timeout` seconds, with `intent.params`
        (or at least `intent.labels` and `intent.name`), and returns the id. It raises `Refused`
        where the API refused the input for certain; anything else it raises comes through and
        leaves the item `pending`: the next call, a read or a worker finds out what became of it.

        One create of a document at a time: calls of this process take turns. Raises `NotSettled`
        (`until`, `why`) where it cannot be known yet, `Refused` again for input that was refused,
        `WrongState` for a cancelled document or an item whose reference is not made yet.
        """
        async with self._turns.of(document_id):
            return await create_once(self.intent(document_id, item), send)

    def intent(self, document_id: str, item: str) -> OpenIntent:
        """The same as a block, `async with product.intent(…) as intent`, for who needs one.

        A body cannot be skipped, so entering raises: `AlreadyMade` (`external_id`), `NotSettled`,
        and what `create_once` raises. Inside, `await intent.confirm(external_id)` or
        `await intent.reject(message)`, at the latest after `intent.timeout` seconds. A block that
        ends without either raises `NotSettled`: what it made, if anything, is looked for.
        """
        return OpenIntent(document_id, item, self._outside, tell=_log.warning, shown=REDACTION)


class Turns:
    """One at a time for each document, of those who ask in this process."""

    def __init__(self) -> None:
        self._locks: dict[str, asyncio.Lock] = {}
        self._here: Counter[str] = Counter()

    @asynccontextmanager
    async def of(self, document_id: str) -> AsyncIterator[None]:
        """Wait for the turn, and keep it while the block runs."""
        lock = self._locks.setdefault(document_id, asyncio.Lock())
        self._here[document_id] += 1
        try:
            async with lock:
                yield
        finally:
            self._here[document_id] -= 1
            if not self._here[document_id]:
                del self._here[document_id], self._locks[document_id]
