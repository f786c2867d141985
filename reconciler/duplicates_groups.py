"""Groups of one name in one place: what is wanted, what is ours by mark or record, what is not.

Pure. *Ours* bears a mark of one of our documents and is no copy, or is bound to an item of one. A
*look-alike* has only the name: somebody else's, a copy, or ours of a time before marks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from .candidate import Candidate, Readings, readings_by_id
from .listing import Listing, Place, Wanted
from .mark import split_name
from .model import Container, Document, Item, ItemState, Kind
from .names import canonical

WANTING: Final = frozenset({ItemState.CONFIRMED, ItemState.PENDING, ItemState.HELD})
"""Items one entity of which may stand in the listing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """Which item an external id is bound to, and where that was sent to."""

    document_id: str
    item: str
    name: str
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondOf:
    """A bound item that a row was reported beyond. `bound_to` is the id it is bound to."""

    document_id: str
    item: str
    bound_to: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """One row of a group. `owner` None: bound to nothing. `created_at` None: no readable time.

    `second_of` is the item as whose surplus it was reported, with its own entity bound: beside that
    a person may record it as known. None: it was not reported so.
    """

    external_id: str
    owner: Owner | None
    second_of: SecondOf | None
    is_copy: bool
    effective_status: str | None
    created_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """More than is wanted of one name in one place. `wanted` counts items of all our documents.

    `documents` are those it is about, by what is bound to them or bears their mark.
    """

    account_id: str
    container: Container
    kind: Kind
    name: str
    wanted: int
    ours: tuple[Entity, ...]
    look_alikes: tuple[Entity, ...]
    documents: frozenset[str]


@dataclass(slots=True)
class Wants:
    """What all documents want and know, added document by document."""

    _wanted: dict[tuple[str, Place], Counter[str]] = field(default_factory=dict)
    _owners: dict[tuple[str, Kind, str], Owner] = field(default_factory=dict)
    _parts: dict[str, dict[str, str]] = field(default_factory=dict)  # to the document of each
    _known: set[tuple[str, str]] = field(default_factory=set)
    _reported: dict[tuple[str, str], SecondOf] = field(default_factory=dict)

    def add(self, document: Document) -> None:
        """What this document sent."""
        parts = self._parts.setdefault(document.account_id, {})
        if document.mark_part is not None:
            parts[document.mark_part] = document.id
        for item in document.items:
            self._add_item(document, item)

    def know(self, document: Document) -> None:
        """What a person recorded as known beyond it, and what else was reported beyond it."""
        known = (extra.external_id for extra in document.surplus if extra.known)
        self._known |= {(document.account_id, external_id) for external_id in known}
        bound = {item.key: _bound_to(item) for item in document.items}
        for extra in document.surplus:
            if extra.item is not None and (bound_to := bound.get(extra.item)):
                self._reported[document.account_id, extra.external_id] = SecondOf(
                    document_id=document.id, item=extra.item, bound_to=bound_to
                )

    def _add_item(self, document: Document, item: Item) -> None:
        intent = item.intent
        if intent is None:
            return
        account, place = document.account_id, (intent.container, intent.kind)
        names = self._wanted.setdefault((account, place), Counter())
        names[intent.name] += item.state in WANTING
        if intent.mark is not None:
            self._parts[account][intent.mark.document_part] = document.id
        if intent.external_id is not None:
            owner = Owner(document_id=document.id, item=item.key, name=intent.name, place=place)
            self._owners[account, intent.kind, intent.external_id] = owner

    @property
    def places(self) -> list[tuple[str, Place]]:
        """Every account and place anything was sent to, in a fixed order."""
        return sorted(self._wanted, key=lambda at: (at[0], at[1][0].kind, at[1][0].id, at[1][1]))

    def wanted_at(self, account_id: str, place: Place) -> Wanted:
        """What a walk of this place keeps."""
        names = frozenset(self._wanted[account_id, place])
        return Wanted(names, frozenset(self._parts[account_id]))

    def count(self, account_id: str, place: Place, name: str) -> int:
        """How many are wanted of a name."""
        return self._wanted[account_id, place][name]

    def names(self, account_id: str, place: Place, name: str) -> bool:
        """Whether an item of this name was sent there, whatever became of it."""
        return name in self._wanted[account_id, place]

    def owner(self, account_id: str, row: Candidate) -> Owner | None:
        """Which item it is bound to."""
        return self._owners.get((account_id, row.row.kind, row.row.id))

    def second_of(self, account_id: str, external_id: str) -> SecondOf | None:
        """The bound item it was reported beyond."""
        return self._reported.get((account_id, external_id))

    def is_known(self, account_id: str, external_id: str) -> bool:
        """Whether a person recorded it as known."""
        return (account_id, external_id) in self._known

    def marked_by(self, account_id: str, row: Candidate) -> frozenset[str]:
        """Which of our documents' marks it bears."""
        parts = self._parts[account_id]
        return frozenset(parts[part] for part in row.parts if part in parts)


def groups_of(wants: Wants, account_id: str, listing: Listing) -> Iterator[Group]:
    """The names of this place of which more exists than is wanted, in their order."""
    named: dict[str, list[_Row]] = {}
    for readings in readings_by_id([listing]).values():
        row = _Row.of(wants, account_id, listing.request.place, readings)
        if row.name and not wants.is_known(account_id, row.entity.external_id):
            named.setdefault(row.name, []).append(row)
    place = listing.request.place
    for name, rows in sorted(named.items()):
        wanted = wants.count(account_id, place, name) + sum(_moved_to(place, row) for row in rows)
        if len(rows) > wanted:
            yield _group(account_id, place, name, wanted, rows)


def _moved_to(place: Place, row: _Row) -> bool:
    """Whether it is the entity of an item that was sent elsewhere: wanted, wherever it stands."""
    return row.entity.owner is not None and row.entity.owner.place != place


def _group(account_id: str, place: Place, name: str, wanted: int, rows: list[_Row]) -> Group:
    rows = sorted(rows, key=lambda row: _age(row.entity))
    return Group(
        account_id=account_id,
        container=place[0],
        kind=place[1],
        name=name,
        wanted=wanted,
        ours=tuple(row.entity for row in rows if row.is_ours),
        look_alikes=tuple(row.entity for row in rows if not row.is_ours),
        documents=frozenset[str]().union(*(row.documents for row in rows)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """One id of a listing: under which name it counts, whose it is, which documents it tells of."""

    name: str
    entity: Entity
    is_ours: bool
    documents: frozenset[str]

    @staticmethod
    def of(wants: Wants, account_id: str, place: Place, readings: Readings) -> _Row:
        row = readings[-1]
        owner = wants.owner(account_id, row)
        marked = wants.marked_by(account_id, row)
        return _Row(
            name=owner.name if owner else _name(wants, account_id, place, row),
            entity=_entity(row, owner, wants.second_of(account_id, row.row.id)),
            is_ours=owner is not None or bool(marked and not row.is_copy),
            documents=marked | ({owner.document_id} if owner else frozenset()),
        )


def _name(wants: Wants, account_id: str, place: Place, row: Candidate) -> str:
    """The name of an item that it reads as; else, with our mark, its own. Empty: it has none."""
    fitting = sorted(name for name in row.all_names if wants.names(account_id, place, name))
    own = canonical(split_name(row.row.name or "")[0]) if wants.marked_by(account_id, row) else ""
    return fitting[0] if fitting else own


def _bound_to(item: Item) -> str | None:
    if item.state is not ItemState.CONFIRMED or item.intent is None:
        return None
    return item.intent.external_id


def _entity(row: Candidate, owner: Owner | None, second_of: SecondOf | None) -> Entity:
    return Entity(
        external_id=row.row.id,
        owner=owner,
        second_of=second_of,
        is_copy=row.is_copy,
        effective_status=row.row.effective_status,
        created_at=row.created_at,
    )


def _age(entity: Entity) -> tuple[datetime, int, str]:
    """Ids are digits: the shorter is the smaller."""
    created = entity.created_at or datetime.min.replace(tzinfo=UTC)
    return created, len(entity.external_id), entity.external_id
