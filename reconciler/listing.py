"""A walk of a container, narrowed while it streams, and the two types in which it can end.

Only `Listing` can prove anything. An `IncompleteListing` is another type on purpose: a walk that
stopped early looks like a container with fewer children, and that mistake makes a second ad.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Protocol

from .copying import quick
from .mark import MarksSeen, marks_of, split_name, without_cut_mark
from .model import Container, Document, Item, Kind, Reason
from .names import canonical, unescaped

Place = tuple[Container, Kind]
"""Whose children, and which kind of them: what one walk covers."""


class Statuses(StrEnum):
    """Which of the container's children a walk asks for (design section 5, point 5).

    `OUR_LABEL` is a saving for what is found by our mark. What such a walk does not show is not
    missing: no absence rests on it, and no owed look is done by it.
    """

    EVERY_STATUS = "every_status"  # all the level knows, archived included, DELETED not
    NO_FILTER = "no_filter"
    OUR_LABEL = "our_label"  # every status, but only what bears our label, narrowed by the API


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkRequest:
    """Which children of which container to list. Creatives know no status filter."""

    account_id: str
    container: Container
    kind: Kind
    statuses: Statuses

    @property
    def place(self) -> Place:
        """What the walk covers."""
        return self.container, self.kind


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One entity as a page gave it. None means that the field was missing or null.

    `labels` holds the names of its ad labels; `source_id` is the level's own source field, None
    where unset. `created_time` is the text as it came (facts 5.10); it is parsed for survivors
    only. `data` is the row itself, secrets removed.
    """

    id: str
    kind: Kind
    name: str | None = None
    account_id: str | None = None
    campaign_id: str | None = None
    adset_id: str | None = None
    status: str | None = None
    effective_status: str | None = None
    created_time: str | None = None
    labels: tuple[str, ...] = ()
    source_id: str | None = None
    data: Mapping[str, Any] = field(default_factory=dict)

    def bears(self, labels: frozenset[str]) -> bool:
        """Whether it bears one of these labels."""
        return not labels.isdisjoint(self.labels)

    @property
    def marks(self) -> MarksSeen:
        """Every mark this row shows."""
        return marks_of(self.name, self.labels)

    @property
    def parent_id(self) -> str | None:
        """The external id of its parent as the row says it; an account's carries its `act_`."""
        if self.kind is Kind.AD:
            return self.adset_id
        if self.kind is Kind.ADSET:
            return self.campaign_id
        return self.account_id and f"act_{self.account_id.removeprefix('act_')}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A walk proven complete: ended by an absent `next`, no page given up, no bound hit.

    `rows` are the narrowed ones, in any order; an id stands twice where two readings differed.
    `row_count` counts all rows seen, narrowed or not. `saw_an_id_twice` limits the listing to
    `Found` by mark. `clock_difference` is the API's clock minus the ledger's, None where no
    `Date` header could be read. `started_at` and `ended_at` are ledger times.
    """

    request: WalkRequest
    rows: tuple[Row, ...]
    pages: int
    row_count: int
    started_at: datetime
    ended_at: datetime
    clock_difference: timedelta | None
    saw_an_id_twice: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class IncompleteListing:
    """A walk that did not reach its end: no verdict at all rests on it.

    `reason` is `listing_incomplete`, `throttled` or `access`; `detail` says at which page and why,
    redacted. `wait` is what the API asked for, None where it said nothing.
    """

    request: WalkRequest
    reason: Reason
    detail: str
    pages: int
    row_count: int
    started_at: datetime
    ended_at: datetime
    wait: timedelta | None = None


Walk = Listing | IncompleteListing


class Shown(Protocol):
    """What a walk must know of a row to keep or drop it; a `Row` is made of the kept ones only."""

    @property
    def id(self) -> str:
        """As `Row.id`."""

    @property
    def name(self) -> str | None:
        """As `Row.name`."""

    def bears(self, labels: frozenset[str]) -> bool:
        """As `Row.bears`."""


Keep = Callable[[Shown], bool]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a narrowed walk keeps: wanted names, and the document parts of our marks.

    Whatever a sieve may count as ours or doubt is kept; what it drops, every sieve disproves.
    """

    names: frozenset[str]  # canonical, without marks
    document_parts: frozenset[str]
    _last_words: frozenset[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        last_words = frozenset(name.rsplit(" ", 1)[-1] for name in self.names)
        object.__setattr__(self, "_last_words", last_words)

    def keeps(self, row: Shown) -> bool:
        """A wanted name, a name that is missing, or a mark of ours.

        A container of 200,000 rows has a handful of candidates, so the cheapest question that tells
        most of the others apart comes first: of plain ASCII the canonical form only folds white
        space, and the last word stays what it was.
        """
        name = row.name
        if not name or row.bears(self.document_parts):
            return True
        if name.isascii() and "&" not in name and "[" not in name:
            words = name.rsplit(None, 1)
            if words and words[-1] not in self._last_words:
                return False
        return name in self.names or self._keeps_after_a_closer_look(name)

    def __or__(self, other: Wanted) -> Wanted:
        """What either wants: one walk serves all intents and documents of its container."""
        return Wanted(self.names | other.names, self.document_parts | other.document_parts)

    def _keeps_after_a_closer_look(self, name: str) -> bool:
        reading = canonical(name)
        if not reading or reading in self.names:
            return True
        # Without a bracket or an entity there is no other reading, in whatever script it is.
        return ("[" in name or "&" in name) and self._keeps_a_mark_or_an_entity(name)

    def _keeps_a_mark_or_an_entity(self, name: str) -> bool:
        bare, mark = split_name(name)
        if mark is not None and mark.document_part in self.document_parts:
            return True
        # The whole name too: somebody may have named an item like a mark.
        readings = {canonical(name), canonical(bare), unescaped(name), unescaped(bare)}
        # A cut mark behind a wanted name must be doubted, and so must a blank name: both are kept.
        uncut = without_cut_mark(bare)
        readings |= {canonical(uncut), unescaped(uncut)}
        return "" in readings or not self.names.isdisjoint(readings)


def wanted_for(document: Document, items: Iterable[Item]) -> Wanted:
    """What to keep of a walk in which these items of the document are judged.

    Siblings need not be among them: one of another name matters only for rows that bear our mark,
    which are kept whatever they are called, and a rival only where it lacks a name of ours.
    """
    marks = [item.intent.mark for item in document.items if item.intent and item.intent.mark]
    own = {document.mark_part} if document.mark_part else set()
    return Wanted(
        names=frozenset(item.intent.name for item in items if item.intent is not None),
        document_parts=frozenset({mark.document_part for mark in marks} | own),
    )
