"""One recovery: under a settle lease look, decide what is proven, and end, in one transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from .access import close_the_whole_app, closed_by
from .attributes import told_unlisted
from .copying import quick, replace
from .deciding import (
    due_after,
    is_stale,
    stale_items,
    told,
    told_state,
    with_owed_look_done,
    with_verdicts,
)
from .errors import BindingTaken, LedgerUnavailable
from .facts import with_items
from .holding import as_poison, contested_by
from .lifecycle import cancel_is_due, cancelled
from .look import Look, look
from .model import Document, DocumentState, Reason
from .outside import Outside
from .ports import Change, Decide, Fenced, SettleLease, View
from .renewal import HeldLease, local_now, renewed
from .signature import is_unsettled
from .the_end import the_end
from .work import NOTHING, Work, work_on

LOOKS_MAX: Final = 3
"""Looks in one recovery where what was judged moved meanwhile; then the next recovery goes on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovered:
    """How a recovery ended. `view` None: the lease was not ours to take, or was lost.

    `look` None: nothing had to be looked at, or the budget ran out (`withheld` says so).
    """

    view: View | None
    look: Look | None = None
    withheld: Reason | None = None


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """What a run was asked for. `imported`: documents from elsewhere are settled too, though nobody
    asks. `deadline`, by the event loop's time, ends its looks; None: they take what they take."""

    asked: bool = False
    refresh: bool = False
    imported: bool = False
    deadline: float | None = None

    @property
    def may_touch_imported(self) -> bool:
        """Whether documents from elsewhere are its business too."""
        return self.asked or self.refresh or self.imported

    def work(self, document: Document, now: datetime) -> Work | None:
        """What there is to do; None where that is nothing."""
        asked, refresh, imported = self.asked, self.refresh, self.imported
        return work_on(document, now, asked=asked, refresh=refresh, imported=imported)


async def recover(document_id: str, asking: Asking, outside: Outside) -> Recovered:
    """Take the settle lease, see what is to be done now that it is ours, look, decide."""
    local = local_now(outside)
    view = await _take_lease(document_id, outside)
    if view is None or view.document.lease is None:
        return Recovered(view=view)
    # What was read before the lease may be somebody else's work by now.
    document, now = view.document, view.now
    work = asking.work(document, now) or NOTHING
    async with renewed(document_id, view.document.lease, local, outside) as held:
        return await _give_back_if_stopped(held, outside, _looks(view, held, work, asking, outside))


async def _looks(
    view: View, held: HeldLease, work: Work, asking: Asking, outside: Outside
) -> Recovered:
    """As many as it takes until what was judged still stands when it is decided."""
    for number in range(1, LOOKS_MAX + 1):
        last = number == LOOKS_MAX
        act = _Act(work=work, outside=outside, deadline=asking.deadline, is_last=last)
        recovered = await _once(view, held, act)
        if recovered.view is None or recovered.view.document.lease is None:
            return recovered
        view = recovered.view  # what was judged had moved; the lease is still ours
    raise AssertionError("the last look gives the lease back, whatever it saw")


async def _take_lease(document_id: str, outside: Outside) -> View | None:
    """The grant counts the recovery. A document that kills whoever looks at it is given up at once,
    with *the end*: between the two it would be queued with nothing pending, and could be claimed.
    """
    limits, fraction = outside.limits, outside.chance.fraction()

    def decide(view: View) -> Change:
        document = view.document
        if document.recoveries > limits.max_attempts and is_unsettled(document, view.now):
            document = with_items(document, as_poison)
            document = the_end(document, view.now, limits, fraction, due_at=document.due_at)
        return Change(document=document, events=told_state(view.document, document))

    guard = SettleLease(owner=outside.owner, duration=limits.lease)
    return await outside.ledger.change(document_id, guard, decide)


async def _give_back_if_stopped(
    held: HeldLease, outside: Outside, looks: Coroutine[Any, Any, Recovered]
) -> Recovered:
    """Where we are told to stop, give the lease back uncounted: only a crash counts as a recovery.

    Otherwise a few restarts during a long walk would hold the document as poison.
    """

    def decide(view: View) -> Change:
        recoveries = max(0, view.document.recoveries - 1)
        return Change(document=replace(view.document, lease=None, recoveries=recoveries))

    try:
        return await looks
    except asyncio.CancelledError:
        fence = Fenced(owner=held.owner, epoch=held.epoch)
        with suppress(LedgerUnavailable):
            await outside.ledger.change(held.document_id, fence, decide, only=())
        raise


@dataclass(frozen=True, slots=True, kw_only=True)
class _Act:
    """One look of a recovery, and what the transaction after it needs to know."""

    work: Work
    outside: Outside
    deadline: float | None
    is_last: bool
    look: Look | None = None
    out_of_budget: bool = False


async def _once(view: View, held: HeldLease, act: _Act) -> Recovered:
    document = act.work.with_answers(view.document)  # an id that is known needs no walk
    if act.work.items(document) or act.work.places(document):
        seen = await _look(document, held, act)
        act = replace(act, look=seen, out_of_budget=seen is None)
    withheld = act.look.withheld if act.look else None
    if act.out_of_budget:
        withheld = Reason.LISTING_INCOMPLETE
    after = await _act(held, act)
    if after is not None:
        await close_the_whole_app(after.account, act.outside)
    return Recovered(view=after, look=act.look, withheld=withheld)


async def _look(document: Document, held: HeldLease, act: _Act) -> Look | None:
    """None: the budget ran out; a walk that did not end is not an answer."""
    items, also = act.work.items(document), act.work.places(document)
    naming = act.work.naming(document)
    try:
        async with asyncio.timeout_at(act.deadline):
            return await look(
                document, items, act.outside, also=also, naming=naming, step=held.step
            )
    except TimeoutError:
        return None


async def _act(held: HeldLease, act: _Act) -> View | None:
    """The fenced transaction; an answered id that is bound elsewhere makes its item `contested`."""
    contested: frozenset[str] = frozenset()
    for _ in range(LOOKS_MAX):
        try:
            return await act.outside.ledger.change(
                held.document_id,
                Fenced(owner=held.owner, epoch=held.epoch),
                _decision(act, contested, act.outside.chance.fraction()),
                around=act.look.around if act.look else None,
            )
        except BindingTaken as error:
            contested |= {error.external_id}
    return None


def _decision(act: _Act, contested: frozenset[str], fraction: float) -> Decide:
    """Verdicts that still hold, then *the end*; or, where something moved, another look first."""

    def decide(view: View) -> Change:
        document = with_items(view.document, lambda item: contested_by(item, contested))
        document = act.work.with_answers(document)
        if act.look is None:
            document = with_owed_look_done(document, None)
            return _ended(view, document, act, fraction)
        stale = stale_items(document, act.look)
        if is_stale(view, act.look):
            stale = frozenset(act.look.verdicts)
        else:
            document = with_verdicts(document, act.look, view.now, act.outside.limits)
            document = with_owed_look_done(document, act.look)
        change = (
            Change(document=document)
            if stale and not act.is_last
            else _ended(view, document, act, fraction)
        )
        evidence = [v.evidence for key, v in act.look.verdicts.items() if key not in stale]
        listed = told_unlisted(view.document, change.document)
        return replace(
            change,
            events=(*told(act.look, stale, view.document), *listed, *change.events),
            evidence=tuple(evidence),
        )

    return decide


def _ended(view: View, document: Document, act: _Act, fraction: float) -> Change:
    """Give the lease back: by *the end* where the document was unsettled, else as it was."""
    limits = act.outside.limits
    due_at, step = _due(view, document, act, fraction)
    document = replace(document, backoff_step=step)
    if act.work.settles:
        document = the_end(document, view.now, limits, fraction, due_at=due_at)
    else:
        document = replace(document, lease=None, recoveries=0, due_at=due_at)
        if cancel_is_due(document, view.now):
            document = cancelled(document, view.now)
    withheld = act.look.withheld if act.look else None
    account = closed_by(
        view.account, withheld, view.now, act.look.wait if act.look else None, act.outside
    )
    return Change(
        document=document,
        account=None if account is view.account else account,
        events=told_state(view.document, document),
    )


def _due(view: View, document: Document, act: _Act, fraction: float) -> tuple[datetime | None, int]:
    """When it is due again, and the backoff step then. None: nothing is left to look at."""
    limits = act.outside.limits
    later = view.now + limits.backoff(document.backoff_step, fraction), document.backoff_step + 1
    if not act.work.settles:
        return _due_at_rest(document, act, later)
    if act.out_of_budget:
        return later
    if act.look is None:
        return None, 0
    return due_after(document, act.look, view.now, limits, fraction)


def _due_at_rest(
    document: Document, act: _Act, later: tuple[datetime, int]
) -> tuple[datetime | None, int]:
    """A queued document waits for a claim, not for a look; others for the look they owe."""
    looked_in_vain = act.work.is_owed and (act.look is not None or act.out_of_budget)
    if document.state is DocumentState.QUEUED:
        return document.due_at, document.backoff_step
    if document.owes_look_from is None:
        return None, 0
    return later if looked_in_vain else (document.due_at, document.backoff_step)
