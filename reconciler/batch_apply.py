"""The use case `batch apply`: carry out exactly what a plan says, and nothing that has moved since.

One transaction for each document: it takes the document over or its settle lease, finds epoch,
states and facts as they were judged, judges the plan's rows once more on the bindings and rivals of
now, and stops unless every verdict and the whole change are those of the plan. So it may be killed
anywhere, run again, and run twice at once.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from typing import Final

from . import events
from .batch_decision import carried_out, change_of, planned_items
from .batch_judging import Case, Sight
from .batch_values import Head, Outcome, Planned, Result
from .deciding import told, told_state
from .errors import BindingTaken, ReconcilerError
from .limits import Limits
from .look import Look
from .model import Document, DocumentState
from .outside import Outside
from .policy import Policy
from .ports import Change, Event, SettleLease, Takeover, View

AT_ONCE: Final = 8
"""Documents in work. In an account one follows the other, in the order of the plan: what one
becomes may be seen by the next, and the end must not depend on who was quicker."""

MOVED: Final = "it moved since it was judged"
MOVED_AROUND: Final = "what stands around it moved, and it would be judged otherwise now"
HELD_BY_ANOTHER: Final = "somebody else is at it"
TAKEN: Final = "what it would claim is bound to another item by now"

Tell = Callable[[Outcome], None]


class _Moved(Exception):
    """Rolls the transaction back."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


async def apply(head: Head, lines: Iterable[Planned], outside: Outside, *, tell: Tell) -> None:
    """Carry the lines out; `tell` gets what became of each. Durable when it is told.

    Stops early on the way out; run again, it goes on. `may_be_applied` comes first.
    """
    policies: dict[str, Policy] = {}
    in_order: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)  # by account; fair
    at_once = asyncio.Semaphore(AT_ONCE)

    async def one(planned: Planned, policy: Policy) -> None:
        try:
            async with in_order[planned.account_id]:
                tell(await _apply_or_tell(planned, head.run, policy, outside))
        finally:
            at_once.release()

    async with asyncio.TaskGroup() as tasks:
        for planned in lines:
            if outside.stopping():
                break
            if planned.account_id not in policies:
                is_complete = await outside.ledger.is_complete(planned.account_id)
                policies[planned.account_id] = outside.legacy.policy(is_complete=is_complete)
            await at_once.acquire()
            tasks.create_task(one(planned, policies[planned.account_id]))


async def _apply_or_tell(planned: Planned, run: str, policy: Policy, outside: Outside) -> Outcome:
    """What fails for one document stops none of the others."""
    try:
        return await apply_one(planned, run, policy, outside)
    except ReconcilerError as error:
        return _outcome(planned, Result.ERROR, why=error.message)
    except Exception as error:  # noqa: BLE001 - a bug met at one document must not stop the others
        return _outcome(planned, Result.ERROR, why=f"{type(error).__name__}: {error}")


async def apply_one(planned: Planned, run: str, policy: Policy, outside: Outside) -> Outcome:
    """Carry one line out, unless it was done before or something moved."""
    # 1. Nothing to do is nothing written.
    if planned.change.is_none:
        return _outcome(planned, Result.NOTHING)
    # 2. What moved is not touched: not even a lease is taken.
    standing = await outside.ledger.read(planned.document_id)
    if not _stands(planned, standing.document, planned.epoch):
        return await _before_or_stale(planned, run, MOVED, outside)
    # 3. Take over or lease, judge once more, decide and end, in one transaction.
    try:
        view = await _carry_out(planned, standing, run, policy, outside)
    except _Moved as moved:
        return await _before_or_stale(planned, run, moved.why, outside)
    except BindingTaken:
        return _outcome(planned, Result.STALE, why=TAKEN)
    if view is None:
        return await _before_or_stale(planned, run, HELD_BY_ANOTHER, outside)
    return _outcome(planned, Result.CHANGED, after=view.document.state)


async def _carry_out(
    planned: Planned, standing: View, run: str, policy: Policy, outside: Outside
) -> View | None:
    limits, fraction = outside.limits, outside.chance.fraction()
    sight = _sight(planned, policy, limits)

    def decide(view: View) -> Change:
        if not _stands(planned, view.document, planned.epoch + 1):
            raise _Moved(MOVED)
        case = _case(planned, view, limits)
        look = sight.look(case, view.surroundings) if case.items else None
        if not _says_the_same(planned, case, look):
            raise _Moved(MOVED_AROUND)
        after = carried_out(case, look, view.now, limits, fraction)
        if change_of(case, after) != planned.change:
            raise _Moved(MOVED)
        return Change(
            document=after,
            events=_told(planned, run, case, after, look),
            evidence=tuple(verdict.evidence for verdict in look.verdicts.values()) if look else (),
            run=run,
        )

    lease = SettleLease(owner=outside.owner, duration=limits.lease)
    return await outside.ledger.change(
        planned.document_id,
        Takeover(epoch=planned.epoch) if planned.crashed else lease,
        decide,
        around=sight.around(_case(planned, standing, limits)),
    )


def _sight(planned: Planned, policy: Policy, limits: Limits) -> Sight:
    """What was seen when the plan was made, as of then: the same judgement has the same hash."""
    return Sight(
        listings=planned.listings,
        incomplete={walk.request.place: walk for walk in planned.incomplete},
        began_at=planned.began_at,
        now=planned.judged_at,
        limits=limits,
        policy=policy,
        label_exists=planned.label_exists,
    )


def _case(planned: Planned, view: View, limits: Limits) -> Case:
    keys = frozenset(item.item for item in planned.items)
    return Case.planned(view.document, view.now, limits, crashed=planned.crashed, keys=keys)


def _stands(planned: Planned, document: Document, epoch: int) -> bool:
    """Whether nobody has been at it since; a guard of ours raises the epoch by one."""
    if (document.lease_epoch, document.state) != (epoch, planned.state):
        return False
    items = {item.key: item for item in document.items}
    return all(
        (item := items.get(was.item)) is not None
        and (item.state, item.intent.facts if item.intent else 0) == (was.state, was.facts)
        for was in planned.items
    )


def _says_the_same(planned: Planned, case: Case, look: Look | None) -> bool:
    says = {item.item: item.says for item in planned_items(case, look)}
    return says == {item.item: item.says for item in planned.items}


def _told(
    planned: Planned, run: str, case: Case, after: Document, look: Look | None
) -> tuple[Event, ...]:
    """The journal's lines: what a recovery would tell, and which run it was."""
    taken = Event(
        kind=events.TAKEN_OVER,
        detail={"attempt": len(case.standing.attempts), "state": case.taken_over.state.value},
    )
    applied = Event(kind=events.BATCH_APPLIED, detail={"run": run, "bound": _bound(planned)})
    return (
        *((taken,) if planned.crashed else ()),
        *(told(look, frozenset()) if look else ()),
        applied,
        *told_state(case.standing, after),
    )


def _bound(planned: Planned) -> dict[str, str]:
    """The ids that the change binds, by item."""
    told = planned.change.items.items()
    return {key: change["external_id"] for key, change in told if change["external_id"]}


async def _before_or_stale(planned: Planned, run: str, why: str, outside: Outside) -> Outcome:
    """What this run did already moved too, and is no surprise."""
    journal = await outside.ledger.journal(planned.document_id)
    if any(_is_of(line.event, run) for line in journal):
        return _outcome(planned, Result.BEFORE)
    return _outcome(planned, Result.STALE, why=why)


def _is_of(event: Event, run: str) -> bool:
    return event.kind == events.BATCH_APPLIED and event.detail.get("run") == run


def _outcome(
    planned: Planned,
    result: Result,
    *,
    after: DocumentState | None = None,
    why: str | None = None,
) -> Outcome:
    is_done = result in (Result.CHANGED, Result.NOTHING)
    return Outcome(
        document_id=planned.document_id,
        account_id=planned.account_id,
        result=result,
        before=planned.state,
        after=after or planned.state,
        reason=planned.reason,
        verdicts=Counter(item.verdict for item in planned.items) if is_done else {},
        why=why,
    )
