"""Reads from an account's activity log which app created an entity: facts section 6.

The log has its own names: CAMPAIGN_GROUP is a campaign, CAMPAIGN an ad set, ADGROUP an ad (facts
6.4). Only creations are read, and only those whose event and object fit. Without bounds the API
tells of the last days and says that this is all (facts 6.6): every request is bounded. What cannot
be read whole is not read at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from reconciler.activity_log import MARGIN, Creation, LoggedCreations, UnreadLog
from reconciler.created_time import parse_created_time

from .paging import GivenUp, PageReader
from .paths import Edge, account_path
from .reply import read_json
from .text import id_text
from .wire import NotAPage, cursor_of

CREATIONS: Final[Mapping[str, str]] = {
    "create_campaign_group": "CAMPAIGN_GROUP",
    "create_ad_set": "CAMPAIGN",
    "create_ad": "ADGROUP",
}
"""Event and the object it makes (facts 6.3, 6.4). `create_campaign_legacy` may be either."""

FIELDS: Final = "event_type,event_time,object_id,object_type,application_id"

PAGES_MAX: Final = 100
"""The log shares the allowance of creates (facts 6.8); a window of minutes has a page or two."""


@dataclass(frozen=True, slots=True)
class LogPage:
    """The creations of one page."""

    creations: tuple[Creation, ...]
    after: str | None


def activities_edge(account_id: str, since: datetime, until: datetime) -> Edge:
    """The account's log between two moments. Raises `Unsendable` for an id that is no account's."""
    path = account_path(account_id)
    bounds = {"since": _seconds(since - MARGIN), "until": _seconds(until + MARGIN)}
    return Edge(path, f"{path}/activities", {"fields": FIELDS, **bounds})


async def read_creations(reader: PageReader, edge: Edge) -> LoggedCreations | UnreadLog:
    """All creations of an edge's time, if it was read to its end."""
    told: list[Creation] = []
    after: str | None = None
    for pages in range(1, PAGES_MAX + 1):
        got = await reader.read_as(read_log_page, edge, after)
        if isinstance(got, GivenUp):
            return UnreadLog(pages=pages)
        told += got.page.creations
        if got.page.after is None:
            return LoggedCreations(creations=tuple(told), pages=pages)
        if got.page.after == after:
            return UnreadLog(pages=pages)
        after = got.page.after
    return UnreadLog(pages=PAGES_MAX, is_too_long=True)


def read_log_page(body: bytes) -> LogPage | NotAPage:
    """A page of the log. Its rows have no id (facts 6.1); one that cannot be read tells nothing."""
    content = read_json(body)
    if not isinstance(content, dict) or content.get("error") is not None:
        return NotAPage("the body is no page of the activity log")
    rows, after = content.get("data"), cursor_of(content.get("paging"))
    if not isinstance(rows, list):
        return NotAPage("the body has no list of data")
    if isinstance(after, NotAPage):
        return after
    creations = (_creation(row) for row in rows if isinstance(row, dict))
    return LogPage(tuple(each for each in creations if each is not None), after)


def _creation(row: Mapping[str, Any]) -> Creation | None:
    event, what = row.get("event_type"), row.get("object_type")
    entity, app = id_text(row.get("object_id")), id_text(row.get("application_id"))
    is_one = isinstance(event, str) and event in CREATIONS and CREATIONS[event] == what
    return (
        Creation(entity, app, _moment(row.get("event_time"))) if is_one and entity and app else None
    )


def _moment(value: Any) -> datetime | None:
    return parse_created_time(value) if isinstance(value, str) else None


def _seconds(moment: datetime) -> str:
    return str(int(moment.astimezone(UTC).timestamp()))
