"""Which documents have to be judged together so that each container is listed once for all.

Documents that send to several places tie these together: a campaign's document ties the account to
the campaign. What is tied together is one group, walked and judged before the next one is begun.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from .listing import Place

Places = frozenset[Place]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tied:
    """Documents by id, and all the places that they have anything to find in."""

    documents: tuple[str, ...]
    places: tuple[Place, ...]


@dataclass(slots=True)
class Tying:
    """Takes documents one by one; keeps of each its id, and its set of places only once."""

    _by_places: dict[Places, list[str]] = field(default_factory=dict)

    def add(self, document_id: str, places: Places) -> None:
        """This document has something to find in these places, or in none."""
        self._by_places.setdefault(places, []).append(document_id)

    def groups(self) -> Iterator[Tied]:
        """Every document once, every place in one group only, in an order that is always the same.

        Documents with nothing to find anywhere come first.
        """
        tied = _Tied(self._by_places)
        by_group: dict[Place | None, list[str]] = {}
        for places, ids in self._by_places.items():
            by_group.setdefault(tied.head(places), []).extend(ids)
        found = tied.by_head()
        for head in sorted(by_group, key=lambda head: list(map(order, found[head]))):
            yield Tied(documents=tuple(sorted(by_group[head])), places=tuple(found[head]))


class _Tied:
    """Which places are tied together, each group known by one of them: its head."""

    def __init__(self, several: Iterable[Places]) -> None:
        self._above: dict[Place, Place] = {}
        for places in several:
            heads = [self._head(place) for place in places]
            for head in heads[1:]:
                self._above[self._head(head)] = self._head(heads[0])

    def head(self, places: Places) -> Place | None:
        """Of the group that these places are in; None for no place."""
        return self._head(next(iter(places))) if places else None

    def by_head(self) -> dict[Place | None, list[Place]]:
        """All places of each group, in order."""
        groups: dict[Place | None, list[Place]] = {None: []}
        for place in sorted(self._above, key=order):
            groups.setdefault(self._head(place), []).append(place)
        return groups

    def _head(self, place: Place) -> Place:
        self._above.setdefault(place, place)
        while self._above[place] != place:
            self._above[place] = self._above[self._above[place]]  # halves the way for the next one
            place = self._above[place]
        return place


def order(place: Place) -> tuple[str, str, str]:
    """A fixed order of places."""
    container, kind = place
    return container.kind, container.id, kind
