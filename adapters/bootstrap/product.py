"""The product as one object: every use case over one ledger and one API client."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from reconciler import (
    cancel,
    duplicates,
    pausing,
    publish,
    resolve,
    settle,
    submit,
    sweep,
    worker,
)
from reconciler.copying import replace
from reconciler.due_now import due_now
from reconciler.duplicates import Duplicates
from reconciler.model import Account, BlockReason, DocumentState, Reason
from reconciler.next_step import is_seen
from reconciler.outside import Outside
from reconciler.plan import Plan, read_plan
from reconciler.ports import Summary, View
from reconciler.publish import Published
from reconciler.recovery import Asking
from reconciler.resolve import Resolved
from reconciler.resolve_decision import Decision
from reconciler.settle import Settled
from reconciler.submit import Accepting, Submitted
from reconciler.sweep import Swept
from reconciler.worker import Tell, Worked

from ..shapes import Explained
from .finishing import Finishing
from .own_sends import OwnSends

if TYPE_CHECKING:
    from ..store.callers_transaction import CallersTransaction

Close = Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """Counts by state over the whole selection, its newest lines with their accounts by id, the
    ledger's time, and whether a worker was seen lately."""

    counts: Mapping[DocumentState, int]
    lines: tuple[Summary, ...]
    now: datetime
    accounts: Mapping[str, Account] = field(default_factory=dict)
    worker_seen: bool = False


GOING_ON_MAX: Final = 16
"""Looks that go on after their reader was answered; with more, each ends with its budget."""


class Reconciler(OwnSends):
    """What a program can ask for. Open with `open_reconciler`, use as a context manager.

    Every method may be called any number of times, at once, and be killed at any point. What a
    method returns is durable. Raises what stands in `reconciler.errors`.
    """

    def __init__(self, outside: Outside, *, read_budget: timedelta, close: Close) -> None:
        super().__init__(outside)
        self._read_budget = read_budget
        self._close = close
        self._reads = Finishing()

    @property
    def outside(self) -> Outside:
        """The ports behind it, for programs that compose the core's use cases themselves."""
        return self._outside

    async def submit(
        self,
        plan: object,
        *,
        key: str | None = None,
        new: bool = False,
        publish: bool = False,
        source: str = "plan",
    ) -> Submitted:
        """Accept a decoded plan as a document, or as the next revision of the one with this key.

        The same plan gives the same document; `new` means once more; `publish` queues it. Sends
        nothing. Raises `InvalidPlan` with all that is wrong, `source` being the plan's name in it.
        """
        accepted = read_plan(plan, echo=self._outside.limits.echo, source=source)
        return await self._accept(accepted, self._outside.ledger, key, new=new, publish=publish)

    async def submit_in(
        self,
        transaction: CallersTransaction,
        plan: object,
        *,
        key: str | None = None,
        new: bool = False,
        publish: bool = False,
        source: str = "plan",
    ) -> Submitted:
        """As `submit`, in a SQLAlchemy transaction of yours: it is there if you commit, with your
        own rows or not at all.

        A `Connection` or `Session`, or an async one, by psycopg or sqlite3, in the ledger's own
        database, not in autocommit. Commit at once: until then it holds the account's lock, and
        nothing else of that account moves.
        Raises `ForeignLedger` for another database, `LedgerUnavailable` for anything else that
        cannot carry it.
        """
        from ..store.callers_transaction import InTheirs

        accepted = read_plan(plan, echo=self._outside.limits.echo, source=source)
        theirs = InTheirs(self._outside.ledger, transaction)
        return await self._accept(accepted, theirs, key, new=new, publish=publish)

    async def _accept(
        self, accepted: Plan, ledger: Accepting, key: str | None, *, new: bool, publish: bool
    ) -> Submitted:
        return await submit.submit(
            accepted,
            key=key,
            new=new,
            publish=publish,
            ledger=ledger,
            chance=self._outside.chance,
            limits=self._outside.limits,
        )

    async def publish(self, document_id: str) -> Published:
        """A person's `publish`: queue what rests, settle what is due, run one attempt here.

        Of a published document nothing is left to do, and a held one creates nothing more before a
        person decided: `why` says so. Raises `WrongState` where the document was cancelled.
        """
        return await self._published(await publish.publish(document_id, self._outside))

    async def advance(self, document_id: str) -> Published:
        """The one step for an engine of yours: take over, settle what is due, run one attempt.

        Say an id once, thrice, late or never: the claim lets one through at a time. What rests is
        not begun, unlike by `publish`; what is somebody's is let be. Ends when the attempt does,
        in bounded calls, and may take minutes. `again_at` of what it returns is when to say the id
        again; `due` tells it too. Raises `UnknownDocument`, and `LedgerUnavailable`: then say it
        again.
        """
        settled = await settle.settle(document_id, self._outside)
        return await self._published(await publish.advance(document_id, self._outside, settled))

    async def due(self, limit: int = 500) -> tuple[str, ...]:
        """Ids of documents to `advance` now: each account's longest due first, then the others.

        Run `sweep` before: it takes over what crashed, and looks at what went unanswered. Who asks
        is counted on as a worker for two minutes: people are told to wait for it.
        """
        await self._outside.ledger.beat(self._outside.owner)
        return await due_now(self._outside, limit)

    async def peek(self, document_id: str) -> View:
        """The document as the ledger has it. Looks at nothing outside."""
        return await self._seen(await self._outside.ledger.read(document_id))

    async def read(
        self,
        document_id: str,
        budget: float | None = None,
        *,
        refresh: bool = False,
        going_on: timedelta = timedelta(0),
    ) -> Settled:
        """The document, after takeover and settling if they are due.

        What is asked of the API ends after `budget` seconds, None: READ_BUDGET_SECONDS; then
        `withheld` says so, the view says what is next, and `due_at` keeps later reads from asking
        again at once. One process looks at a time, any other is answered as the document stands.
        A healthy one costs one query, any other begins with one query more. A caller that is
        cancelled stops nothing.

        `going_on`: a look that takes longer than the budget goes on for so long after the answer,
        in a program that lives on, and what it finds is there for the next read. `refresh` also
        lists what is confirmed, for its attributes, however long that takes.
        """
        if refresh:
            return await self._read(document_id, None, refresh=True)
        within = self._read_budget if budget is None else timedelta(seconds=budget)
        view = await self._outside.ledger.read(document_id)
        if settle.is_healthy(view, Asking(imported=self._outside.legacy.on_read)):
            return Settled(view=await self._seen(view))
        if not going_on or len(self._reads) >= GOING_ON_MAX:
            return await self._reads.run(self._read(document_id, within, refresh=False))
        work = self._read(document_id, within + going_on, refresh=False)
        settled = await self._reads.wait(work, within)
        if settled is None:
            view = await self.peek(document_id)
            return Settled(view=view, withheld=Reason.LISTING_INCOMPLETE)
        return settled

    async def _read(self, document_id: str, budget: timedelta | None, *, refresh: bool) -> Settled:
        return await self._settled(
            await settle.settle(
                document_id,
                self._outside,
                refresh=refresh,
                imported=self._outside.legacy.on_read,
                budget=budget,
            )
        )

    async def recover(self, document_id: str, *, dry_run: bool = False) -> Settled:
        """Take over and settle because a person asks, also a held document. `dry_run` judges."""
        if dry_run:
            return await self._settled(await settle.judge_only(document_id, self._outside))
        return await self._settled(await settle.settle(document_id, self._outside, asked=True))

    async def resolve(self, document_id: str, decision: Decision) -> Resolved:
        """Carry out what a person decided about one item. Creates nothing.

        Raises `UnknownItem`, `DecisionRefused` where it cannot be done, `StaleEvidence` where what
        they looked at has moved.
        """
        resolved = await resolve.resolve(document_id, decision, self._outside)
        return replace(resolved, view=await self._seen(resolved.view))

    async def duplicates(
        self,
        *,
        account_id: str | None = None,
        step: duplicates.Step = lambda _done, _of: None,
    ) -> Duplicates:
        """What exists beyond what any document wants, of one account or all. Changes nothing.

        `step` is told how many containers are listed, of how many. `account_id` as in `list`.
        """
        account = None if account_id is None else _with_act(account_id)
        return await duplicates.duplicates(self._outside, account_id=account, step=step)

    async def cancel(self, document_id: str) -> View:
        """Create nothing more of it. Raises `WrongState` where everything is published."""
        return await self._seen(await cancel.cancel(document_id, self._outside))

    async def pause(self, account_id: str, why: str) -> Account:
        """Create nothing more in this account; `why` is told with what waits. Looking goes on."""
        return await pausing.pause(_with_act(account_id), why, self._outside)

    async def resume(self, account_id: str) -> Account:
        """End a pause. What waited is taken up as before."""
        return await pausing.resume(_with_act(account_id), self._outside)

    async def sweep(self) -> Swept:
        """One pass over what is due though nobody asks. Creates nothing."""
        return await sweep.sweep(self._outside)

    async def work(self, tell: Tell = lambda _: None) -> Worked:
        """Publish what is queued and sweep, until `stopping` says so; then end in order."""
        return await worker.work(self._outside, tell)

    async def list(
        self, *, state: DocumentState | None = None, account_id: str | None = None
    ) -> Listed:
        """Counts and the newest documents. `account_id` with or without `act_`."""
        account = None if account_id is None else _with_act(account_id)
        counts, lines = await self._outside.ledger.summaries(state=state, account_id=account)
        return await self.listed(counts, lines)

    async def listed(
        self, counts: Mapping[DocumentState, int], lines: tuple[Summary, ...]
    ) -> Listed:
        """These lines with what their next steps depend on, for a list that was read elsewhere."""
        ids = dict.fromkeys(line.document.account_id for line in lines)
        accounts = {one: self._account(await self._outside.ledger.account(one)) for one in ids}
        now = await self._outside.ledger.now()
        return Listed(
            counts=counts,
            lines=lines,
            now=now,
            accounts=accounts,
            worker_seen=is_seen(await self._outside.ledger.worker_seen_at(), now),
        )

    async def explain(self, document_id: str) -> Explained:
        """The stored evidence behind the latest verdict of each item, and what people decided."""
        view = await self.peek(document_id)
        found = {
            judged.item: await self._outside.ledger.evidence(judged.evidence_id)
            for judged in view.document.verdicts
        }
        journal = await self._outside.ledger.journal(document_id)
        return Explained(view=view, evidence=found, journal=journal)

    def _account(self, account: Account) -> Account:
        """The account, open where the token that it refused was replaced: the next call finds it
        so, and nobody is to be told to renew it again."""
        if account.reason is not BlockReason.ACCESS:
            return account
        now_used = self._outside.graph.token_print(account.id)
        is_new = now_used is not None and now_used != account.token_print
        return account.opened() if is_new else account

    async def _seen(self, view: View) -> View:
        """With what a decision does not ask, but a reader does."""
        is_there = view.worker_seen
        if is_there is None:
            is_there = is_seen(await self._outside.ledger.worker_seen_at(), view.now)
        return replace(view, account=self._account(view.account), worker_seen=is_there)

    async def _settled(self, settled: Settled) -> Settled:
        return replace(settled, view=await self._seen(settled.view))

    async def _published(self, published: Published) -> Published:
        settled = None if published.settled is None else await self._settled(published.settled)
        return replace(published, view=await self._seen(published.view), settled=settled)

    async def aclose(self) -> None:
        """End the reads that nobody waits for, then close the ledger and the API's connections."""
        await self._reads.end()
        await self._close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()


def _with_act(account_id: str) -> str:
    return f"act_{account_id.removeprefix('act_')}"
