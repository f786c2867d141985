"""Reads from an account's activity log which app created an entity: facts section 6.

The log has its own names: CAMPAIGN_GROUP is a campaign, CAMPAIGN an ad set, ADGROUP an ad (facts
6.4). Only creations are read, and only those whose event and object fit. Without bounds the API
tells of the last days and says that this is all (facts 6.6): every request is bounded. What cannot
be read whole is not read at all.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

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

MARGIN: Final = timedelta(minutes=5)
"""On both sides: `until` is exclusive, and a row's time need not be the entity's (facts 6.6)."""


@dataclass(frozen=True, slots=True)
class LogPage:
    """The creations of one page: id of the entity, id of the app."""

    creations: tuple[tuple[str, str], ...]
    after: str | None


def activities_edge(account_id: str, since: datetime, until: datetime) -> Edge:
    """The account's log between two moments. Raises `Unsendable` for an id that is no account's."""
    path = account_path(account_id)
    bounds = {"since": _seconds(since - MARGIN), "until": _seconds(until + MARGIN)}
    return Edge(path, f"{path}/activities", {"fields": FIELDS, **bounds})


async def read_apps(
    reader: PageReader, edge: Edge, ids: Collection[str]
) -> Mapping[str, str] | None:
    """Which app created each of these. None: the log was not read to its end.

    An entity that two rows give to two apps is left out: one of them is wrong.
    """
    told: dict[str, set[str]] = {}
    after: str | None = None
    for _ in range(PAGES_MAX):
        got = await reader.read_as(read_log_page, edge, after)
        if isinstance(got, GivenUp):
            return None
        for entity, app in got.page.creations:
            told.setdefault(entity, set()).add(app)
        if got.page.after is None:
            return {each: app for each in ids for app in told.get(each, ()) if len(told[each]) == 1}
        if got.page.after == after:
            return None
        after = got.page.after
    return None


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


def _creation(row: Mapping[str, Any]) -> tuple[str, str] | None:
    event, what = row.get("event_type"), row.get("object_type")
    entity, app = id_text(row.get("object_id")), id_text(row.get("application_id"))
    is_one = isinstance(event, str) and event in CREATIONS and CREATIONS[event] == what
    return (entity, app) if is_one and entity and app else None


def _seconds(moment: datetime) -> str:
    return str(int(moment.astimezone(UTC).timestamp()))
