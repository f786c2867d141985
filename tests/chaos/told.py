"""A small history for the oracle: one document with a twin and another, all as it should be."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from fixtures.chaos.history import Call, History, Item, Made, Sent, name_sent
from fixtures.chaos.profile import LEASE_SECONDS

BEGIN: Final = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)
LABEL: Final = "rc1-" + "a" * 16
OTHER: Final = "rc1-" + "b" * 16


def at(seconds: float) -> datetime:
    """A moment of the history."""
    return BEGIN + timedelta(seconds=seconds)


def call(begun: float, ended: float | None = None, **known: Any) -> Call:
    """A call; `ended` None: nobody recorded its end, so that the end of its lease counts."""
    return Call(
        started_at=at(begun),
        ended_at=None if ended is None else at(ended),
        lease_until=at(begun + LEASE_SECONDS),
        outcome=known.get("outcome"),
        external_id=known.get("external_id"),
    )


def item(key: str, external_id: str, *, label: str = LABEL, twin: bool = False) -> Item:
    """A confirmed ad of ad set 2001 whose one call was answered."""
    return Item(
        place=(f"D{label[-1]}", key),
        account_id="act_1001",
        kind="ad",
        name="Spring",
        state="confirmed",
        parent_id="2001",
        mark=(label, key * 6),
        is_marked_by_name=twin,
        external_id=external_id,
        found_by="reply",
        calls=(call(1, 2, outcome="created", external_id=external_id),),
    )


def made(of: Item, external_id: str, *, arrived: float, landed: float) -> Made:
    """What a request for this item made."""
    assert of.mark is not None
    return Made(
        id=external_id,
        account_id=of.account_id,
        kind=of.kind,
        parent_id=of.parent_id or "",
        name=name_sent(of),
        labels=(of.mark[0],),
        requested_at=at(arrived),
        landed_at=at(landed),
    )


TWIN: Final = item("a", "1", twin=True)
SIBLING: Final = item("c", "2", twin=True)
STRANGER: Final = item("e", "3", label=OTHER)


def healthy() -> History:
    """Three items, three creations, every one recorded."""
    items = (TWIN, SIBLING, STRANGER)
    return History(
        made=tuple(made(one, str(n), arrived=1.5, landed=1.6) for n, one in enumerate(items, 1)),
        sent=tuple(_sent(one) for one in items),
        documents={name: _document(name) for name in ("Da", "Db")},
        items={one.place: one for one in items},
        surplus={},
        attempts={"succeeded": 2},
    )


def with_item(history: History, changed: Item) -> History:
    """The same with this item as it now is."""
    return replace(history, items={**history.items, changed.place: changed})


def with_made(history: History, *more: Made) -> History:
    """The same with these made too."""
    return replace(history, made=(*history.made, *more))


def _sent(one: Item) -> Sent:
    assert one.mark is not None
    return Sent(name=name_sent(one), labels=(one.mark[0],), at=at(1.5))


def _document(name: str) -> dict[str, Any]:
    return {"id": name, "state": "published", "owes_look_from": None}
