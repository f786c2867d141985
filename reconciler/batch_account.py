"""One account of a plan: what its documents are judged by, and how one of them is judged."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from .batch_decision import carried_out, change_of, planned_items
from .batch_judging import Case, Sight, is_broken
from .batch_log import AccountLog, Read
from .batch_standing import Standing
from .batch_values import Planned
from .batch_walking import AccountWalks, Walked
from .copying import replace
from .log_question import left_to_log, reach_of
from .look import Look
from .model import Document
from .outside import Outside
from .policy import Policy
from .ports import Around

PAGE: Final = 100
"""Documents read, and judged against one reading of bindings and rivals, at once."""

ASKED: Final = 500
"""Documents asked for at once where only their places matter: each page searches the account."""


Looked = tuple[Case, Sight, Look]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A document's line of the plan, and the look it was made of; None where none was needed."""

    planned: Planned
    look: Look | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountRun:
    """What the documents of one account have in common in a plan. `held`: items that a person
    should decide are judged too."""

    account_id: str
    outside: Outside
    walks: AccountWalks
    log: AccountLog
    policy: Policy
    held: bool

    @staticmethod
    async def begun(account_id: str, outside: Outside, *, held: bool, log_read: Read) -> AccountRun:
        """Whether it may be asked at all, and what suffices for its documents without a mark."""
        ledger = outside.ledger
        account, now = await ledger.account(account_id), await ledger.now()
        is_complete = await ledger.is_complete(account_id)
        return AccountRun(
            account_id=account_id,
            outside=outside,
            walks=AccountWalks(account, outside, now),
            log=AccountLog(account_id, outside, log_read),
            policy=outside.legacy.policy(is_complete=is_complete),
            held=held,
        )

    async def all(self) -> AsyncIterator[list[Case]]:
        """Every broken document, page by page."""
        after = ""
        while page := await self.outside.ledger.broken(
            self.account_id, held=self.held, limit=ASKED, after=after
        ):
            yield await self._cases(page)
            after = page[-1].id

    def foresee(self, case: Case) -> None:
        """How far the activity log may have to tell of this one."""
        if self.policy.app_id is None:
            return
        reach = reach_of(case.answered, case.items, self.outside.limits.timings())
        if reach is not None:
            self.log.foresee(*reach)

    async def these(self, ids: Collection[str]) -> AsyncIterator[list[Case]]:
        """These documents as they stand, page by page, without those that are broken no more."""
        ids = sorted(ids)
        for start in range(0, len(ids), PAGE):
            yield await self._cases(await self.outside.ledger.whole(ids[start : start + PAGE]))

    async def _cases(self, page: Collection[Document]) -> list[Case]:
        now, limits = await self.outside.ledger.now(), self.outside.limits
        return [
            Case.of(document, now, limits, held=self.held)
            for document in page
            if is_broken(document, now, held=self.held)
        ]

    async def looks(self, cases: list[Case], walked: Walked, began_at: datetime) -> list[Looked]:
        """Judge these together: one reading of bindings and rivals serves all."""
        now = await self.outside.ledger.now()
        sights = [self._sight(case, walked, began_at, now) for case in cases]
        asked = [sight.around(case) for case, sight in zip(cases, sights, strict=True)]
        everything = Around(
            names=frozenset().union(*(one.names for one in asked)),
            external_ids=frozenset().union(*(one.external_ids for one in asked)),
        )
        around = await self.outside.ledger.around_all(self.account_id, everything)
        standing = Standing(around)
        looks = [
            sight.look(case, standing.around(case.standing.id, own))
            for case, sight, own in zip(cases, sights, asked, strict=True)
        ]
        looked = list(zip(cases, sights, looks, strict=True))
        return looked if self.policy.app_id is None else await self._with_log(looked)

    async def _with_log(self, looked: list[Looked]) -> list[Looked]:
        """Judged once more where a name would decide, with what the activity log says."""
        questions = [sight.question(case, look) for case, sight, look in looked]
        asked = [question for question in questions if question is not None]
        answers = iter(await self.log.answers(asked))
        return [
            one if question is None else _judged_again(one, log=next(answers))
            for one, question in zip(looked, questions, strict=True)
        ]

    def _sight(self, case: Case, walked: Walked, began_at: datetime, now: datetime) -> Sight:
        return Sight(
            listings=walked.listings(case.places, case.wanted),
            incomplete=walked.missing(case.places),
            began_at=began_at,
            now=now,
            limits=self.outside.limits,
            policy=self.policy,
        )

    async def judged(
        self, cases: list[Case], walked: Walked, began_at: datetime, group: int
    ) -> list[Judged]:
        """A line of the plan for each of these, which are of this group."""
        lines = []
        for looked in await self.looks(cases, walked, began_at):
            case, sight, look = await self._with_label_check(looked)
            lines.append(self._line(case, sight, look if case.items else None, group))
        return lines

    async def _with_label_check(self, looked: Looked) -> Looked:
        """Ask for the label where an absence waits for it."""
        case, sight, look = looked
        part = case.answered.mark_part
        if part is None or not sight.needs_label_check(case, look):
            return looked
        return _judged_again(looked, label_exists=await self.walks.has_label(part))

    def _line(self, case: Case, sight: Sight, look: Look | None, group: int) -> Judged:
        document, limits = case.standing, self.outside.limits
        planned = Planned(
            document_id=document.id,
            account_id=document.account_id,
            container=document.container,
            origin=document.origin,
            state=document.state,
            crashed=case.taken_over is not document,
            epoch=document.lease_epoch,
            judged_at=sight.now,
            began_at=sight.began_at,
            items=planned_items(case, look),
            change=change_of(case, carried_out(case, look, sight.now, limits)),
            group=group,
            listings=sight.listings,
            incomplete=tuple(sight.incomplete.values()),
            label_exists=sight.label_exists,
            log=sight.log,
            left_to_log=left_to_log(look.verdicts) if look and sight.log else (),
        )
        return Judged(planned=planned, look=look)


def _judged_again(looked: Looked, **known: Any) -> Looked:
    """On the same surroundings, with this known too."""
    case, sight, look = looked
    sight = replace(sight, **known)
    return case, sight, sight.look(case, look.surroundings)
