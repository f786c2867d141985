"""Facts and decisions about calls: what is written before one is sent, and when it was answered.

A *fact* ("this call was answered X") is recorded always, also by a worker that lost its lease: it
adds one to the intent's `facts` and moves no state. A *decision* moves an intent's state and needs
the lease. Writing a call is a decision: it is refused once any call of the intent has an id, for
then the entity exists.

Pure: frozen document in, frozen document out; `now` is the ledger's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

from .call_outcome import Answered
from .copying import replace
from .limits import Limits
from .model import (
    Call,
    Document,
    DocumentState,
    Grade,
    Intent,
    Item,
    ItemState,
    Outcome,
    Surplus,
)
from .signature import needs_settling
from .the_end import with_owed_look


def with_items(document: Document, change: Callable[[Item], Item]) -> Document:
    """The document with every item put through `change`; itself if none differs."""
    items = tuple(change(item) for item in document.items)
    same = all(new is old for new, old in zip(items, document.items, strict=True))
    return document if same else replace(document, items=items)


def merged(whole: Document, part: Document) -> Document:
    """The document as a change of some of its items left it, with the others as they were."""
    changed = {item.key: item for item in part.items}
    return replace(part, items=tuple(changed.get(item.key, item) for item in whole.items))


# --- before the call -------------------------------------------------------------------------


def with_calls_written(
    document: Document, intents: Mapping[str, Intent], attempt: int, now: datetime
) -> tuple[Document, frozenset[str]]:
    """Write an intent and its next call for each of these items, in one transaction.

    `intents` holds, by item key, what is about to be sent. Returns the document and the keys that
    were written: an item whose call was answered with an id meanwhile is not.
    """
    written: set[str] = set()

    def write(item: Item) -> Item:
        if item.key not in intents or not _may_be_sent(item):
            return item
        written.add(item.key)
        return _with_call(item, intents[item.key], attempt, now)

    return with_items(document, write), frozenset(written)


def _may_be_sent(item: Item) -> bool:
    return item.state in (ItemState.WAITING, ItemState.ABSENT) and not needs_settling(item)


def _with_call(item: Item, intent: Intent, attempt: int, now: datetime) -> Item:
    earlier = item.intent.calls if item.intent else ()
    facts = item.intent.facts if item.intent else 0
    call = Call(number=len(earlier) + 1, attempt=attempt, started_at=now)
    sent = replace(intent, calls=(*earlier, call), facts=facts + 1, reason=None)
    return replace(item, state=ItemState.PENDING, intent=sent)


# --- after the call --------------------------------------------------------------------------


def with_facts(
    document: Document, answered: Iterable[Answered], now: datetime, limits: Limits
) -> Document:
    """Record how calls ended. A call that has a recorded end keeps it.

    Makes a queued document due, and owes a look where a call stays unanswered.
    """
    by_item: dict[str, list[Answered]] = {}
    for one in answered:
        by_item.setdefault(one.item, []).append(one)
    recorded = with_items(document, lambda item: _with_ends(item, by_item.get(item.key, []), now))
    if recorded is document:
        return document
    fresh = {(one.item, one.call) for group in by_item.values() for one in group}
    owing = with_owed_look(recorded, limits, lambda key, call: (key, call.number) in fresh)
    recorded = with_second_ids(owing)
    if recorded.state is DocumentState.QUEUED:
        recorded = replace(recorded, due_at=now)
    return recorded


def _with_ends(item: Item, answered: list[Answered], now: datetime) -> Item:
    for one in answered:
        item = _with_end(item, one, now)
    return item


def _with_end(item: Item, answered: Answered, now: datetime) -> Item:
    intent = item.intent
    if intent is None or not 1 <= answered.call <= len(intent.calls):
        raise AssertionError("an answer belongs to a call that was written before it was sent")
    call = intent.calls[answered.call - 1]
    if call.ended_at is not None:
        return item
    answer = answered.answer
    ended = replace(
        call,
        ended_at=now,
        outcome=answer.outcome,
        external_id=answer.external_id,
        error=answer.error,
    )
    calls = (*intent.calls[: call.number - 1], ended, *intent.calls[call.number :])
    return replace(item, intent=replace(intent, calls=calls, facts=intent.facts + 1))


def first_id(intent: Intent) -> str | None:
    """The id of the call whose answer was recorded first: that one is bound."""
    ended = [c for c in intent.calls if c.external_id is not None and c.ended_at is not None]
    ended.sort(key=lambda call: (call.ended_at or call.started_at, call.number))
    return ended[0].external_id if ended else None


def with_second_ids(document: Document) -> Document:
    """Every further id of one intent is surplus; of a cancelled document every id that is unbound.

    A cancelled document binds nothing any more: what exists is a person's to clean up.
    """
    known = {extra.external_id for extra in document.surplus}
    more = [
        Surplus(external_id=external_id, kind=item.kind, item=item.key)
        for item in document.items
        if item.intent is not None
        for external_id in _further_ids(item.intent, document.state)
        if external_id not in known
    ]
    return replace(document, surplus=(*document.surplus, *more)) if more else document


def _further_ids(intent: Intent, state: DocumentState) -> list[str]:
    expected = expected_id(intent, state)
    ids = dict.fromkeys(call.external_id for call in intent.calls if call.external_id)
    return [external_id for external_id in ids if external_id != expected]


def expected_id(intent: Intent, state: DocumentState) -> str | None:
    """The id it has or will get in this state of its document; None: none is known."""
    will_be = None if state is DocumentState.CANCELLED else first_id(intent)
    return intent.external_id or will_be


# --- what follows from it, under the lease ---------------------------------------------------


def with_answers_decided(document: Document) -> Document:
    """Move every pending intent whose calls leave nothing to find out.

    `created` is `Found` by reply, also where the intent is `absent` or `held` by now. `unknown`
    and `refused_access` stay `pending`: they are settled by looking. What an attempt confirms while
    it runs gives the attempts back.
    """
    decided = with_items(document, _decided_by_answers)
    confirmed_now = _confirmed(decided) - _confirmed(document)
    if not confirmed_now:
        return decided
    used = 0 if _is_running(document) else document.attempts_used
    return replace(without_bound_surplus(decided), attempts_used=used)


def used_after_a_find(document: Document, limits: Limits) -> int:
    """The attempts used once a look found something: none, but those that are used up stay so.

    After the last one allowed nothing more is created until a person says so (R071, R072).
    """
    used = document.attempts_used
    return used if used >= limits.max_attempts and not _is_running(document) else 0


def _is_running(document: Document) -> bool:
    return any(attempt.outcome is None for attempt in document.attempts)


def _confirmed(document: Document) -> set[str]:
    return {item.key for item in document.items if item.state is ItemState.CONFIRMED}


def _decided_by_answers(item: Item) -> Item:
    intent = item.intent
    if intent is None or not needs_settling(item):
        return item
    external_id = first_id(intent)
    if external_id is not None:
        return bound(item, intent, external_id, Grade.REPLY)
    last = intent.calls[-1]  # a call is written only once those before it were proven to make none
    if not last.is_final:
        return item
    state = ItemState.REJECTED if last.outcome is Outcome.REJECTED else ItemState.ABSENT
    return replace(item, state=state, intent=replace(intent, facts=intent.facts + 1))


def bound(item: Item, intent: Intent, external_id: str, grade: Grade) -> Item:
    """Bind an external id to an item's intent."""
    intent = replace(
        intent, external_id=external_id, found_by=grade, facts=intent.facts + 1, reason=None
    )
    return replace(item, state=ItemState.CONFIRMED, intent=intent)


def items_beside(document: Document, extra: Surplus) -> list[Item]:
    """Where its place may be told by: the item it was reported of, else all of its kind."""
    fitting = (item for item in document.items if item.kind is extra.kind)
    return [item for item in fitting if extra.item in (None, item.key)]


def without_bound_surplus(document: Document) -> Document:
    """What is bound by now is no surplus."""
    ids = {item.intent.external_id for item in document.items if item.intent}
    kept = tuple(extra for extra in document.surplus if extra.external_id not in ids)
    return document if kept == document.surplus else replace(document, surplus=kept)
