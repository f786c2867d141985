"""How an attempt ends: its last decision, its outcome and its lease, in one transaction."""

from __future__ import annotations

from datetime import datetime

from . import events
from .access import close_the_whole_app, closed_by
from .attributes import told_unlisted
from .copying import replace
from .deciding import due_after, is_stale, stale_items, told, with_verdicts
from .ending import Ending
from .facts import with_answers_decided
from .limits import Limits
from .look import Look
from .model import Account, Document, Reason
from .outside import Outside
from .ports import Change, Event, Fenced, View
from .renewal import HeldLease
from .the_end import attempt_ended, the_end
from .wave import Stop


async def end_attempt(document_id: str, ending: Ending, held: HeldLease, outside: Outside) -> View:
    """*The end*: the last decision, the attempt's outcome and the lease, in one transaction."""
    fraction = outside.chance.fraction()
    ended = await outside.ledger.change(
        document_id,
        Fenced(owner=held.owner, epoch=held.epoch),
        lambda view: _ended(view, ending, fraction, outside),
        around=ending.look.around if ending.look else None,
    )
    if ended is None:
        return await outside.ledger.read(document_id)
    await close_the_whole_app(ended.account, outside)
    return ended


def _ended(view: View, ending: Ending, fraction: float, outside: Outside) -> Change:
    limits = outside.limits
    change = Change(document=with_answers_decided(view.document))
    if ending.look is not None and not is_stale(view, ending.look):
        change = looked(view, change.document, ending.look, outside)
    account = _closed(view, ending, outside)
    due_at, step = _due(
        replace(view, document=change.document, account=account), ending, fraction, limits
    )
    document = attempt_ended(change.document, view.now, ending.outcome, limits, ending.error)
    document = replace(document, backoff_step=step)
    document = the_end(document, view.now, limits, fraction, due_at=due_at)
    state = Event(kind=events.STATE, detail={"state": document.state.value, "why": ending.outcome})
    closed = None if account is view.account else account
    return Change(
        document=document,
        account=closed,
        events=(*change.events, state),
        evidence=change.evidence,
    )


def _closed(view: View, ending: Ending, outside: Outside) -> Account:
    reasons = {Stop.THROTTLED: Reason.THROTTLED, Stop.ACCESS: Reason.ACCESS}
    reason = reasons.get(ending.stop) if ending.stop else None
    if ending.look is not None:
        return closed_by(view.account, ending.look.withheld, view.now, ending.look.wait, outside)
    return closed_by(view.account, reason, view.now, ending.wait, outside)


def _due(
    view: View, ending: Ending, fraction: float, limits: Limits
) -> tuple[datetime | None, int]:
    """When it is due again, and the backoff step then; None leaves the time to *the end*."""
    step = view.document.backoff_step
    if ending.stop in (Stop.THROTTLED, Stop.ACCESS, Stop.CLOSED):
        return view.account.until, 0
    if ending.put_off:
        return view.now + limits.backoff(step, fraction), step + 1
    if ending.look is not None:
        return due_after(view.document, ending.look, view.now, limits, fraction)
    return None, 0


def looked(view: View, document: Document, seen: Look, outside: Outside) -> Change:
    """What a look that is not stale means for the document, its evidence with it."""
    stale = stale_items(document, seen)
    evidence = tuple(v.evidence for key, v in seen.verdicts.items() if key not in stale)
    decided = with_verdicts(document, seen, view.now, outside.limits)
    lines = (*told(seen, stale, document), *told_unlisted(document, decided))
    return Change(document=decided, events=lines, evidence=evidence)
