"""The vetoes: what speaks against a whole name, however well one of its rows looks.

A veto removes *all* survivors of a name, which then count as doubts: removing contested rows one
by one would let the order of documents decide. Each counts what the sieves left; none changes
another's count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Final

from .claimant import Claimant
from .comparing import is_ours
from .model import Reason
from .sieves import Ruling, Says, rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Funnel:
    """One intent and what the sieves say of every row where it would be listed, by id."""

    claimant: Claimant
    rulings: tuple[Ruling, ...]

    def those(self, says: Says) -> tuple[Ruling, ...]:
        """The rulings that say this."""
        return tuple(ruling for ruling in self.rulings if ruling.says is says)

    def bears_our_mark(self, ruling: Ruling) -> bool:
        """Whether any reading does."""
        return any(is_ours(self.claimant, reading) for reading in ruling.readings)


@dataclass(frozen=True, kw_only=True)
class Name:
    """What one document lacks under one name: kind, parent and name, or one whole mark.

    `funnels` are those of its pending and held intents: a survivor could belong to any of them.
    """

    funnels: tuple[Funnel, ...]
    rivals: tuple[Claimant, ...]
    max_per_name: int

    @property
    def lacking(self) -> int:
        """How many entities the document still misses under it."""
        return len(self.funnels)

    @cached_property
    def settle_at(self) -> datetime | None:
        """When all that could share a row are settled.

        The entity of an equal twin may still be on its way, and would change which takes which.
        """
        times = (funnel.claimant.settle_at for funnel in self.funnels)
        return max((time for time in times if time is not None), default=None)

    @cached_property
    def survivors(self) -> Mapping[str, Ruling]:
        """What the sieves left for any of its intents, by id."""
        return {
            ruling.id: ruling for funnel in self.funnels for ruling in funnel.those(Says.SURVIVES)
        }

    @cached_property
    def is_marked(self) -> bool:
        """Whether every survivor bears our mark, and there is one."""
        return bool(self.survivors) and all(
            funnel.bears_our_mark(ruling)
            for funnel in self.funnels
            for ruling in funnel.those(Says.SURVIVES)
        )

    @cached_property
    def doubt(self) -> Reason | None:
        """The first sieve's doubt. Beside a survivor with our mark unmarked rows do not count."""
        doubts = [
            ruling
            for funnel in self.funnels
            for ruling in funnel.those(Says.DOUBT)
            if not self.is_marked or funnel.bears_our_mark(ruling)
        ]
        return min(doubts, key=lambda ruling: ruling.stage).reason if doubts else None

    @cached_property
    def vetoes(self) -> tuple[Veto, ...]:
        """Those that speak against it, in the order of the table."""
        return tuple(veto for veto in VETOES if veto.speaks(self))


@dataclass(frozen=True, slots=True)
class Veto:
    """One rule about a whole name."""

    name: str
    reason: Reason
    speaks: Callable[[Name], bool]


def contenders(name: Name) -> Iterator[tuple[Ruling, Claimant]]:
    """Each survivor with each rival whose own sieves do not disprove it. Our mark is contested by
    nobody."""
    if name.is_marked:
        return
    for survivor in name.survivors.values():
        for rival in name.rivals:
            if rule(rival, survivor.readings).says is not Says.NOT_OURS:
                yield survivor, rival


def _is_contested(name: Name) -> bool:
    return any(True for _ in contenders(name))


VETOES: Final = (
    Veto("uncontested", Reason.CONTESTED, _is_contested),
    Veto("unambiguous", Reason.AMBIGUOUS, lambda name: len(name.survivors) > name.lacking),
    Veto("cap", Reason.OVER_CAP, lambda name: len(name.survivors) > name.max_per_name),
)
