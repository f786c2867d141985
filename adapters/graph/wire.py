"""Reads one page of a listing: typed and fast, or loosely where the fast reader refuses the page.

Of a row only what narrowing asks for is read; the few that are kept are read whole, by `rows`.
Both readers must tell the same of a page; the loose one also takes lone surrogates, U+0000 and
fields of an odd type. What is no page is `NotAPage`, never an empty one (field case R025).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec

from .reply import read_json
from .text import are_ids, id_text, is_utf8, label_names, visible


# `gc=False`: no row can hold itself, and the collector need not look through thousands of them.
class LabelOnWire(msgspec.Struct, frozen=True, gc=False):
    """An entry of `adlabels`; one without a readable name says nothing."""

    name: str | None = None


class RowOnWire(msgspec.Struct, frozen=True, gc=False):
    """As much of a row as decides whether it is kept; null and missing are one.

    An id that came as a number is text by now (R053).
    """

    id: str
    name: str | None = None
    adlabels: list[LabelOnWire] | None = None

    def bears(self, labels: frozenset[str]) -> bool:
        """Whether it bears one of these labels."""
        for each in self.adlabels or ():  # noqa: SIM110 - of every row, and `any` makes a generator
            if each.name in labels:
                return True
        return False

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of its labels."""
        return tuple([each.name for each in self.adlabels if each.name]) if self.adlabels else ()


@dataclass(frozen=True, slots=True)
class Page:
    """A page that is whole. `after` None: the listing ends here (facts 1.2).

    `given(i)` is row i with everything it had, fit to be stored, for the few rows that are kept.
    """

    rows: list[RowOnWire]
    after: str | None
    given: Callable[[int], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class NotAPage:
    """Why a body is no page. Holds nothing of the body."""

    why: str


def read_page(body: bytes) -> Page | NotAPage:
    """Read a body that came with status 200."""
    # From behind: no byte of a page is rarer than the backslash that the search begins with.
    if body.rfind(b"\\u0000") >= 0:
        return _read_loosely(body)
    try:
        page = _PAGE.decode(body)
        # What it skips it examines too, but not whether it is UTF-8.
        _ = body.isascii() or body.decode("utf-8")
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return _read_loosely(body)
    if page.error is not None:
        return NotAPage("an error in the body")
    paging = page.paging or PagingOnWire()
    after = next_cursor(paging.next, paging.cursors.after if paging.cursors else None)
    if isinstance(after, NotAPage):
        return after
    if not are_ids([row.id for row in page.data]):
        return _read_loosely(body)
    return Page(page.data, after, _Given(body, page.data))


def next_cursor(next_link: Any, after: Any) -> str | NotAPage | None:
    """Where the next page begins; None where `next` is absent, which alone is the end (1.2, 1.4).

    The cursor is `cursors.after`; where that is missing, the `after` of the link. Nothing else of
    the link is looked at: it may carry a token and lead to any host (facts 7.9; R024, R097).
    """
    if next_link is None:
        return None
    if not isinstance(next_link, str) or not next_link:
        return NotAPage("paging.next is no link")
    cursor = after if isinstance(after, str) and after else _cursor_in(next_link)
    return cursor if cursor and is_utf8(cursor) else NotAPage("paging.next without a cursor")


def _cursor_in(link: str) -> str | None:
    try:
        found = parse_qs(urlsplit(link).query, max_num_fields=1000).get("after", [])
    except ValueError:
        return None
    return found[0] if found else None


class CursorsOnWire(msgspec.Struct, frozen=True):
    """`paging.cursors`; `before` is of no use to us."""

    after: str | None = None


class PagingOnWire(msgspec.Struct, frozen=True):
    """`paging`; the whole may be missing (facts 1.5)."""

    next: str | None = None
    cursors: CursorsOnWire | None = None


class PageOnWire(msgspec.Struct, frozen=True):
    """A page; `data` alone must be there. `summary` proves nothing (facts 1.17)."""

    data: list[RowOnWire]
    paging: PagingOnWire | None = None
    error: Any = None


class RowsAsTheyCame(msgspec.Struct, frozen=True):
    """The rows uninterpreted, to give back the kept ones whole."""

    data: list[msgspec.Raw]


_PAGE = msgspec.json.Decoder(PageOnWire)
_ROWS = msgspec.json.Decoder(RowsAsTheyCame)


class _Given:
    """Cuts the body into rows once, at the first row that is asked for."""

    def __init__(self, body: bytes, read: list[RowOnWire]) -> None:
        self._body = body
        self._read = read
        self._rows: list[msgspec.Raw] = []

    def __call__(self, index: int) -> dict[str, Any]:
        row = read_json(self._bytes_of(index))
        return row if isinstance(row, dict) else _as_read(self._read[index])

    def _bytes_of(self, index: int) -> bytes:
        if not self._rows:
            try:
                self._rows = _ROWS.decode(self._body).data
            except RecursionError:  # by a hair: the page was read with a few calls fewer around it
                return b""
        return bytes(self._rows[index])


def _as_read(row: RowOnWire) -> dict[str, Any]:
    """Of a row that nests too deep to be read whole. What it lacks makes it a doubt (R035)."""
    labels = [{"name": name} for name in row.labels]
    return {"id": row.id, "name": row.name, "adlabels": labels}


def _read_loosely(body: bytes) -> Page | NotAPage:
    content = read_json(body)
    if not isinstance(content, dict):
        return NotAPage("the body is no JSON object")
    if content.get("error") is not None:
        return NotAPage("an error in the body")
    data = content.get("data")
    if not isinstance(data, list):
        return NotAPage("the body has no list of data")
    after = cursor_of(content.get("paging"))
    if isinstance(after, NotAPage):
        return after
    return _loose_page([visible(row) for row in data], after)


def cursor_of(paging: Any) -> str | NotAPage | None:
    """Where the next page begins, from a `paging` of whatever shape; see `next_cursor`."""
    if paging is None:
        return None
    if not isinstance(paging, dict):
        return NotAPage("paging is no object")
    cursors = paging.get("cursors")
    after = cursors.get("after") if isinstance(cursors, dict) else None
    return next_cursor(paging.get("next"), after)


def _loose_page(data: list[Any], after: str | None) -> Page | NotAPage:
    rows = [_loose_row(row) for row in data]
    read = [row for row in rows if row is not None]
    if len(read) < len(rows):
        return NotAPage("a row without an id, or of no known shape")
    return Page(read, after, data.__getitem__)


def _loose_row(row: Any) -> RowOnWire | None:
    """None where the row cannot be counted, or hides its labels in a shape we do not know."""
    found = id_text(row.get("id")) if isinstance(row, dict) else None
    if found is None or not isinstance(row.get("adlabels"), (list, type(None))):
        return None
    name, labels = row.get("name"), row.get("adlabels")
    return RowOnWire(
        id=found,
        name=name if isinstance(name, str) else None,
        adlabels=[LabelOnWire(label) for label in label_names(labels)],
    )
