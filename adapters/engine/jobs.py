"""The jobs of the engine: publish one document, hand out more, take over, sweep, tidy up.

Each may be lost, late, or run many times at once. What a job finds to do it asks the ledger, and
what it does it does under the ledger's leases.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from datetime import timedelta
from typing import Any, Final

from procrastinate import App
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Status

from reconciler.due import DueDocument
from reconciler.errors import LedgerForbidden, LedgerUnavailable, ReconcilerError
from reconciler.model import DocumentState
from reconciler.outside import Outside
from reconciler.ports import View
from reconciler.serving import PICK_UP_EVERY, Serving
from reconciler.signature import is_unsettled

from .feed import Feed

DOCUMENTS: Final = "documents"
"""The queue of the jobs that publish. `enqueue.sql` names it too, and the task `advance`."""

UPKEEP: Final = "upkeep"
"""A queue of its own, so that no number of long documents keeps a sweep waiting."""

TASKS: Final = ("advance", "pick_up", "sweep", "feed", "tidy")
"""Their names; a job of another name is none of ours."""

FEED_EVERY: Final = timedelta(seconds=2)
"""How long a document waits that fell due by time alone, or that nobody told the engine of."""


Periodic = Callable[[int], Awaitable[None]]
"""Is given the second since 1970 for which it was planned."""


class Jobs:
    """What the jobs do, for one worker."""

    def __init__(self, app: App, outside: Outside, serving: Serving, stalled: timedelta) -> None:
        """`stalled`: a worker of the engine not heard of for so long has died."""
        self._app = app
        self._outside = outside
        self._serving = serving
        self._stalled = stalled
        self._feed = Feed(app.connector, outside, serving)
        self._running: set[asyncio.Task[None]] = set()
        app.task(name="advance", queue=DOCUMENTS)(self.advance)
        self._periodic("pick_up", self.pick_up, PICK_UP_EVERY)
        self._periodic("sweep", self.sweep, outside.limits.sweep_interval)
        self._periodic("feed", self.feed, FEED_EVERY)
        self._periodic("tidy", self.tidy, stalled)

    def _periodic(self, name: str, do: Periodic, every: timedelta) -> None:
        """One of it waits at most, whoever is late."""
        task = self._app.task(name=name, queue=UPKEEP, queueing_lock=name)(do)
        self._app.periodic(cron=cron_of(every))(task)

    async def advance(self, document_id: str) -> None:
        """Publish it, one attempt, if that is due now; then say which of its account come next.

        Idempotent: a document that is done, in somebody's hands, or unknown is let be.
        """
        view = await self._read(document_id)
        if view is None or self._outside.stopping():
            return
        row = DueDocument(
            document_id=document_id,
            account_id=view.document.account_id,
            at=view.document.due_at,
        )
        if _is_due(view) and self._serving.may_take(row):
            await self._alone(self._serving.serve(row))
        with suppress(LedgerUnavailable, ConnectorException):  # `feed` says it all again
            await self._feed.account(row.account_id)

    async def _read(self, document_id: str) -> View | None:
        try:
            return await self._outside.ledger.read(document_id)
        except LedgerForbidden as error:
            self._serving.forbidden = error
        except ReconcilerError:
            pass  # nothing is lost: its row still says that it is due
        return None

    async def _alone(self, work: Coroutine[Any, Any, None]) -> None:
        """In a task of its own, which can be cancelled and leaves the engine's to end in order."""
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        await asyncio.wait({task})

    @property
    def has_begun(self) -> bool:
        """Whether something is in hand."""
        return bool(self._running)

    def cancel(self) -> None:
        """Leave what is not known to the next look."""
        for task in self._running:
            task.cancel()

    async def feed(self, timestamp: int) -> None:
        """Say of each account what is due, whoever forgot it."""
        with suppress(LedgerUnavailable, ConnectorException):
            await self._feed.everybody()

    async def pick_up(self, timestamp: int) -> None:
        """Take over what crashed: soon, whatever becomes of the sweep."""
        await self._alone(self._serving.pick_up())

    async def sweep(self, timestamp: int) -> None:
        """Look at what is due; one worker at a time does, the others step aside."""
        await self._alone(self._serving.sweep())

    async def tidy(self, timestamp: int) -> None:
        """Take away the jobs of workers that died: each would keep the lane that it is in."""
        with suppress(ConnectorException):
            stalled = self._stalled.total_seconds()
            manager = self._app.job_manager
            for job in await manager.get_stalled_jobs(seconds_since_heartbeat=stalled):
                assert job.id is not None
                await manager.finish_job_by_id_async(job.id, Status.FAILED, delete_job=True)
            await manager.prune_stalled_workers(stalled)


def _is_due(view: View) -> bool:
    """What can be seen without the claim, which decides."""
    document = view.document
    is_time = document.due_at is not None and document.due_at <= view.now
    is_queued = document.state is DocumentState.QUEUED
    return is_queued and is_time and not is_unsettled(document, view.now)


def cron_of(every: timedelta) -> str:
    """As often as that, or oftener where the clock's face has no such part; the last is seconds."""
    seconds = max(1, int(every.total_seconds()))
    if seconds < 60:
        return f"* * * * * */{seconds}"
    minutes = seconds // 60
    return f"*/{minutes} * * * *" if minutes < 60 else "0 * * * *"
