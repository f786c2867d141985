"""One pass over what is due though nobody asks: crashes, looks, cancels, rows nothing would take.

It never creates: creating needs the claim, and here none is made. One sweeper works at a time, by
a lease that ends by itself; what each row becomes is decided under the row's own lease, so that a
sweeper that lost the other one does no harm and merely stops. A row that fails is counted and left
for the next pass; the others go on (field case R068).
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any, Final

from . import access
from .due import Due, DueDocument
from .errors import LedgerForbidden, LedgerUnavailable
from .lease import LocalLease
from .outside import Outside
from .renewal import local_now
from .visit import Count, Visit, visit

PAGE: Final = 100
"""Rows asked for at once."""

VISITS_MAX: Final = 10_000
"""Rows in one pass; the next one goes on with what is still due."""

KINDS: Final = (Due.TAKEOVER, Due.CANCEL, Due.STRANDED, Due.LOOK, Due.OWED_LOOK)
"""In this order: first what only the ledger is needed for, or most people wait for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Swept:
    """How a pass ended. `held_by_another`: another sweeper is at it, and nothing was done here.

    `error`: the ledger could not say what is due; what was visited before that stands.
    """

    run: str
    visits: tuple[Visit, ...] = ()
    held_by_another: bool = False
    error: str | None = None

    @property
    def counts(self) -> Counter[Count]:
        """Over all visits."""
        return sum((visit.counts for visit in self.visits), Counter())

    @property
    def errors(self) -> int:
        """Documents that failed, and the ledger if it did."""
        return self.counts[Count.ERROR] + (self.error is not None)


async def sweep(outside: Outside) -> Swept:
    """Visit everything that is due, once. Stops early on the way out, or where its lease is lost.

    Whatever was decided is durable on return. Raises `LedgerUnavailable` where not even the lease
    on sweeping could be asked for, and `LedgerForbidden` at any time: the next pass would fail too.
    """
    run = outside.chance.document_id()  # sorts by time, like a document's
    # 1. One sweeper at a time, for the others would only look at the same rows.
    lease = _SweepLease(outside)
    if not await lease.take():
        return Swept(run=run, held_by_another=True)
    # 2. Accounts that wait for another token, and have it.
    # 3. Row by row, a bounded number at once.
    visits: list[Visit] = []
    error = None
    try:
        await access.open_with_new_tokens(outside)
        await _visit_all(lease, visits, outside)
    except LedgerForbidden:
        raise
    except LedgerUnavailable as unavailable:
        error = unavailable.message
    finally:
        # 4. Give the lease back, cancelled too: the next sweep would wait out all of it.
        await lease.give_back()
    return Swept(run=run, visits=tuple(visits), error=error)


async def pick_up(outside: Outside) -> Swept:
    """Visit what crashed, some of it if it is much, without waiting for a sweep.

    Whoever asks may: a sweeper that was killed keeps the lease on sweeping for a while, and a
    takeover is one conditional update, so that two who come at once do no harm. Raises
    `LedgerUnavailable`.
    """
    visits: list[Visit] = []
    at_once = asyncio.Semaphore(outside.limits.concurrency)

    async def come_to(row: DueDocument) -> None:
        async with at_once:
            if not outside.stopping():
                visits.append(await visit(row.document_id, Due.TAKEOVER, outside))

    passing_max = outside.limits.passing_max
    page = await outside.ledger.due(Due.TAKEOVER, limit=PAGE, passing_max=passing_max)
    await _visit_page(page, come_to)
    return Swept(run=outside.chance.document_id(), visits=tuple(visits))


async def _visit_all(lease: _SweepLease, visits: list[Visit], outside: Outside) -> None:
    at_once = asyncio.Semaphore(outside.limits.concurrency)

    async def come_to(kind: Due, row: DueDocument) -> None:
        async with at_once:
            if not outside.stopping() and await lease.is_ours():
                visits.append(await visit(row.document_id, kind, outside))

    async with aclosing(_pages(outside)) as pages:
        async for kind, page in pages:
            await _visit_page(page, partial(come_to, kind))
            if outside.stopping() or not await lease.is_ours():
                return


async def _visit_page(
    page: Sequence[DueDocument], come_to: Callable[[DueDocument], Coroutine[Any, Any, None]]
) -> None:
    suspects = sorted((row for row in page if row.recoveries), key=_recoveries)
    async with asyncio.TaskGroup() as group:
        for row in page:
            if row not in suspects:
                group.create_task(come_to(row))
    # One by one: what kills its settler takes along, and gets counted, whoever is beside.
    for row in suspects:
        await come_to(row)


def _recoveries(row: DueDocument) -> int:
    return row.recoveries


async def _pages(outside: Outside) -> AsyncGenerator[tuple[Due, list[DueDocument]], None]:
    """What is due, each document once, until the bound of one pass."""
    seen: set[str] = set()
    for kind in KINDS:
        after: DueDocument | None = None
        while len(seen) < VISITS_MAX:
            page = await outside.ledger.due(
                kind, limit=PAGE, passing_max=outside.limits.passing_max, after=after
            )
            if fresh := [row for row in page if row.document_id not in seen]:
                seen.update(row.document_id for row in fresh)
                yield kind, fresh
            if len(page) < PAGE:
                break
            after = page[-1]


class _SweepLease:
    """The lease on sweeping as its holder counts on it: prolonged when a third of it is over."""

    def __init__(self, outside: Outside) -> None:
        self._outside = outside
        self._local: LocalLease | None = None
        self._asking = asyncio.Lock()

    async def take(self) -> bool:
        """Take or prolong it, counting from before the asking. Raises `LedgerUnavailable`."""
        issued = local_now(self._outside)
        ours = await self._outside.ledger.sweep_lease(
            self._outside.owner, self._outside.limits.lease
        )
        self._local = issued if ours else None
        return ours

    async def is_ours(self) -> bool:
        """Whether to go on. A prolonging that errs is neither yes nor no: the last yes counts."""
        async with self._asking:
            if self._left() > self._outside.limits.lease * 2 / 3:
                return True
            try:
                return await self.take()
            except LedgerUnavailable:
                return self._left() > timedelta(0)

    def _left(self) -> timedelta:
        if self._local is None:
            return timedelta(0)
        clock = self._outside.clock
        return self._local.left(clock.boot_seconds(), clock.wall_seconds())

    async def give_back(self) -> None:
        """Nobody waits for the end of it. Where this fails it ends by itself."""
        with suppress(LedgerUnavailable):
            await self._outside.ledger.end_sweep(self._outside.owner)
