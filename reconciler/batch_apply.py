"""The use case `batch apply`: carry out exactly what a plan says, and nothing that has moved since.

Some documents of an account at a time, in one transaction. In it each is taken over or given its
settle lease, epoch, states and facts are found as they were judged, and the plan's rows are judged
once more on the bindings and rivals of now. A document is left out unless every verdict and the
whole change are those of the plan. So it may be killed anywhere, run again, and run twice at once.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from .batch_carrying import MOVED, TAKEN, Carrying, Moved, stands
from .batch_chunks import chunks
from .batch_revert import is_taken_back
from .batch_values import Head, Outcome, Planned, Result
from .errors import BindingTaken, ReconcilerError
from .model import Document, DocumentState, ItemState
from .outside import Outside
from .policy import Policy

AT_ONCE: Final = 4
"""Transactions in work. In an account one follows the other, in the order of the plan: what one
document becomes may be seen by the next, and the end must not depend on who was quicker."""

HELD_BY_ANOTHER: Final = "somebody else is at it"
TAKEN_BACK: Final = "taken back by a revert since"

Tell = Callable[[Outcome], None]


async def apply(head: Head, lines: Iterable[Planned], outside: Outside, *, tell: Tell) -> None:
    """Carry the lines out; `tell` gets what became of each. Durable when it is told.

    Stops early on the way out; run again, it goes on. `refuse_unfit` comes first.
    """
    policies: dict[str, Policy] = {}
    in_order: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)  # by account; fair
    at_once = asyncio.Semaphore(AT_ONCE)

    async def some(chunk: list[Planned], policy: Policy) -> None:
        try:
            async with in_order[chunk[0].account_id]:
                for outcome in await _apply_or_tell(chunk, head.run, policy, outside):
                    tell(outcome)
        finally:
            at_once.release()

    async with asyncio.TaskGroup() as tasks:
        for chunk in chunks(lines):
            if outside.stopping():
                break
            account_id = chunk[0].account_id
            if account_id not in policies:
                is_complete = await outside.ledger.is_complete(account_id)
                policies[account_id] = outside.legacy.policy(is_complete=is_complete)
            await at_once.acquire()
            tasks.create_task(some(chunk, policies[account_id]))


async def _apply_or_tell(
    lines: list[Planned], run: str, policy: Policy, outside: Outside
) -> list[Outcome]:
    """What fails for one document stops none of the others: then each is tried alone."""
    try:
        return await apply_some(lines, run, policy, outside)
    except Exception as error:  # noqa: BLE001 - a bug met at one document must not stop the others
        if len(lines) == 1:
            return [_failed(lines[0], error)]
    return [
        outcome for line in lines for outcome in await _apply_or_tell([line], run, policy, outside)
    ]


def _failed(planned: Planned, error: Exception) -> Outcome:
    if isinstance(error, BindingTaken):
        return _outcome(planned, Result.STALE, why=TAKEN)
    if isinstance(error, ReconcilerError):
        return _outcome(planned, Result.ERROR, why=error.message)
    return _outcome(planned, Result.ERROR, why=f"{type(error).__name__}: {error}")


async def apply_some(
    lines: list[Planned], run: str, policy: Policy, outside: Outside
) -> list[Outcome]:
    """Carry lines of one account out, all that is neither done nor moved in one transaction."""
    # 1. Nothing to do is nothing written; nor is what this run did before.
    to_do = {line.document_id: line for line in lines if not line.change.is_none}
    before = await outside.ledger.changed_by(run, to_do) if to_do else frozenset()
    left = [line for line in to_do.values() if line.document_id not in before]
    # 2. Take over or lease, judge once more, decide and end.
    after, why = await _carried_out(left, run, policy, outside)
    # 3. What another process of this run did meanwhile moved too, and is no surprise.
    rest = [line for line in left if line.document_id not in after]
    standing: dict[str, Document] = {}
    if ids := [line.document_id for line in rest]:
        before |= await outside.ledger.changed_by(run, ids)
        standing = {document.id: document for document in await outside.ledger.whole(ids)}
    # 4. What was done before may have been taken back since.
    claimed = [one for one in before if to_do[one].claims]
    given_up = await _given_up(claimed, run, outside) if claimed else frozenset()

    def told(line: Planned) -> Outcome:
        which = line.document_id
        if which in after:
            return _outcome(line, Result.CHANGED, after=after[which])
        if which in before:
            return _outcome(line, Result.BEFORE, why=TAKEN_BACK if which in given_up else None)
        if which not in to_do:
            return _outcome(line, Result.NOTHING)
        if which not in standing:
            return _outcome(line, Result.ERROR, why=f"there is no document {which}")
        return _outcome(line, Result.STALE, why=why.get(which) or _unmatched(line, standing[which]))

    return [told(line) for line in lines]


async def _carried_out(
    lines: list[Planned], run: str, policy: Policy, outside: Outside
) -> tuple[Mapping[str, DocumentState], dict[str, str]]:
    """By document: what became of those whose guard matched, and why others were left out."""
    fractions = {line.document_id: outside.chance.fraction() for line in lines}
    why: dict[str, str] = {}
    while left := [line for line in lines if line.document_id not in why]:
        carrying = Carrying(
            lines=left,
            run=run,
            policy=policy,
            limits=outside.limits,
            owner=outside.owner,
            fractions=fractions,
        )
        try:
            stored = await outside.ledger.change_all(
                left[0].account_id, carrying.guards, carrying.ask, carrying.decide
            )
        except Moved as moved:  # not even a lease is taken of what moved
            why |= moved.why
        else:
            return {one: document.state for one, document in stored.items()}, why
    return {}, why


async def _given_up(ids: list[str], run: str, outside: Outside) -> frozenset[str]:
    """Those that a revert of the run took back and that wait for a person still."""
    waiting = [one.id for one in await outside.ledger.whole(ids) if _has_held(one)]
    return frozenset([one for one in waiting if await is_taken_back(one, run, outside)])


def _has_held(document: Document) -> bool:
    return any(item.state is ItemState.HELD for item in document.items)


def _unmatched(planned: Planned, document: Document) -> str:
    """Why a guard did not match."""
    return HELD_BY_ANOTHER if stands(planned, document, planned.epoch) else MOVED


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
