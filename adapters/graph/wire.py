"""Reads one page of a listing: typed and fast, or loosely where the fast reader refuses the page.

Both readers must tell the same of a page; the loose one also takes lone surrogates, U+0000 and
fields of an odd type. What is no page is `NotAPage`, never an empty one (field case R025).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec

from .reply import read_json
from .text import id_text, visible


class LabelOnWire(msgspec.Struct, frozen=True):
    """An entry of `adlabels`; one without a readable name says nothing."""

    name: str | None = None


class RowOnWire(msgspec.Struct, frozen=True):
    """One row; null and missing are one. Ids that came as numbers are text by now (R053)."""

    id: str
    name: str | None = None
    account_id: str | None = None
    campaign_id: str | None = None
    adset_id: str | None = None
    status: str | None = None
    effective_status: str | None = None
    created_time: str | None = None
    adlabels: list[LabelOnWire] | None = None
    source_campaign_id: str | None = None
    source_adset_id: str | None = None
    source_ad_id: str | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """A page that is whole. `after` None: the listing ends here (facts 1.2).

    `given(i)` is row i with everything it had, for the few rows that are kept.
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
    if b"\\u0000" in body:
        return _read_loosely(body)
    try:
        page = _PAGE.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return _read_loosely(body)
    if page.error is not None:
        return NotAPage("an error in the body")
    paging = page.paging or PagingOnWire()
    after = next_cursor(paging.next, paging.cursors.after if paging.cursors else None)
    if isinstance(after, NotAPage):
        return after
    if not all(id_text(row.id) for row in page.data):
        return _read_loosely(body)
    return Page(page.data, after, _Given(body))


def next_cursor(next_link: Any, after: Any) -> str | NotAPage | None:
    """Where the next page begins; None where `next` is absent, which alone is the end (1.2, 1.4).

    The cursor is `cursors.after`; where that is missing, the `after` of the link. Nothing else of
    the link is looked at: it may carry a token and lead to any host (facts 7.9; R024, R097).
    """
    if next_link is None:
        return None
    if not isinstance(next_link, str) or not next_link:
        return NotAPage("paging.next is no link")
    if isinstance(after, str) and after:
        return after
    return _cursor_in(next_link) or NotAPage("paging.next without a cursor")


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

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._rows: list[msgspec.Raw] = []

    def __call__(self, index: int) -> dict[str, Any]:
        if not self._rows:
            self._rows = _ROWS.decode(self._body).data
        text = bytes(self._rows[index]).decode("utf-8", "replace")
        row: dict[str, Any] = json.loads(text, strict=False)
        return row


def _read_loosely(body: bytes) -> Page | NotAPage:
    content = read_json(body)
    if not isinstance(content, dict):
        return NotAPage("the body is no JSON object")
    if content.get("error") is not None:
        return NotAPage("an error in the body")
    data = content.get("data")
    if not isinstance(data, list):
        return NotAPage("the body has no list of data")
    after = _loose_cursor(content.get("paging"))
    return after if isinstance(after, NotAPage) else _loose_page(visible(data), after)


def _loose_cursor(paging: Any) -> str | NotAPage | None:
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
    return RowOnWire(
        id=found,
        adlabels=[LabelOnWire(name) for name in _label_names(row.get("adlabels"))],
        name=_str_or_none(row.get("name")),
        status=_str_or_none(row.get("status")),
        effective_status=_str_or_none(row.get("effective_status")),
        created_time=_str_or_none(row.get("created_time")),
        account_id=_id_or_none(row.get("account_id")),
        campaign_id=_id_or_none(row.get("campaign_id")),
        adset_id=_id_or_none(row.get("adset_id")),
        source_campaign_id=_id_or_none(row.get("source_campaign_id")),
        source_adset_id=_id_or_none(row.get("source_adset_id")),
        source_ad_id=_id_or_none(row.get("source_ad_id")),
    )


def _label_names(labels: list[Any] | None) -> list[str | None]:
    entries = [entry for entry in labels or () if isinstance(entry, Mapping)]
    return [_str_or_none(entry.get("name")) for entry in entries]


def _str_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _id_or_none(value: Any) -> str | None:
    """Any text, an empty one too; a whole number with all its digits."""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return (id_text(value) or "0") if is_number else _str_or_none(value)
