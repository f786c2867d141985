"""The use case `batch plan`: judge every broken document, each container listed once for all.

Takes no lease and writes nothing. What is decided later is fenced by what was judged here: the
document's epoch, each item's state and facts, and the bindings and rivals around it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Final

from .batch_account import AccountRun, Judged
from .batch_group import Group, Progress, Step, Write
from .batch_groups import Tying
from .batch_settings import settings_of
from .batch_values import AccountPlan, Head, Planned
from .batching import Broken
from .log_question import Said
from .outside import Outside

ACCOUNTS_AT_ONCE: Final = 4
"""Within an account one request follows the other: requests at once only share its budget."""


End = Callable[[int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What to plan for: one account, or None for all. `held`: items that a person should decide
    are judged once more, too."""

    account_id: str | None = None
    held: bool = False


async def plan(
    asked: Asked,
    outside: Outside,
    *,
    write: Write,
    end: End = lambda _: None,
    step: Step = lambda _: None,
) -> Head:
    """Judge all that is broken. `write` gets each document as it is judged, `end` each group of
    which no document follows, `step` the progress.

    A throttled or refused account holds back its own documents only, and they say so.
    """
    # 1. What there is, for whom, and by which rules.
    ledger = outside.ledger
    accounts = await ledger.broken_accounts(held=asked.held)
    chosen = [one for one in accounts if asked.account_id in (None, one.account_id)]
    head = Head(
        run=outside.chance.document_id(),
        at=await ledger.now(),
        ledger=await ledger.identity(),
        settings=settings_of(outside),
        accounts={one.account_id: AccountPlan(documents=one.documents) for one in chosen},
    )
    progress = Progress(of=sum(one.broken for one in chosen))
    # 2. Account by account, a bounded number at once.
    at_once = asyncio.Semaphore(ACCOUNTS_AT_ONCE)
    telling = _Telling(head=head, write=write, end=end)

    async def judge(account: Broken) -> None:
        async with at_once:
            run = await AccountRun.begun(
                account.account_id,
                outside,
                held=asked.held,
                log_read=lambda pages: step(progress.add(Progress(log_pages=pages))),
            )
            await _judge_all(run, telling, lambda more: step(progress.add(more)))

    async with asyncio.TaskGroup() as tasks:
        for account in chosen:
            tasks.create_task(judge(account))
    # 3. The figures stand in the head by now.
    return head


@dataclass(slots=True, kw_only=True)
class _Telling:
    """Where what was judged goes."""

    head: Head
    write: Write
    end: End
    _numbers: Iterator[int] = field(default_factory=count)
    _left_to_log: dict[int, dict[str, bool]] = field(default_factory=dict)

    def next_number(self) -> int:
        """Of a group, whatever its account."""
        return next(self._numbers)

    def judged(self, one: Judged) -> None:
        """Count it, and hand it on."""
        self.head.add(one.planned)
        self._ask_of_log(one.planned)
        for verdict in one.look.verdicts.values() if one.look else ():
            self.head.add_stages(verdict.evidence.body)
        self.write(one)

    def _ask_of_log(self, planned: Planned) -> None:
        """Documents that share a row stand in one group: there each row is counted once."""
        if planned.log is None or planned.log.said is not Said.TOLD:
            return
        rows, untold = self._left_to_log.setdefault(planned.group, {}), planned.untold
        for row in planned.left_to_log:
            rows[row] = row in untold or rows.get(row, False)

    def ended(self, group: Group) -> None:
        """The same for what a group says as a whole."""
        rows = self._left_to_log.pop(group.number, {})
        self.head.log_rows.update(asked=len(rows), untold=sum(rows.values()))
        self.head.walked_twice += group.walked_twice
        self.head.moved += group.moved
        self.end(group.number)


async def _judge_all(run: AccountRun, telling: _Telling, step: Step) -> None:
    """One account: which documents share which places, then group by group."""
    tying = Tying()
    async for cases in run.all():
        for case in cases:
            tying.add(case.standing.id, case.places)
            run.foresee(case)
    groups = tuple(tying.groups())
    step(Progress(places=sum(len(tied.places) for tied in groups)))
    for tied in groups:
        group = Group(telling.next_number(), run, tied)
        await group.judge(telling.judged, step)
        telling.ended(group)
    telling.head.walks += run.walks.walks
    telling.head.pages += run.walks.pages
    telling.head.log_pages += run.log.pages
