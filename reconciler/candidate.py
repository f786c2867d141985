"""A row that could be ours, with what the sieves compare worked out once.

An id that was read twice with different data, within a walk or across two, has several readings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from functools import cached_property

from .created_time import parse_created_time
from .listing import Listing, Row
from .mark import split_name, without_cut_mark
from .model import Container, ContainerKind
from .names import canonical, may_read_otherwise, unescaped

# The API gives "0" where an object is no copy; a row read by another hand may still bear it.
NO_SOURCE = frozenset({"", "0"})


class Candidate:
    """One reading of one row."""

    def __init__(self, row: Row) -> None:
        marks = row.marks
        self.row = row
        self.label_parts = marks.label_parts
        self.parts = marks.document_parts
        self.item_parts = marks.item_parts
        self.unreadable_label = marks.unreadable_label
        self.unreadable_name = marks.unreadable_name
        self.account_id = bare_account(row.account_id or "")

    @cached_property
    def names(self) -> frozenset[str]:
        """What its name reads as in canonical form, with and without a mark. Empty: no name."""
        name = self.row.name or ""
        if name and not may_read_otherwise(name):
            return frozenset({name})
        return frozenset({canonical(name), canonical(split_name(name)[0])} - {""})

    @cached_property
    def all_names(self) -> frozenset[str]:
        """The same, and after HTML unescaping."""
        return self.names | {unescaped(name) for name in self.names}

    @cached_property
    def cut_names(self) -> frozenset[str]:
        """What its name was before a mark at its end was cut, if it was one."""
        return frozenset(without_cut_mark(name) for name in self.all_names)

    @cached_property
    def created_at(self) -> datetime | None:
        """When it was created. None: no readable time with a zone."""
        return parse_created_time(self.row.created_time)

    @property
    def is_copy(self) -> bool:
        """Whether it was made by copying: a copy inherits name and labels (facts 4.21, 4.27)."""
        return (self.row.source_id or "") not in NO_SOURCE

    def reads_as(self, name: str) -> bool:
        """Whether its name is this one, as it stands or after HTML unescaping."""
        return name in self.all_names

    def parent_in(self, container: Container) -> str:
        """The id of its parent on the container's level, empty where the row does not say."""
        if container.kind is ContainerKind.ACCOUNT:
            return self.account_id
        if container.kind is ContainerKind.CAMPAIGN:
            return self.row.campaign_id or ""
        return self.row.adset_id or ""


Readings = tuple[Candidate, ...]
"""Every different reading of one id, the latest last."""


def bare_account(account_id: str) -> str:
    """An account's id without its `act_`: both spellings are one account (R046)."""
    return account_id.removeprefix("act_")


def readings_by_id(listings: Iterable[Listing]) -> Mapping[str, Readings]:
    """The rows of these listings, judged together, in an order that no page or walk decides."""
    found: dict[str, list[Row]] = {}
    for listing in sorted(listings, key=lambda listing: listing.started_at):
        for row in _in_order(listing.rows):
            readings = found.setdefault(row.id, [])
            if row not in readings:
                readings.append(row)
    return {row_id: tuple(map(Candidate, rows)) for row_id, rows in found.items()}


def _in_order(rows: Collection[Row]) -> list[Row]:
    """By id; several readings of one id by all they say."""
    times = Counter(row.id for row in rows)
    return sorted(rows, key=lambda row: (row.id, repr(row) if times[row.id] > 1 else ""))
