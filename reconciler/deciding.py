"""Turns one look into decisions, inside the transaction that makes them and *the end*.

A verdict is what is true; a decision moves an intent's state. Between the two the world may have
moved, so each decision repeats what it was judged on: the item's state, its counter of facts, and
the bindings and rivals around it. What moved is `stale`, left as it is, and judged again.

Pure: frozen document in, frozen document out; `now` is the ledger's.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from . import events
from .attributes import with_row, with_what_listings_show
from .copying import replace
from .facts import bound, used_after_a_find, without_bound_surplus
from .limits import Limits
from .listing import Place, Statuses
from .look import Look
from .model import (
    Call,
    Document,
    Intent,
    Item,
    ItemState,
    JudgedItem,
    Origin,
    Outcome,
    Reason,
    Surplus,
)
from .ports import Event, View
from .settling import is_overdue_passing, next_look, settle_at
from .signature import needs_settling
from .verdict import Absent, Found, Inconclusive, Verdict, word
from .walking import place_of


def is_stale(view: View, look: Look) -> bool:
    """Whether bindings or rivals differ from those judged: then nothing of the look is decided."""
    return view.surroundings != look.surroundings


def stale_items(document: Document, look: Look) -> frozenset[str]:
    """Items whose state or facts moved since they were read."""
    return frozenset(
        item.key for item in document.items if item.key in look.verdicts and _moved(item, look)
    )


def _moved(item: Item, look: Look) -> bool:
    before = look.seen.get(item.key)
    facts = item.intent.facts if item.intent else 0
    return before is None or (before.state, before.facts) != (item.state, facts)


def with_verdicts(document: Document, look: Look, now: datetime, limits: Limits) -> Document:
    """Apply every verdict of a look that is not stale; fill what the listings say of siblings."""
    stale = stale_items(document, look)
    shown = with_what_listings_show(document, look, limits)
    items = tuple(
        _decided(document, item, look.verdicts[item.key], now, limits)
        if item.key in look.verdicts and item.key not in stale
        else item
        for item in shown.items
    )
    confirmed = any(
        new.state is ItemState.CONFIRMED and old.state is not ItemState.CONFIRMED
        for new, old in zip(items, document.items, strict=True)
    )
    decided = replace(
        shown,
        items=items,
        verdicts=_verdicts(document, look, now, stale),
        attempts_used=used_after_a_find(document, limits) if confirmed else document.attempts_used,
    )
    return without_bound_surplus(with_surplus(decided, look.judgement.surplus))


def with_verdicts_told(document: Document, look: Look, now: datetime, limits: Limits) -> Document:
    """What the look says and shows, recorded without any decision: verdicts, attributes, surplus.

    `look` must be of the document as it stands.
    """
    shown = with_what_listings_show(document, look, limits)
    told = replace(shown, verdicts=_verdicts(document, look, now, frozenset()))
    return without_bound_surplus(with_surplus(told, look.judgement.surplus))


def _decided(
    document: Document, item: Item, verdict: Verdict, now: datetime, limits: Limits
) -> Item:
    if item.intent is None or not (needs_settling(item) or item.state is ItemState.HELD):
        return item
    match verdict:
        case Found(row=row, grade=grade):
            return with_row(bound(item, item.intent, row.id, grade), row, verdict.created_at)
        case Absent():
            return _moved_to(item, item.intent, ItemState.ABSENT, None)
        case Inconclusive(reason=reason):
            settled = settle_at(item.intent, document.attempts, limits.timings())
            lasts = is_overdue_passing(now, settled, limits.passing_max)
            lasts = lasts and document.origin is Origin.OURS  # nobody looks at the others meanwhile
            return _not_known(item, item.intent, reason, lasts)


def _not_known(item: Item, intent: Intent, reason: Reason, lasts: bool) -> Item:
    """Passing reasons leave it pending, unless one lasts; standing ones need a person at once."""
    if item.state is ItemState.HELD and reason.is_passing:
        return item  # a person asked; what it is held for still stands
    if reason.is_passing and not lasts:
        return item
    return _moved_to(item, intent, ItemState.HELD, reason)


def _moved_to(item: Item, intent: Intent, state: ItemState, reason: Reason | None) -> Item:
    return replace(item, state=state, intent=replace(intent, facts=intent.facts + 1, reason=reason))


def with_surplus(document: Document, found: Iterable[Surplus]) -> Document:
    """Add surplus not yet known of; what a person recorded stays recorded."""
    known = {extra.external_id for extra in document.surplus}
    more = tuple(extra for extra in found if extra.external_id not in known)
    return replace(document, surplus=(*document.surplus, *more)) if more else document


def _verdicts(
    document: Document, look: Look, now: datetime, stale: frozenset[str]
) -> tuple[JudgedItem, ...]:
    latest = {judged.item: judged for judged in document.verdicts}
    for key, verdict in look.verdicts.items():
        if key not in stale:
            latest[key] = _judged(key, verdict, now)
    return tuple(latest[key] for key in sorted(latest))


def _judged(key: str, verdict: Verdict, now: datetime) -> JudgedItem:
    return JudgedItem(
        item=key,
        verdict=word(verdict),
        reason=verdict.reason if isinstance(verdict, Inconclusive) else None,
        judged_at=now,
        evidence_id=verdict.evidence.id,
        evidence_hash=verdict.evidence.hash,
    )


def due_after(
    document: Document, look: Look, now: datetime, limits: Limits, fraction: float
) -> tuple[datetime | None, int]:
    """When to look again at what stays pending, and the backoff step then.

    `too_soon` waits for the next moment at which a look can say more; any other passing reason
    for the common backoff, or for what the API asked.
    """
    pending = [item for item in document.items if item.state is ItemState.PENDING]
    if not pending:
        return None, 0
    troubled = any(_is_trouble(look.verdicts.get(item.key)) for item in pending)
    if troubled:
        pause = look.wait or limits.backoff(document.backoff_step, fraction)
        return now + min(pause, limits.throttle_max_wait), document.backoff_step + 1
    awaited = [*pending, *_held_beside(document, pending)]
    return next_look(awaited, document.attempts, look.began_at, limits.timings()) or now, 0


def _held_beside(document: Document, pending: Iterable[Item]) -> list[Item]:
    """Held items that want the same as a pending one. Nothing is said of any of them before all of
    them are settled: without these it would be due at once, again and again, until then."""
    wanted = {_wants(item.intent) for item in pending if item.intent}
    held = (item for item in document.items if item.state is ItemState.HELD and item.intent)
    return [item for item in held if item.intent and _wants(item.intent) in wanted]


def _wants(intent: Intent) -> tuple[Place, str]:
    return place_of(intent), intent.name


def _is_trouble(verdict: Verdict | None) -> bool:
    return isinstance(verdict, Inconclusive) and verdict.reason is not Reason.TOO_SOON


def told(look: Look, stale: frozenset[str], before: Document) -> tuple[Event, ...]:
    """The journal's lines about a look. Surplus that was reported `before` is told once only."""
    reported = {extra.external_id for extra in before.surplus}
    lines = [
        Event(
            kind=events.STALE if key in stale else events.LOOKED,
            item=key,
            detail={
                "verdict": word(verdict),
                "reason": verdict.reason.value if isinstance(verdict, Inconclusive) else None,
                "evidence_id": verdict.evidence.id,
            },
        )
        for key, verdict in sorted(look.verdicts.items())
    ]
    fresh = (extra for extra in look.judgement.surplus if extra.external_id not in reported)
    return (*lines, *(_told_surplus(extra) for extra in fresh))


def told_state(before: Document, after: Document) -> tuple[Event, ...]:
    """The journal's line about a state that moved; none where it did not."""
    if before.state is after.state:
        return ()
    return (Event(kind=events.STATE, detail={"state": after.state.value}),)


def _told_surplus(extra: Surplus) -> Event:
    detail = {"external_id": extra.external_id, "kind": extra.kind.value}
    return Event(kind=events.SURPLUS, item=extra.item, detail=detail)


# --- the owed look ---------------------------------------------------------------------------


def owed_places(document: Document) -> frozenset[Place]:
    """Where an unanswered call of this document may have made something."""
    return frozenset(
        place_of(item.intent)
        for item in document.items
        if item.intent is not None and any(_is_unanswered(call) for call in item.intent.calls)
    )


def _is_unanswered(call: Call) -> bool:
    return call.outcome in (None, Outcome.UNKNOWN, Outcome.REFUSED_ACCESS)


def with_owed_look_done(document: Document, look: Look | None) -> Document:
    """Strike the owed look off, where every place was listed whole and late enough.

    Nothing is owed either where late answers left no call unanswered. `look` None: none was made.
    """
    since = document.owes_look_from
    if since is None:
        return document
    listings = look.listings if look else ()
    whole = (walk for walk in listings if walk.request.statuses is not Statuses.OUR_LABEL)
    done = {walk.request.place for walk in whole if walk.started_at >= since}
    return replace(document, owes_look_from=None) if owed_places(document) <= done else document
