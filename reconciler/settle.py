"""Finds out what became of a document's unanswered calls, and records what is proven.

It acts only on documents that crashed, whose call went unanswered, that owe a look, or that a
person asks about. Looking only ever reads from the API; creating needs the claim, which refuses
an unsettled document. It may be run any number of times and killed at any point: an intent stays
pending until a proof is durable, and a settler that died is followed by the next.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from . import events
from .access import closed_because
from .cancel import cancel
from .copying import quick
from .facts import with_answers_decided
from .holding import hold_overdue, is_overdue
from .lifecycle import cancel_is_due
from .look import look
from .model import Origin, Reason
from .outside import Outside
from .ports import Change, Event, Takeover, View
from .recovery import Asking, recover
from .signature import is_crashed
from .the_end import taken_over
from .verdict import Verdict
from .work import is_held_by_another, work_on


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What a run did. `verdicts` is by item key and empty where nothing was judged.

    `withheld` says why a look that should have been made gave no verdict; None where it did, or
    where none was due. `held_by_another`: somebody else's lease is live.
    """

    view: View
    looked: bool = False
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    withheld: Reason | None = None
    held_by_another: bool = False


async def settle(
    document_id: str,
    outside: Outside,
    *,
    asked: bool = False,
    refresh: bool = False,
    imported: bool = False,
    budget: timedelta | None = None,
) -> Settled:
    """Take over what crashed, look at what is due, decide what is proven.

    `asked`: a person asks, so a held document is looked at too and a due time is no obstacle.
    `refresh`: also list where confirmed items stand, to fill in their attributes. `imported`: a
    read that may settle documents from elsewhere; only people and such reads do. `budget` bounds
    what is asked of the API in all, None does not. Whatever was decided is durable on return.
    """
    asking = Asking(asked=asked, refresh=refresh, imported=imported, deadline=_from_now(budget))
    # 1. Read. A healthy document is none of our business.
    view = await outside.ledger.read(document_id)
    if is_healthy(view, asking):
        return _nothing_due(view, asking)
    # 2. Take over what crashed: one conditional update. Slow is not dead; only the lease counts.
    if is_crashed(view.document, view.now):
        view = await take_over(view, outside)
    # 3. Honour a cancel that waited for somebody who is gone.
    if cancel_is_due(view.document, view.now):
        view = await cancel(document_id, outside)
    # 4. Stop where nothing is due. Who comes back: the next read, the sweep, a worker.
    if asking.work(view.document, view.now) is None:
        return _nothing_due(view, asking)
    # 5. Stop where somebody else is at it.
    if is_held_by_another(view.document, view.now):
        return Settled(view=view, held_by_another=True)
    # 6. A closed account is not asked; its documents wait, for a day, and lose nothing by it.
    closed = await closed_because(view.account, outside, asking.deadline)
    if closed is not None:
        if is_overdue(view, outside):
            view = await hold_overdue(document_id, closed, outside) or view
        return Settled(view=view, withheld=closed)
    # 7. Look, judge and decide under the settle lease, which turns a second settler away.
    recovered = await recover(document_id, asking, outside)
    if recovered.view is None:
        return Settled(view=await outside.ledger.read(document_id), held_by_another=True)
    return Settled(
        view=recovered.view,
        looked=recovered.look is not None,
        verdicts=recovered.look.verdicts if recovered.look else {},
        withheld=recovered.withheld,
    )


def is_healthy(view: View, asking: Asking) -> bool:
    """Whether a run would find nothing to do; what came from elsewhere is left alone unasked."""
    document, now = view.document, view.now
    if document.origin is Origin.IMPORTED and not asking.may_touch_imported:
        return True
    is_due = is_crashed(document, now) or cancel_is_due(document, now)
    return not is_due and asking.work(document, now) is None


def _nothing_due(view: View, asking: Asking) -> Settled:
    held = asking.refresh and is_held_by_another(view.document, view.now)
    return Settled(view=view, held_by_another=held)


def _from_now(budget: timedelta | None) -> float | None:
    if budget is None:
        return None
    return asyncio.get_running_loop().time() + budget.total_seconds()


async def judge_only(document_id: str, outside: Outside) -> Settled:
    """What a recovery would find now: no lease, no takeover, nothing written but a closed account.

    A crashed document is judged as it would be after its takeover.
    """
    view = await outside.ledger.read(document_id)
    document = view.document
    if is_crashed(document, view.now):
        document = taken_over(document, view.now, outside.limits, fraction=0.0)
    document = with_answers_decided(document)
    work = work_on(document, view.now, asked=True, refresh=False)
    if work is None:
        return Settled(view=view)
    if not view.account.is_open(outside.graph.token_print(view.account.id), view.now):
        return Settled(view=view, withheld=_reason_closed(view))
    seen = await look(document, work.items(document), outside, also=work.places(document))
    return Settled(view=view, looked=True, verdicts=seen.verdicts, withheld=seen.withheld)


def _reason_closed(view: View) -> Reason | None:
    return Reason(view.account.reason.value) if view.account.reason else None


async def take_over(view: View, outside: Outside) -> View:
    """End the attempt of a worker whose lease ran out; somebody else's takeover is as good."""
    limits, fraction = outside.limits, outside.chance.fraction()

    def decide(view: View) -> Change:
        document = taken_over(view.document, view.now, limits, fraction)
        detail = {"attempt": len(document.attempts), "state": document.state.value}
        return Change(document=document, events=(Event(kind=events.TAKEN_OVER, detail=detail),))

    guard = Takeover(epoch=view.document.lease_epoch)
    taken = await outside.ledger.change(view.document.id, guard, decide)
    return taken or await outside.ledger.read(view.document.id)
