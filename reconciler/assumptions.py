"""Which assumption a program's own `send` broke, as far as it can be seen from here.

That it left the labels out (A5) is seen by its never having read them; that it took too long (A2)
by the clock. That it sent twice (A8) is seen where it names a second id; else the next complete
look finds the second entity by its mark.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from . import events
from .copying import replace
from .facts import with_items
from .model import Document, Item
from .ports import Change, Event, View

GRACE: Final = timedelta(seconds=1)
"""What a `send` that was told to stop may take for it; the lease's margin is far longer."""


@dataclass(frozen=True, slots=True)
class Broken:
    """One assumption that does not hold for this call, told in a sentence."""

    assumption: str
    why: str

    def __str__(self) -> str:
        return f"{self.assumption}: {self.why}"


def outlived(took: timedelta, timeout: timedelta) -> Broken | None:
    """A2: a call ends before its lease does."""
    if took <= timeout + GRACE:
        return None
    seconds, allowed = took.total_seconds(), timeout.total_seconds()
    return Broken("A2", f"send took {seconds:.1f} s, and may take {allowed:g} s")


def unmarked(what: str) -> Broken:
    """A5: what was made bears our mark."""
    return Broken("A5", f"send made something without having read {what}: it may bear no mark")


def twice(first: str, second: str) -> Broken:
    """A8: one request makes at most one entity."""
    return Broken("A8", f"send named {first} and then {second}: two entities stand for one item")


def told_of(view: View, key: str, broken: Iterable[Broken]) -> Change:
    """Counted in the journal, and shown beside the item for as long as it is shown."""
    broken = tuple(broken)
    said = tuple(
        Event(
            kind=events.ASSUMPTION_BROKEN,
            item=key,
            detail={"assumption": one.assumption, "why": one.why},
        )
        for one in broken
    )
    return Change(document=_warned(view.document, key, broken), events=said)


def _warned(document: Document, key: str, broken: tuple[Broken, ...]) -> Document:
    def warned(item: Item) -> Item:
        if item.key != key or item.intent is None:
            return item
        told = dict.fromkeys((*item.intent.warnings, *map(str, broken)))
        return replace(item, intent=replace(item.intent, warnings=tuple(told)))

    return with_items(document, warned)
