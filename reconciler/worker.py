"""A worker: takes what may be published while a slot is free, and sweeps, until it is told to stop.

The ledger decides everything; a worker only asks it what is due and acts under a document's own
lease. It dies of nothing that one document or a hiccup of the ledger does: an error is counted,
told, and puts that document aside for a while, so that a poisonous one is no hot loop. While the
ledger cannot be asked, nothing new is taken. A right that its user lacks at the ledger is no
hiccup: nothing new begins, and the worker ends by it.

On the way out (`Outside.stopping`) nothing new begins; creates in flight end and are saved, and
what is left of a document is handed back uncounted. A worker that is cancelled leaves what is not
known to the next look.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from typing import Any, Final

from .access import closed_because
from .aside import Aside
from .attempt import run_attempt
from .due import Due, DueDocument
from .errors import LedgerForbidden, LedgerUnavailable, ReconcilerError
from .model import Document
from .next_step import WORKER_SEEN_WITHIN
from .outside import Outside
from .publish import claim
from .renewal import local_now
from .sweep import Swept, sweep

POLL: Final = timedelta(seconds=1)
"""The mean pause between two questions for work; jitter halves it or adds half."""

BEAT_EVERY: Final = WORKER_SEEN_WITHIN / 4
"""How often a worker says that it is there."""

PAGE: Final = 100
"""Claimable documents asked for at once: more than slots, for some may be put aside."""


class Happening(StrEnum):
    """What a worker tells of itself. *Closed.*"""

    TAKEN = "taken"  # a document was claimed by us
    ENDED = "ended"  # our attempt at it ended
    FAILED = "failed"  # an error at one document; it is put aside
    SWEPT = "swept"
    LEDGER_AWAY = "ledger_away"  # nothing new is taken until it is back
    LEDGER_BACK = "ledger_back"
    STOPPING = "stopping"


@dataclass(frozen=True, slots=True, kw_only=True)
class Happened:
    """One line of a worker's story."""

    what: Happening
    document_id: str | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)


Tell = Callable[[Happened], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Worked:
    """What a worker did in its life: attempts by outcome, sweeps, errors at documents or sweeps."""

    attempts: Mapping[str, int]
    sweeps: int
    errors: int


async def work(outside: Outside, tell: Tell = lambda _: None) -> Worked:
    """Work until `outside.stopping` says so; returns once all that was begun has ended.

    Of what the ledger or a document raises only `LedgerForbidden` ends it, and is raised then.
    """
    worker = _Worker(outside, tell)
    async with asyncio.TaskGroup() as group, worker.counted_on():
        while not outside.stopping() and worker.forbidden is None:
            # 1. Say that we are there, so that people wait for us instead of doing it by hand.
            # 2. Take documents while a slot is free.
            # 3. Sweep, if it is time and the last one of ours has ended.
            await worker.look_for_work(group)
            # 4. Wait until something ends, or a moment.
            await worker.pause()
        # 5. Nothing new begins. Leaving the block signs off, then waits for what was begun.
        tell(Happened(what=Happening.STOPPING, detail={"in_hand": len(worker.in_hand)}))
    if worker.forbidden is not None:
        raise worker.forbidden
    return worker.worked()


class _Worker:
    """What one worker has in hand, has put aside, and has counted."""

    def __init__(self, outside: Outside, tell: Tell) -> None:
        self.in_hand: dict[str, asyncio.Task[None]] = {}
        self.forbidden: LedgerForbidden | None = None  # raised once what was begun has ended
        self._outside = outside
        self._tell = tell
        self._aside = Aside(outside, at_least=POLL)
        self._sweeping: asyncio.Task[None] | None = None
        self._sweep_at = self._beat_at = float("-inf")  # by the boot clock
        self._away = 0  # questions in a row that the ledger did not answer
        self._attempts: Counter[str] = Counter()
        self._sweeps = self._errors = 0

    def worked(self) -> Worked:
        """The counts."""
        return Worked(attempts=dict(self._attempts), sweeps=self._sweeps, errors=self._errors)

    # --- looking for work --------------------------------------------------------------------

    async def look_for_work(self, group: asyncio.TaskGroup) -> None:
        """One round. While the ledger does not answer nothing new is taken."""
        try:
            await self._beat()
            await self._take(group)
        except LedgerForbidden as error:
            self.forbidden = error
            return
        except LedgerUnavailable as error:
            self._away += 1
            if self._away == 1:
                detail = {"error": error.message}
                self._tell(Happened(what=Happening.LEDGER_AWAY, detail=detail))
            return
        if self._away:
            self._away = 0
            self._tell(Happened(what=Happening.LEDGER_BACK))
        self._sweep_if_due(group)

    async def _beat(self) -> None:
        now = self._outside.clock.boot_seconds()
        if now >= self._beat_at:
            await self._outside.ledger.beat(self._outside.owner)
            self._beat_at = now + BEAT_EVERY.total_seconds()

    async def _take(self, group: asyncio.TaskGroup) -> None:
        """Page behind what is in hand or put aside, until no slot is free or nothing is left."""
        slots = self._outside.limits.concurrency
        after: DueDocument | None = None
        while len(self.in_hand) < slots and not self._outside.stopping():
            page = await self._outside.ledger.due(
                Due.CLAIM, limit=PAGE, passing_max=self._outside.limits.passing_max, after=after
            )
            for row in page:
                if len(self.in_hand) < slots and self._may_take(row.document_id):
                    self.in_hand[row.document_id] = group.create_task(self._serve(row))
            if len(page) < PAGE:
                return
            after = page[-1]

    def _may_take(self, document_id: str) -> bool:
        return document_id not in self.in_hand and not self._aside.has(document_id)

    def _sweep_if_due(self, group: asyncio.TaskGroup) -> None:
        is_sweeping = self._sweeping is not None and not self._sweeping.done()
        if not is_sweeping and self._outside.clock.boot_seconds() >= self._sweep_at:
            self._sweeping = group.create_task(self._sweep())

    async def pause(self) -> None:
        """Until a document ends, or for a moment; longer each time the ledger did not answer."""
        fraction = self._outside.chance.fraction()
        moment = POLL * (0.5 + fraction)
        if self._away:
            moment += self._outside.limits.backoff(self._away - 1, fraction)
        sleeping = asyncio.ensure_future(self._outside.clock.sleep(moment))
        try:
            waited_for = {sleeping, *self.in_hand.values()}
            await asyncio.wait(waited_for, return_when=asyncio.FIRST_COMPLETED)
        finally:
            sleeping.cancel()

    # --- one document ------------------------------------------------------------------------

    async def _serve(self, row: DueDocument) -> None:
        """Publish it, one attempt. Whatever fails is told, counted, and stays with this one."""
        try:
            await self._publish(row)
        except LedgerForbidden as error:
            self.forbidden = error
            self._failed(row.document_id, error.message)
        except ReconcilerError as error:
            self._failed(row.document_id, error.message)
        except Exception as error:  # noqa: BLE001 - a bug met at one document stops no other
            self._failed(row.document_id, f"{type(error).__name__}: {error}")
        finally:
            self.in_hand.pop(row.document_id, None)

    async def _publish(self, row: DueDocument) -> None:
        account = await self._outside.ledger.account(row.account_id)
        if await closed_because(account, self._outside) is not None:
            return  # its documents are told again when it is time to ask it again
        local = local_now(self._outside)
        claimed = await claim(row.document_id, row.account_id, self._outside)
        if claimed is None:
            self._aside.put(row.document_id)  # somebody was quicker, or it changed
            return
        attempt = len(claimed.document.attempts)
        taken = {"attempt": attempt}
        self._tell(Happened(what=Happening.TAKEN, document_id=row.document_id, detail=taken))
        view = await run_attempt(claimed, local, self._outside)
        self._ended(view.document, attempt)

    def _ended(self, document: Document, number: int) -> None:
        """An attempt of ours ended: in order, or as somebody who took over left it."""
        self._aside.forget(document.id)
        attempt = document.attempts[number - 1]
        outcome = attempt.outcome.value if attempt.outcome is not None else "lost"
        self._attempts[outcome] += 1
        detail = {
            "state": document.state.value,
            "attempt": number,
            "outcome": outcome,
            "error": attempt.error,
        }
        self._tell(Happened(what=Happening.ENDED, document_id=document.id, detail=detail))

    def _failed(self, document_id: str, error: str) -> None:
        self._errors += 1
        self._aside.put(document_id)
        detail = {"error": error}
        self._tell(Happened(what=Happening.FAILED, document_id=document_id, detail=detail))

    # --- the sweep ---------------------------------------------------------------------------

    async def _sweep(self) -> None:
        try:
            swept = await sweep(self._outside)
        except LedgerUnavailable as error:
            if isinstance(error, LedgerForbidden):
                self.forbidden = error
            swept = Swept(run="", error=error.message)
        self._sweeps += 1
        self._errors += swept.errors
        interval = self._outside.limits.sweep_interval.total_seconds()
        self._sweep_at = self._outside.clock.boot_seconds() + interval
        self._tell(Happened(what=Happening.SWEPT, detail={"swept": swept}))

    @asynccontextmanager
    async def counted_on(self) -> AsyncIterator[None]:
        """At its end, cancelled too, nobody is to wait for us any more."""
        try:
            yield
        finally:
            with suppress(LedgerUnavailable):
                await self._outside.ledger.sign_off(self._outside.owner)
