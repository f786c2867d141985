"""Sends one wave: creates whose calls are written already, some at once, each answer saved.

Between the check of the lease and the request nothing is awaited: what the check allowed is what
goes out. From the first answer that leaves something unknown no further create starts; those in
flight are awaited, and what was written and never sent is recorded as exactly that.

While the last creates of a wave are in flight the next one is written, so that no sender waits for
the disk: a wave ends where nothing more can be written, or where something stops it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from .call_outcome import Again, Answer, Answered, CreateRequest
from .create_batch import may_join
from .errors import LedgerUnavailable
from .model import CallError, Outcome
from .outside import Outside
from .ports import View
from .recorder import Recorder
from .renewal import HeldLease


class Stop(StrEnum):
    """Why a wave ended before its last item, the weightiest first."""

    LEASE = "lease"  # too little left of it, or lost
    UNSAVED = "unsaved"  # the ledger took no answer
    ACCESS = "access"
    THROTTLED = "throttled"
    CLOSED = "closed"  # the account, by what another document met
    UNKNOWN = "unknown"
    CANCEL = "cancel"
    SHUTDOWN = "shutdown"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToSend:
    """A request whose intent and call are durable already."""

    item: str
    call: int
    request: CreateRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """Calls that are durable by now. `view` shows the document with the items they are about."""

    view: View
    calls: tuple[ToSend, ...]


More = Callable[[View], Awaitable[Written | None]]
"""Writes what may be sent next, given the document whole. None: nothing, now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """How a wave ended: why it stopped early, if it did, and the longest wait it was told.

    `view` is the document whole, as far as it is durable.
    """

    view: View
    stops: frozenset[Stop]
    wait: timedelta | None
    error: str | None

    @property
    def stop(self) -> Stop | None:
        """The weightiest reason; None where every item was sent and answered."""
        return next(filter(self.stops.__contains__, Stop), None) if self.stops else None


UNSENT = Answer(
    outcome=Outcome.NOT_SENT,
    again=Again.NOW,
    error=CallError(row="unsent", message="the wave stopped before this call was sent"),
)


async def send(
    view: View, calls: Iterable[ToSend], held: HeldLease, outside: Outside, more: More
) -> Sent:
    """Send them and what `more` writes, at most `concurrency` at once over all documents.

    `view` is the document whole, the calls written. On return every answer is durable, or the stop
    is `UNSAVED`.
    """
    wave = Wave(view, deque(calls), held, outside, more)
    return await wave.run()


class Wave:
    """The state of one wave while it runs."""

    def __init__(
        self, view: View, queue: deque[ToSend], held: HeldLease, outside: Outside, more: More
    ) -> None:
        self._queue = queue
        self._held = held
        self._outside = outside
        self._more = more
        self._senders = 0
        self._recorder = Recorder(view, held, outside)
        self._stops: set[Stop] = set()
        self._wait: timedelta | None = None
        self._error: str | None = None

    async def run(self) -> Sent:
        """Send until nothing is left or something stops it; then save what is left."""
        try:
            async with asyncio.TaskGroup() as group:
                self._start_senders(group)
            for call in self._queue:
                self._recorder.add(Answered(item=call.item, call=call.call, answer=UNSENT))
        finally:
            await self._recorder.flush()  # also when we are cancelled: an id must not be lost
        if self._recorder.failed:
            self._note(Stop.UNSAVED)
        if self._recorder.contradicted:
            self._note(Stop.UNKNOWN)
        return Sent(
            view=self._recorder.view,
            stops=frozenset(self._stops),
            wait=self._wait,
            error=self._error,
        )

    def _start_senders(self, group: asyncio.TaskGroup) -> None:
        """One for each call that waits, up to the bound; each goes on with whatever comes then."""
        free = self._outside.limits.concurrency - self._senders
        for _ in range(min(free, len(self._queue))):
            self._senders += 1
            group.create_task(self._send_some(group))

    async def _send_some(self, group: asyncio.TaskGroup) -> None:
        """Ends where nothing is left, or at the first reason to stop."""
        while self._queue and not self._stops:
            async with self._outside.slots.one(self._held.step):
                await self._send_one(group)
        self._senders -= 1

    async def _send_one(self, group: asyncio.TaskGroup) -> None:
        within = self._outside.limits.call_timeout
        await self._outside.graph.keep_pace(self._recorder.account.id, within=within)
        self._note(self._stop_seen())
        if self._stops or not self._queue:
            return
        calls = self._take()
        if not self._queue:
            group.create_task(self._write_more(group))
        answers = await self._ask(calls, within)
        self._held.step()
        for call, answer in zip(calls, answers, strict=True):
            self._recorder.add(Answered(item=call.item, call=call.call, answer=answer))
            self._learn(answer)

    def _take(self) -> list[ToSend]:
        """What goes out in the next request. What may not share it keeps its place in the line."""
        taken = [self._queue.popleft()]
        if (size := self._outside.limits.create_batch) == 1:
            return taken
        for call in tuple(self._queue):
            if len(taken) < size and may_join([each.request for each in taken], call.request):
                taken.append(call)
                self._queue.remove(call)
        return taken

    async def _ask(self, calls: list[ToSend], within: timedelta) -> tuple[Answer, ...]:
        if len(calls) == 1:
            return (await self._outside.graph.create(calls[0].request, within=within),)
        requests = tuple(call.request for call in calls)
        return await self._outside.graph.create_many(requests, within=within)

    async def _write_more(self, group: asyncio.TaskGroup) -> None:
        """What is written here and not sent in the end is recorded as that."""
        try:
            written = await self._more(self._recorder.view)
        except LedgerUnavailable:
            # The creates in flight must not be torn by it. Where the intents were stored all the
            # same, they are pending, and are settled by looking.
            self._note(Stop.UNSAVED)
            return
        if written is not None:
            self._recorder.learn(written.view)
            self._queue.extend(written.calls)
            self._start_senders(group)

    def _stop_seen(self) -> Stop | None:
        """What forbids the next create, as of this very moment."""
        if self._held.left() < self._outside.limits.needed_before_send:
            return Stop.LEASE
        if self._recorder.failed:
            return Stop.UNSAVED
        if self._recorder.contradicted:
            return Stop.UNKNOWN
        if self._is_closed():
            return Stop.CLOSED
        if self._recorder.cancel_requested:
            return Stop.CANCEL
        return Stop.SHUTDOWN if self._outside.stopping() else None

    def _is_closed(self) -> bool:
        """Or paused, as of the last commit. Calling on would lengthen a block (facts 2.11)."""
        account = self._recorder.account
        if account.reason is None and account.paused is None:
            return False
        token_print = self._outside.graph.token_print(account.id)
        return not account.may_create(token_print, self._recorder.seen_at)

    def _learn(self, answer: Answer) -> None:
        if answer.error is not None and answer.stops_the_wave:
            self._error = answer.error.message
        if answer.again is Again.THROTTLED:
            self._note(Stop.THROTTLED)
            self._wait = max(filter(None, (self._wait, answer.wait)), default=None)
        elif answer.again is Again.ACCESS or answer.outcome is Outcome.REFUSED_ACCESS:
            self._note(Stop.ACCESS)
        elif answer.stops_the_wave:
            self._note(Stop.UNKNOWN)

    def _note(self, stop: Stop | None) -> None:
        if stop is not None:
            self._stops.add(stop)
