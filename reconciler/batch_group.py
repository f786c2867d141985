"""One group of a plan: documents that share places, read, walked once for all, and judged.

A small group is kept in memory from the reading to the judging. A large one is read again, page by
page, and a document that moved meanwhile is left out, for what is judged must have been read before
the walk began. So memory follows the page, not the number of documents.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from .batch_account import PAGE, AccountRun, Judged
from .batch_groups import Tied, order
from .batch_judging import Case
from .batch_walking import Walked
from .listing import Place, Statuses, Wanted
from .model import Document

ASKED_AT_ONCE: Final = 10
"""Documents judged at once to find out where a second walk is needed."""

KEPT_ITEMS_MAX: Final = 5_000
"""Items of a group that is kept in memory while its places are walked."""


@dataclass(slots=True, kw_only=True)
class Progress:
    """How far a plan is: documents judged of all, places listed of those known so far, pages of
    the activity log."""

    done: int = 0
    of: int = 0
    places_done: int = 0
    places: int = 0
    log_pages: int = 0

    def add(self, more: Progress) -> Progress:
        """With what was done since."""
        self.done += more.done
        self.places_done += more.places_done
        self.places += more.places
        self.log_pages += more.log_pages
        return self


Write = Callable[[Judged], None]
Step = Callable[[Progress], None]


@dataclass(slots=True)
class _Kept:
    """What is kept of a group while its places are walked: all of it, or a print of each."""

    cases: list[Case] | None = field(default_factory=list)
    prints: dict[str, int] = field(default_factory=dict)
    items: int = 0
    _names: dict[Place, set[str]] = field(default_factory=dict)
    _parts: dict[Place, set[str]] = field(default_factory=dict)

    def add(self, cases: list[Case]) -> None:
        """Keep a page."""
        for case in cases:
            self.prints[case.standing.id] = print_of(case.standing)
            self.items += len(case.standing.items)
            for place in case.places:
                self._names.setdefault(place, set()).update(case.wanted.names)
                self._parts.setdefault(place, set()).update(case.wanted.document_parts)
        if self.cases is not None:
            self.cases = [*self.cases, *cases] if self.items <= KEPT_ITEMS_MAX else None

    @property
    def places(self) -> tuple[Place, ...]:
        """Where anything is to be found."""
        return tuple(sorted(self._names, key=order))

    def wanted(self, place: Place) -> Wanted:
        """What any of the documents wants of a place: one walk serves all."""
        return Wanted(frozenset(self._names[place]), frozenset(self._parts[place]))

    def is_same(self, case: Case) -> bool:
        """Whether it is as it was when it was kept."""
        return self.prints.get(case.standing.id) == print_of(case.standing)


@dataclass(slots=True)
class Group:
    """Documents and places that are tied together, known by a number of the plan. `moved` counts
    documents left out, `walked_twice` places of which a second walk was needed."""

    number: int
    run: AccountRun
    tied: Tied
    moved: int = 0
    walked_twice: int = 0
    _walked: Walked = field(default_factory=Walked)
    _kept: _Kept = field(default_factory=_Kept)

    async def judge(self, write: Write, step: Step) -> None:
        """Write a line for every document that is still what it was when its walk began."""
        # 1. Read them all, before anything is walked.
        places = frozenset(self.tied.places)
        async for cases in self.run.these(self.tied.documents):
            self._kept.add([case for case in cases if case.places <= places])
        # 2. Each place once, for all of them.
        began_at = await self.run.outside.ledger.now()
        for place in self._kept.places:
            await self._walk(place, Statuses.EVERY_STATUS)
            step(Progress(places_done=1))
        # 3. A second time where an absence could be said, which rests on two walks.
        again = await self._where_absence_could_be_said(began_at)
        for place in sorted(again, key=order):
            await self._walk(place, Statuses.NO_FILTER)
            self.walked_twice += 1
        # 4. Judge on all that was seen.
        told = 0
        async for cases in self._pages():
            for judged in await self.run.judged(cases, self._walked, began_at, self.number):
                write(judged)
            told += len(cases)
            step(Progress(done=len(cases)))
        self.moved = len(self.tied.documents) - told

    async def _walk(self, place: Place, statuses: Statuses) -> None:
        await self.run.walks.walk(place, self._kept.wanted(place), statuses, self._walked)

    async def _where_absence_could_be_said(self, began_at: datetime) -> set[Place]:
        """A few documents are mostly enough to know it of all places: then no more are judged."""
        again: set[Place] = set()
        async for cases in self._pages():
            for start in range(0, len(cases), ASKED_AT_ONCE):
                few = cases[start : start + ASKED_AT_ONCE]
                for case, sight, look in await self.run.looks(few, self._walked, began_at):
                    again |= sight.places_to_walk_again(case, look)
                if again.issuperset(self._kept.places):
                    return again
        return again

    async def _pages(self) -> AsyncIterator[list[Case]]:
        """The documents as they were when the walks began."""
        if (kept := self._kept.cases) is not None:
            for start in range(0, len(kept), PAGE):
                yield kept[start : start + PAGE]
            return
        async for cases in self.run.these(self._kept.prints):
            yield [case for case in cases if self._kept.is_same(case)]


def print_of(document: Document) -> int:
    """Differs where anything moved that a decision is fenced with."""
    items = tuple(
        (item.key, item.state, item.intent.facts if item.intent else 0) for item in document.items
    )
    return hash((document.lease_epoch, document.state, items))
