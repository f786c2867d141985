"""The use case `batch revert`: take back what a run bound to imported documents.

What it takes back becomes `held`: a person decides, and no later batch binds it again by itself.
Nothing outside is touched, documents of ours keep what their marks prove, and what moved since the
run is left as it is. Running it again changes nothing.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import Final

from . import events
from .batch_values import Outcome, Result
from .copying import replace
from .deciding import told_state
from .errors import ReconcilerError, UnknownRun
from .facts import with_items
from .lifecycle import On, move
from .model import Document, DocumentState, Item, ItemState, Origin, Reason
from .outside import Outside
from .ports import Change, Event, Recorded, SettleLease, View

PAGE: Final = 200

MOVED: Final = "what it bound moved since"
HELD_BY_ANOTHER: Final = "somebody else is at it"

Tell = Callable[[Outcome], None]

_RESTING: Final = frozenset({DocumentState.PUBLISHED, DocumentState.PARTLY_PUBLISHED})


class _Moved(Exception):
    """Rolls the transaction back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo:
    """Which run to take back, why, and who says so; the last two stand in each journal."""

    run: str
    reason: str
    by: str


async def revert(undo: Undo, outside: Outside, *, tell: Tell) -> None:
    """Take it back, document by document; `tell` gets what became of each.

    Raises `UnknownRun`. Stops early on the way out; run again, it goes on.
    """
    is_known = False
    async for document_id in _documents(undo.run, outside):
        is_known = True
        tell(await _revert_or_tell(document_id, undo, outside))
        if outside.stopping():
            return
    if not is_known:
        raise UnknownRun(
            f"no batch {undo.run} changed anything here",
            next_step="the report of reconciler batch apply, and every journal, name their run",
        )


async def _documents(run: str, outside: Outside) -> AsyncIterator[str]:
    after = ""
    while page := await outside.ledger.of_run(run, limit=PAGE, after=after):
        for document_id in page:
            yield document_id
        after = page[-1]


async def _revert_or_tell(document_id: str, undo: Undo, outside: Outside) -> Outcome:
    """What fails for one document stops none of the others."""
    try:
        return await revert_one(document_id, undo, outside)
    except ReconcilerError as error:
        return Outcome(
            document_id=document_id, account_id="", result=Result.ERROR, why=error.message
        )


async def revert_one(document_id: str, undo: Undo, outside: Outside) -> Outcome:
    """Take back what the run bound to one document."""
    # 1. What the run did, and whether it was taken back before: the journal says it.
    journal = await outside.ledger.journal(document_id)
    document = (await outside.ledger.read(document_id)).document
    bound = _bound_by(journal, undo.run)
    if document.origin is not Origin.IMPORTED or not bound:
        return _outcome(document, Result.NOTHING)
    if _is_in(journal, undo.run):
        return _outcome(document, Result.BEFORE)

    # 2. Under the settle lease: what still stands as the run left it becomes held.
    def decide(view: View) -> Change:
        after = without(view.document, bound)
        if after is None:
            raise _Moved
        after = _at_rest(after, view)
        taken = _told(undo, view.document, bound)
        return Change(document=after, events=(taken, *told_state(view.document, after)))

    lease = SettleLease(owner=outside.owner, duration=outside.limits.lease)
    try:
        view = await outside.ledger.change(document_id, lease, decide)
    except _Moved:
        return await _left(document, undo, outside, MOVED)
    if view is None:
        return await _left(document, undo, outside, HELD_BY_ANOTHER)
    is_all = all(_stands(document.item(key), bound) for key in bound)
    why = None if is_all else f"{MOVED}: taken back is only the rest"
    return _outcome(document, Result.CHANGED, after=view.document.state, why=why)


async def _left(document: Document, undo: Undo, outside: Outside, why: str) -> Outcome:
    """What another revert of the same run did meanwhile moved too, and is no surprise."""
    if await is_taken_back(document.id, undo.run, outside):
        return _outcome(document, Result.BEFORE)
    return _outcome(document, Result.STALE, why=why)


async def is_taken_back(document_id: str, run: str, outside: Outside) -> bool:
    """Whether a revert of this run took back what it bound to the document."""
    return _is_in(await outside.ledger.journal(document_id), run)


def without(document: Document, bound: Mapping[str, str]) -> Document | None:
    """The document with these bindings given up, as far as they stand; None where none does."""
    taken_back = with_items(document, lambda item: _held(item) if _stands(item, bound) else item)
    return None if taken_back is document else taken_back


def _stands(item: Item, bound: Mapping[str, str]) -> bool:
    """A person's decision since, or a proof, outranks what the run said."""
    intent = item.intent
    if intent is None or item.state is not ItemState.CONFIRMED or intent.found_by is None:
        return False
    return intent.external_id == bound.get(item.key) and not intent.found_by.is_proof


def _held(item: Item) -> Item:
    assert item.intent is not None
    given_up = replace(
        item.intent,
        external_id=None,
        found_by=None,
        created_time=None,
        effective_status=None,
        attributes=None,
        warnings=(),
        unlisted_since=None,
        reason=Reason.UNPROVEN_ROW,
        facts=item.intent.facts + 1,
    )
    return replace(item, state=ItemState.HELD, intent=given_up)


def _at_rest(document: Document, view: View) -> Document:
    """Given back in order; what counted as published waits for a person now."""
    document = replace(document, lease=None, recoveries=max(0, document.recoveries - 1))
    if document.state not in _RESTING:
        return document
    return move(document, On.REVERT, DocumentState.HELD, view.now)


def _bound_by(journal: tuple[Recorded, ...], run: str) -> dict[str, str]:
    bound: dict[str, str] = {}
    for line in journal:
        if line.event.kind == events.BATCH_APPLIED and line.event.detail.get("run") == run:
            bound |= line.event.detail.get("bound", {})
    return bound


def _is_in(journal: tuple[Recorded, ...], run: str) -> bool:
    return any(
        line.event.kind == events.BATCH_REVERTED and line.event.detail.get("run") == run
        for line in journal
    )


def _told(undo: Undo, before: Document, bound: Mapping[str, str]) -> Event:
    taken = {item.key: bound[item.key] for item in before.items if _stands(item, bound)}
    detail = {"run": undo.run, "reason": undo.reason, "by": undo.by, "taken_back": taken}
    return Event(kind=events.BATCH_REVERTED, detail=detail)


def _outcome(
    document: Document,
    result: Result,
    *,
    after: DocumentState | None = None,
    why: str | None = None,
) -> Outcome:
    return Outcome(
        document_id=document.id,
        account_id=document.account_id,
        result=result,
        before=document.state,
        after=after or document.state,
        why=why,
    )
