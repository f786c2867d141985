"""Publishes a document: one attempt, an intent written before every create.

The claim is the single door to creating, and it refuses a document of which something is not
known. Inside the attempt the same holds from the first unanswered call on. So after any crash the
ledger says what may exist, and nothing is ever sent twice on a guess.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from . import events, lifecycle
from .access import closed_because
from .again import again_at
from .attempt import run_attempt
from .model import Attempt, BlockReason, DocumentState
from .outside import Outside
from .ports import Change, Claim, Event, LeaseFree, View
from .renewal import local_now
from .settle import Settled, settle
from .signature import is_unsettled


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """What a call of `publish` or `advance` did.

    `attempt` is the one that ran here, None where none did; `why` says then why not. `settled` is
    what looking said before, None where the claim was not refused for it.
    """

    view: View
    attempt: Attempt | None = None
    settled: Settled | None = None
    why: str = ""

    @property
    def again_at(self) -> datetime | None:
        """When to `advance` it again, by the ledger's clock; past: at once. None: no time is known
        that would change anything, for it rests, or a person must act first."""
        return again_at(self.view)


NOTHING_TO_PUBLISH: Final = {
    DocumentState.PUBLISHED: "everything of it is published already",
    DocumentState.HELD: "a person must decide about it first; nothing more is created before",
}


async def publish(document_id: str, outside: Outside) -> Published:
    """Queue it if it rests, take over and settle what is due, claim it, run one attempt here.

    A person's `publish`. Returns once the attempt ended and everything it learnt is durable. Of a
    published document nothing is left to do, and a held one waits for a person: `why` says so.
    Raises `WrongState` where the document was cancelled, or is imported.
    """
    # 1. A resting document is queued, with a fresh attempt budget.
    await queue(document_id, outside)
    # 2. What crashed or went unanswered comes first: recovery ordered after creation doubles.
    settled = await settle(document_id, outside)
    if why := NOTHING_TO_PUBLISH.get(settled.view.document.state):
        return Published(view=settled.view, settled=settled, why=why)
    # 3. Claim, and run one attempt.
    return await advance(document_id, outside, settled)


async def queue(document_id: str, outside: Outside) -> None:
    """A person's `publish` on a document that rests; nothing where that changes nothing.

    Raises `WrongState` where it is from elsewhere, was cancelled, or is about to be.
    """

    def decide(view: View) -> Change:
        document = lifecycle.queued(view.document, view.now)
        moved = document is not view.document
        return Change(document=document, events=(Event(kind=events.QUEUED),) if moved else ())

    view = await outside.ledger.read(document_id)
    lifecycle.refuse_imported(view.document)
    lifecycle.refuse_cancelled(view.document)
    under_way = (DocumentState.QUEUED, DocumentState.PUBLISHING)
    if view.document.state in under_way or view.document.state in NOTHING_TO_PUBLISH:
        return
    await outside.ledger.change(document_id, LeaseFree(), decide, only=())  # about no item


async def advance(document_id: str, outside: Outside, settled: Settled) -> Published:
    """Claim the document and run one attempt; or say why it cannot be claimed now.

    `settled` is what `settle` said of it just before. An account that refused our token is asked
    once more when it is time, for nothing else would open it.
    """
    await _ask_whether_it_is_open(settled, outside)
    account_id = settled.view.document.account_id
    ran = await attempt_once(document_id, account_id, outside)
    if ran is None:
        view = await outside.ledger.read(document_id)
        return Published(view=view, settled=settled, why=_why_not(view))
    view, attempt = ran
    return Published(view=view, attempt=attempt, settled=settled)


async def _ask_whether_it_is_open(settled: Settled, outside: Outside) -> None:
    """The claim decides; a read that is answered opens the account for it."""
    view = settled.view
    is_refused = view.account.reason is BlockReason.ACCESS
    is_queued = view.document.state is DocumentState.QUEUED
    if is_refused and is_queued and settled.withheld is None:
        await closed_because(view.account, outside)


async def attempt_once(
    document_id: str,
    account_id: str,
    outside: Outside,
    taken: Callable[[View], None] = lambda _: None,
) -> tuple[View, Attempt] | None:
    """Claim it and run one attempt, whoever says when. None: it cannot be claimed now.

    `taken` is told of the document as it was claimed.
    """
    local = local_now(outside)
    claimed = await claim(document_id, account_id, outside)
    if claimed is None:
        return None
    taken(claimed)
    number = len(claimed.document.attempts)
    view = await run_attempt(claimed, local, outside)
    return view, view.document.attempts[number - 1]


async def claim(document_id: str, account_id: str, outside: Outside) -> View | None:
    """One conditional update; the attempt is counted in the same transaction. None: not now.

    What is left of the lease counts from clocks read before: `renewal.local_now`.
    """
    guard = Claim(
        owner=outside.owner,
        duration=outside.limits.lease,
        token_print=outside.graph.token_print(account_id),
    )

    def decide(view: View) -> Change:
        document = lifecycle.claimed(view.document, view.now, outside.limits)
        detail = {"attempt": len(document.attempts), "epoch": document.lease_epoch}
        return Change(document=document, events=(Event(kind=events.CLAIMED, detail=detail),))

    return await outside.ledger.change(document_id, guard, decide)


def _why_not(view: View) -> str:
    """In the words of the next safe action, which the person will see anyway."""
    document = view.document
    if document.state is DocumentState.PUBLISHING:
        return "another worker is publishing it"
    if is_unsettled(document, view.now):
        return "a call went unanswered and is not settled yet; nothing new is sent before"
    return lifecycle.shown_next(document, view.account, view.now).why
