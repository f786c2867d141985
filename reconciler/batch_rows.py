"""The rows of a walk that was made for many documents, cut to those that one of them wants.

A container of many broken documents has thousands of candidates, and each document wants a few:
they are found by what a row can be read as, never by asking every row for every document.
"""

from __future__ import annotations

from collections.abc import Iterator

from .copying import replace
from .listing import Listing, Row, Wanted
from .mark import split_name, without_cut_mark
from .names import canonical, unescaped


class SharedWalk:
    """One complete walk, and the way from a document's names and marks to its rows of it."""

    def __init__(self, listing: Listing) -> None:
        self.listing = listing
        self._at: dict[str, list[int]] = {}
        for number, row in enumerate(listing.rows):
            for reading in set(_readings(row)):
                self._at.setdefault(reading, []).append(number)

    def cut(self, wanted: Wanted) -> Listing:
        """The walk as it would be, had it been made for this document alone."""
        asked = ("", *wanted.names, *wanted.document_parts)
        numbers = sorted({number for one in asked for number in self._at.get(one, ())})
        rows = (self.listing.rows[number] for number in numbers)
        return replace(self.listing, rows=tuple(row for row in rows if wanted.keeps(row)))


def _readings(row: Row) -> Iterator[str]:
    """Every text under which somebody may want the row; empty where everybody does.

    More than `Wanted.keeps` would take is no harm, for that is asked again.
    """
    yield from row.labels
    name = row.name or ""
    bare, mark = split_name(name)
    if mark is not None:
        yield mark.document_part
    yield name
    for text in (name, bare, without_cut_mark(bare)):
        yield canonical(text)
        yield unescaped(text)
