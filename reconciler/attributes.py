"""What the listings of a look show of the entities that are recorded already.

Nothing here moves a state: that an entity was made stays true, whatever became of it since.
Pure: frozen document in, frozen document out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from . import events
from .copying import quick, replace
from .created_time import parse_created_time
from .facts import items_beside, with_items
from .limits import Limits
from .listing import Listing, Row, Statuses
from .look import Look
from .model import Attempt, Document, Intent, Item, ItemState, Kind, Surplus
from .ports import Event
from .request import is_comparison, warnings_of
from .settling import answers_show_from
from .walking import place_of


def with_what_listings_show(document: Document, look: Look, limits: Limits) -> Document:
    """Attributes of the confirmed items that were listed; since when what was not is gone.

    Only ids of `look.named` can be missed: of any other, a narrowed walk may have dropped the row.
    """
    rows = {row.id: row for listing in look.listings for row in listing.rows}

    def shown(item: Item) -> Item:
        intent = item.intent
        if item.state is not ItemState.CONFIRMED or intent is None or intent.external_id is None:
            return item
        row = rows.get(intent.external_id)
        if row is not None:
            return with_row(item, row, None)
        missed_at = _missed_at(intent.external_id, [intent], document.attempts, look, limits)
        return item if missed_at is None else _unlisted(item, intent, missed_at)

    def still(extra: Surplus) -> Surplus:
        if extra.external_id in rows:
            return replace(extra, unlisted_since=None) if extra.unlisted_since else extra
        beside = [item.intent for item in items_beside(document, extra) if item.intent]
        missed_at = _missed_at(extra.external_id, beside, document.attempts, look, limits)
        since = extra.unlisted_since or missed_at
        return extra if missed_at is None else replace(extra, unlisted_since=since)

    surplus = tuple(still(extra) for extra in document.surplus)
    document = document if surplus == document.surplus else replace(document, surplus=surplus)
    return with_items(document, shown)


def with_row(item: Item, row: Row, created_at: datetime | None) -> Item:
    """Attributes as the API gave them; what differs from what was sent is said loudly."""
    if item.intent is None:
        return item
    told = [each for each in item.intent.warnings if not is_comparison(each)]  # of former rows
    intent = replace(
        item.intent,
        created_time=created_at or item.intent.created_time,
        effective_status=row.effective_status,
        attributes=row.data,
        warnings=(*told, *warnings_of(item, item.intent, row)),
        unlisted_since=None,
    )
    return item if intent == item.intent else replace(item, intent=intent)


def created_at(intent: Intent) -> datetime | None:
    """When the API made it: as a look judged it, else as the row that was listed since has it."""
    if intent.created_time is not None or not intent.attributes:
        return intent.created_time
    told = intent.attributes.get("created_time")
    return parse_created_time(told if isinstance(told, str) else None)


def warnings_said(intent: Intent) -> tuple[str, ...]:
    """Where the entity differs from what was sent, and that it is not listed any more."""
    if intent.unlisted_since is None:
        return intent.warnings
    began = f"{intent.unlisted_since:%Y-%m-%d %H:%M:%S} UTC"
    gone = f"not in the complete listing of {began}: deleted or moved since"
    if intent.attributes:
        gone += "; its attributes are as last listed, and the status it had is left out"
    before = (f"as last listed, {one}" if is_comparison(one) else one for one in intent.warnings)
    return *before, gone


STATUSES: Final = frozenset({"status", "effective_status", "configured_status"})


def attributes_said(intent: Intent) -> dict[str, Any] | None:
    """The row as the API gave it. What status it had says nothing of one that is not listed any
    more, and is left out then."""
    if not intent.attributes:
        return None
    left_out = STATUSES if intent.is_unlisted else frozenset[str]()
    return {name: value for name, value in intent.attributes.items() if name not in left_out}


def told_unlisted(before: Document, after: Document) -> tuple[Event, ...]:
    """The journal's lines about what a complete listing lacks now, and what one shows again.

    Item by item: two creatives may share one id (facts 4.9), and each misses it by its own times.
    """
    was = {one.place: one.is_unlisted for one in _recorded(before)}
    return tuple(
        _told_listed(one)
        for one in _recorded(after)
        if one.place in was and was[one.place] != one.is_unlisted
    )


@quick
@dataclass(frozen=True, slots=True)
class _Recorded:
    external_id: str
    kind: Kind
    item: str | None
    is_unlisted: bool
    is_surplus: bool

    @property
    def place(self) -> tuple[str | None, str]:
        """What tells it from everything else that is recorded."""
        return self.item, self.external_id


def _recorded(document: Document) -> Iterator[_Recorded]:
    for item in document.items:
        if item.intent is not None and (found := item.intent.external_id) is not None:
            yield _Recorded(found, item.kind, item.key, item.intent.is_unlisted, is_surplus=False)
    for extra in document.surplus:
        is_unlisted = extra.unlisted_since is not None
        yield _Recorded(extra.external_id, extra.kind, extra.item, is_unlisted, is_surplus=True)


def _told_listed(one: _Recorded) -> Event:
    kind = events.UNLISTED if one.is_unlisted else events.LISTED_AGAIN
    told = {"external_id": one.external_id, "kind": one.kind.value, "surplus": one.is_surplus}
    return Event(kind=kind, item=one.item, detail=told)


def _unlisted(item: Item, intent: Intent, at: datetime) -> Item:
    """The status it had is not its status any more; the first listing without it is remembered."""
    since = intent.unlisted_since or at
    return replace(item, intent=replace(intent, effective_status=None, unlisted_since=since))


def _missed_at(
    external_id: str,
    beside: Sequence[Intent],
    attempts: Iterable[Attempt],
    look: Look,
    limits: Limits,
) -> datetime | None:
    """When the listings began that ought to show it, in the place of each of these intents, and do
    not. None: one is not listed whole, or not late enough."""
    if external_id not in look.named:
        return None
    attempts, missed = tuple(attempts), list[datetime]()
    for intent in beside:
        shows_from = answers_show_from(intent, attempts, limits.timings())
        began = (walk.started_at for walk in look.listings if _covers(walk, intent))
        late_enough = [at for at in began if shows_from is None or at >= shows_from]
        if not late_enough:
            return None
        missed.append(min(late_enough))
    return max(missed, default=None)


def _covers(listing: Listing, intent: Intent) -> bool:
    """With every status: without a filter the API leaves archived ones out (facts 5.7)."""
    every_status = listing.request.statuses is Statuses.EVERY_STATUS
    unfiltered = intent.kind is Kind.ADCREATIVE and listing.request.statuses is Statuses.NO_FILTER
    return listing.request.place == place_of(intent) and (every_status or unfiltered)
