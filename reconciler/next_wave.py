"""Chooses what to send next, and with what: references confirmed, nothing twice.

Until one create of the document is known to have succeeded a wave is one item, and nothing goes
beside it, so that its label comes to exist once, and a kill leaves no crowd of intents that were
never sent. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping

from .limits import Limits
from .model import Document, Echo, Intent, Item, ItemState, Outcome
from .request import create_request, new_intent
from .signature import needs_settling
from .wave import ToSend


def next_wave(document: Document, limits: Limits) -> tuple[str, ...]:
    """Keys of the items to send now, in the plan's order; empty where none can be."""
    ids = external_ids(document)
    ready = [
        item
        for item in document.items
        if _may_be_sent(item, ids) and _tries(document, item) < limits.not_sent_max
    ]
    ready.sort(key=lambda item: item.position)
    return tuple(item.key for item in ready[: _size(document, limits)])


def _size(document: Document, limits: Limits) -> int:
    if _has_succeeded(document):
        return limits.wave_size
    return 0 if any(item.state is ItemState.PENDING for item in document.items) else 1


def only_unreachable_left(document: Document, limits: Limits) -> bool:
    """Whether items could be sent, and were tried as often as one attempt may."""
    ids = external_ids(document)
    return any(
        _may_be_sent(item, ids) and _tries(document, item) >= limits.not_sent_max
        for item in document.items
    )


def intents_of(document: Document, wave: tuple[str, ...], echo: Echo) -> dict[str, Intent]:
    """What is about to be sent, by key. The mark and where it rides are kept for all calls."""
    ids = external_ids(document)
    items = {item.key: item for item in document.items}
    intents: dict[str, Intent] = {}
    for key in wave:
        item = items[key]
        fresh = new_intent(document, item, echo, ids)
        intents[key] = _kept(item.intent, fresh)
    return intents


def _kept(before: Intent | None, fresh: Intent) -> Intent:
    if before is None:
        return fresh
    return Intent(
        kind=fresh.kind,
        name=fresh.name,
        container=fresh.container,
        fingerprint=fresh.fingerprint,
        mark=before.mark,
        mark_in_name=before.mark_in_name,
    )


def to_send(document: Document, wave: tuple[str, ...]) -> tuple[ToSend, ...]:
    """The requests of those items of the wave whose call was written just now."""
    ids = external_ids(document)
    items = {item.key: item for item in document.items}
    return tuple(
        ToSend(
            item=item.key,
            call=item.intent.calls[-1].number,
            request=create_request(document, item, item.intent, ids),
        )
        for item in (items[key] for key in wave)
        if item.intent is not None and _is_open(item)
    )


def _is_open(item: Item) -> bool:
    """Pending, and its last call has no end: written, and not yet sent."""
    if item.state is not ItemState.PENDING or item.intent is None:
        return False
    return item.intent.calls[-1].ended_at is None


def external_ids(document: Document) -> dict[str, str]:
    """Ids of the confirmed items, by key: what references resolve to."""
    return {
        item.key: item.intent.external_id
        for item in document.items
        if item.state is ItemState.CONFIRMED
        and item.intent is not None
        and item.intent.external_id is not None
    }


def _may_be_sent(item: Item, ids: Mapping[str, str]) -> bool:
    if item.state not in (ItemState.WAITING, ItemState.ABSENT) or needs_settling(item):
        return False
    return item.refs <= ids.keys()


def _tries(document: Document, item: Item) -> int:
    """Calls of this attempt that never left us."""
    if item.intent is None or not document.attempts:
        return 0
    attempt = document.attempts[-1].number
    return sum(
        call.attempt == attempt and call.outcome is Outcome.NOT_SENT for call in item.intent.calls
    )


def _has_succeeded(document: Document) -> bool:
    return any(
        item.intent is not None and item.intent.external_id is not None for item in document.items
    )
