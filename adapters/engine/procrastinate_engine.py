"""Procrastinate on PostgreSQL: the ledger's own transactions wake the workers of many machines.

Its tables may be wiped and its jobs run twice, late or never: the ledger's row is the queue and the
claim, and whatever was forgotten is said again. So everything that goes wrong with it has one
answer: stop it in order, wait, and start it again.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any, Final

import psycopg
from procrastinate import App
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import DeleteJobCondition
from procrastinate.worker import Worker
from psycopg_pool import AsyncConnectionPool

from reconciler.errors import LedgerForbidden, LedgerUnavailable, WrongSchema
from reconciler.limits import Limits
from reconciler.outside import Outside
from reconciler.serving import POLL, Serving, Tell, Worked

from ..store.postgres_url import conninfo_of
from .ending_connector import EndingConnector
from .jobs import DOCUMENTS, UPKEEP, Jobs
from .lasting_jobs import LastingJobs
from .names import EngineName
from .tables import check

CONNECTIONS: Final = 4
"""Of the engine, at most, beside the ledger's own; and one that listens."""

ENDING: Final = timedelta(seconds=3)
"""What the engine has for its own end, when nothing is in hand any more."""

UPKEEP_AT_ONCE: Final = 4
"""One of each kind."""

_LANES: Final = "UPDATE engine_schema SET lanes = %(lanes)s WHERE lanes <> %(lanes)s"


class Procrastinate:
    """For several machines on one PostgreSQL ledger. Needs the tables that `migrate` makes."""

    name = EngineName.PROCRASTINATE

    def __init__(self, url: str) -> None:
        """`url` is the ledger's: the engine's tables stand beside it."""
        self._url = url

    async def work(self, outside: Outside, tell: Tell) -> Worked:
        """Until it is told to stop. Raises `WrongSchema` where the engine's tables are missing."""
        serving = Serving(outside, tell)
        async with opened(self._url) as (app, connector), serving.counted_on():
            running = _Running(app, outside, serving, self._url)
            letting_go = asyncio.create_task(running.let_go(connector))
            try:
                await running.until_stopped()
            finally:
                letting_go.cancel()
        if serving.forbidden is not None:
            raise serving.forbidden
        return serving.worked()


class _Running:
    """The engine's own workers, started again whenever they end before they should."""

    def __init__(self, app: App, outside: Outside, serving: Serving, url: str) -> None:
        self._app = app
        self._url = url
        self._outside = outside
        self._serving = serving
        self._said = app.job_manager = LastingJobs(app.connector)
        self._jobs = Jobs(app, outside, serving, stalled_after(outside.limits))

    async def until_stopped(self) -> None:
        """Beat and watch; while the engine or the ledger does not answer nothing new is taken."""
        while not self._is_over():
            try:
                await asyncio.to_thread(check, self._url)
                await self._serving.beat()
                await self._app.connector.execute_query_async(
                    _LANES, lanes=self._outside.limits.account_concurrency
                )
                await self._run()
            except WrongSchema:
                raise
            except LedgerForbidden as error:
                self._serving.forbidden = error
            except (LedgerUnavailable, ConnectorException, psycopg.Error) as error:
                self._serving.no_answer(str(error.__cause__ or error))
            await self._pause()
        self._serving.stopping()

    async def let_go(self, connector: EndingConnector) -> None:
        """Once it is over and nothing is in hand, do not wait long for a database that is away:
        what the engine still had to say is said by `tidy`."""
        while not self._is_over() or self._jobs.has_begun:
            await self._outside.clock.sleep(POLL)
        await self._outside.clock.sleep(ENDING)
        connector.end()

    async def _pause(self) -> None:
        """In short parts: who is told to stop meanwhile stops."""
        left = self._serving.pause()
        while left > timedelta(0) and not self._is_over():
            await self._outside.clock.sleep(min(left, POLL))
            left -= POLL

    def _is_over(self) -> bool:
        return self._outside.stopping() or self._serving.forbidden is not None

    async def _run(self) -> None:
        """Until it is over, or one of them ended. What was begun has ended when this returns."""
        if self._is_over():
            return  # one that was stopped before it began would never stop
        self._said.is_lost = False
        workers = [self._worker(DOCUMENTS), self._worker(UPKEEP)]
        running = [asyncio.create_task(_run(worker)) for worker in workers]
        try:
            await self._watch(running)
        except asyncio.CancelledError:
            self._jobs.cancel()
            for task in running:
                task.cancel()
            raise
        finally:
            for worker in workers:
                worker.stop()  # type: ignore[no-untyped-call]
            ended = await asyncio.gather(*running, return_exceptions=True)
        for error in ended:
            if isinstance(error, Exception):
                raise error
        if not self._is_over():
            raise ConnectorException("the engine stopped")

    async def _watch(self, running: list[asyncio.Task[None]]) -> None:
        while not self._is_over() and not self._said.is_lost:
            # Waits first, so that they have begun when they are stopped.
            done, _ = await asyncio.wait(
                running, timeout=POLL.total_seconds(), return_when=asyncio.FIRST_COMPLETED
            )
            if done:
                return
            await self._serving.beat()
            self._serving.answered()

    def _worker(self, queue: str) -> Worker:
        limits = self._outside.limits
        publishes = queue == DOCUMENTS
        stalled = stalled_after(limits).total_seconds()
        return Worker(
            self._app,
            queues=[queue],
            name=queue,
            concurrency=limits.concurrency if publishes else UPKEEP_AT_ONCE,
            fetch_job_polling_interval=POLL.total_seconds(),
            listen_notify=publishes,  # the others come by the clock
            delete_jobs=DeleteJobCondition.ALWAYS,
            install_signal_handlers=False,
            update_heartbeat_interval=stalled / 3,
            stalled_worker_timeout=stalled,
        )


async def _run(worker: Worker) -> None:
    await worker.run()  # type: ignore[no-untyped-call]


def stalled_after(limits: Limits) -> timedelta:
    """A worker of the engine not heard of for this long has died: well before its leases end, so
    that the lanes of its documents are free when these are taken over."""
    return limits.lease / 4


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[tuple[App, EndingConnector]]:
    """Connected when it is first asked; like the ledger, with nothing bound to a session."""
    kwargs: dict[str, Any] = {"prepare_threshold": None}
    pool = AsyncConnectionPool(
        conninfo_of(url),
        kwargs=kwargs,
        min_size=1,
        max_size=CONNECTIONS,
        open=False,
        check=AsyncConnectionPool.check_connection,
        name="engine",
    )
    connector = EndingConnector()
    app = App(connector=connector)
    await pool.open(wait=False)
    try:
        async with app.open_async(pool):
            yield app, connector
    finally:
        await pool.close(timeout=ENDING.total_seconds())
