"""Saves answers the moment they are known; those that arrive during a commit share the next.

No timer: the first answer is committed in the same moment, and whatever came meanwhile goes with
the next commit. So a lone id is durable as soon as the disk allows, and ten at once cost one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from . import events
from .call_outcome import Again, Answer, Answered
from .copying import replace
from .errors import BindingTaken, CommitUnknown, LedgerUnavailable
from .facts import with_answers_decided, with_facts
from .model import Account, CallError, Item, Outcome
from .outside import Outside
from .ports import Anyhow, Change, Event, Fenced, View
from .renewal import HeldLease

TRIES: Final = 3
"""Commits of one group before we give up: what stays unrecorded is settled by looking."""


TURNS: Final = 4
"""Turns of the event loop, well under a millisecond, before a first commit: answers that are there
already share it, and the requests that are ready leave first. Without them the commit competes with
those requests: it cost publishing 200 ads two hundredths of the bare loop's time."""


class Recorder:
    """One wave's answers on their way into the ledger."""

    def __init__(self, view: View, held: HeldLease, outside: Outside) -> None:
        self._whole = view.document
        self._last = view  # what the last commit gave back: of the items only those it was about
        self._saved: dict[str, Item] = {}
        self._document_id = view.document.id
        self._held = held
        self._outside = outside
        self._waiting: list[Answered] = []
        self._task: asyncio.Task[None] | None = None
        self.failed = False  # something could not be saved
        self.contradicted = False  # an answer gave another item's id

    @property
    def view(self) -> View:
        """The document whole, with everything that is durable of it by now.

        Put together only when asked: for each commit that would be work on every item, in the
        thread that sends.
        """
        items = tuple(self._saved.get(item.key, item) for item in self._whole.items)
        return replace(self._last, document=replace(self._last.document, items=items))

    @property
    def cancel_requested(self) -> bool:
        """Whether a person asked to cancel, as of the last commit."""
        return self._last.document.cancel_requested

    @property
    def account(self) -> Account:
        """The account, as of the last commit; `seen_at` is the ledger's time then."""
        return self._last.account

    @property
    def seen_at(self) -> datetime:
        """The ledger's time at the last commit, aware UTC."""
        return self._last.now

    def add(self, answered: Answered) -> None:
        """Hand over an answer; a commit begins at once unless one is in flight."""
        self._waiting.append(answered)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._drain())

    def learn(self, view: View) -> None:
        """Take in what a transaction gave back: items that no other one was about meanwhile."""
        self._saved.update((item.key, item) for item in view.document.items)
        if view.now >= self._last.now:
            self._last = view

    async def flush(self) -> None:
        """Return once everything handed over is durable, or `failed` says that it is not."""
        while self._task is not None and not self._task.done():
            await asyncio.shield(self._task)

    async def _drain(self) -> None:
        for _ in range(TURNS):
            await asyncio.sleep(0)
        while self._waiting:
            group, self._waiting = self._waiting, []
            await self._save(group)

    async def _save(self, group: Sequence[Answered]) -> None:
        for _ in range(TRIES):
            try:
                view = await self._commit(group)
            except CommitUnknown:
                continue  # recording is idempotent: a call keeps the end it has
            except BindingTaken as taken:
                await self._save_apart(group, taken)
                return
            except LedgerUnavailable:
                continue
            self.learn(view)
            self._held.step()
            return
        self.failed = True

    async def _save_apart(self, group: Sequence[Answered], taken: BindingTaken) -> None:
        """An id that is another item's spoils no answer beside it (field case R088).

        Each is saved by itself, and that one as what it is: no answer that can be true.
        """
        if len(group) > 1:
            for one in group:
                await self._save((one,))
            return
        if group[0].answer.outcome is not Outcome.CREATED:  # an earlier call's id: nothing to mend
            self.failed = True
            return
        self.contradicted = True
        await self._save((replace(group[0], answer=contradicted_by(taken)),))

    async def _commit(self, group: Sequence[Answered]) -> View:
        view = await self._decide_under_our_lease(group)
        if view is None:
            self._held.lost = True
            view = await self._record_facts_alone(group)
        return view

    async def _decide_under_our_lease(self, group: Sequence[Answered]) -> View | None:
        def decide(view: View) -> Change:
            recorded = with_facts(view.document, group, view.now, self._outside.limits)
            return Change(document=with_answers_decided(recorded), events=told(group))

        fence = Fenced(owner=self._held.owner, epoch=self._held.epoch)
        keys = {answered.item for answered in group}
        return await self._outside.ledger.change(self._document_id, fence, decide, only=keys)

    async def _record_facts_alone(self, group: Sequence[Answered]) -> View:
        """The lease is gone: the fact stays true, and whoever holds the lease decides."""

        def decide(view: View) -> Change:
            recorded = with_facts(view.document, group, view.now, self._outside.limits)
            return Change(document=recorded, events=told(group))

        view = await self._outside.ledger.change(self._document_id, Anyhow(), decide)
        if view is None:
            raise AssertionError("a document with calls is never deleted")
        return view


def contradicted_by(taken: BindingTaken) -> Answer:
    """In place of an id that cannot be this item's: its create is settled by looking."""
    error = CallError(row="taken", message=f"answered with an id of another item: {taken.message}")
    return Answer(outcome=Outcome.UNKNOWN, again=Again.BACKOFF, error=error)


def told(group: Sequence[Answered]) -> tuple[Event, ...]:
    """The journal's lines about these answers."""
    return tuple(
        Event(
            kind=events.ANSWERED,
            item=one.item,
            detail={
                "call": one.call,
                "outcome": one.answer.outcome.value,
                "external_id": one.answer.external_id,
                "row": one.answer.error.row if one.answer.error else None,
            },
        )
        for one in group
    )
