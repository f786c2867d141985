"""Where requests go: the base address, the paths of edges, and what is asked of each level."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, urlencode, urlsplit

from reconciler.errors import InvalidSettings
from reconciler.listing import Statuses, WalkRequest
from reconciler.model import ContainerKind, Kind

_COMMON: Final = ("id", "name", "account_id")
_TIMED: Final = ("status", "effective_status", "created_time", "adlabels")

FIELDS: Final[Mapping[Kind, tuple[str, ...]]] = {
    Kind.CAMPAIGN: (*_COMMON, *_TIMED, "source_campaign_id"),
    Kind.ADSET: (*_COMMON, "campaign_id", *_TIMED, "source_adset_id"),
    Kind.AD: (*_COMMON, "campaign_id", "adset_id", *_TIMED, "source_ad_id"),
    # No created_time and no parent (facts 4E); one unknown field fails the whole call (facts 5.2).
    Kind.ADCREATIVE: (*_COMMON, "status", "adlabels"),
}
"""What each level is asked for, as plain names without braces: nothing nested that pages (1.22)."""

_CAMPAIGN: Final = ("ACTIVE", "PAUSED", "ARCHIVED", "IN_PROCESS", "WITH_ISSUES")
_ADSET: Final = (*_CAMPAIGN, "CAMPAIGN_PAUSED")
_REVIEW: Final = ("PENDING_REVIEW", "DISAPPROVED", "PREAPPROVED", "PENDING_BILLING_INFO")

STATUSES: Final[Mapping[Kind, tuple[str, ...]]] = {
    Kind.CAMPAIGN: _CAMPAIGN,
    Kind.ADSET: _ADSET,
    Kind.AD: (*_ADSET, "ADSET_PAUSED", *_REVIEW),
}
"""Facts 5.9. A value of another level fails the whole list (R033); DELETED may too (facts 5.8)."""

_DIGITS: Final = re.compile(r"[0-9]{1,32}")


class Unsendable(ValueError):
    """What was asked cannot be put on the wire; nothing was sent. The message holds no secret."""


@dataclass(frozen=True, slots=True)
class Edge:
    """One list to read: its path below the version and the parameters of each of its pages."""

    account_id: str
    path: str
    parameters: Mapping[str, str]


class Endpoint:
    """`GRAPH_URL` and `GRAPH_VERSION`. Raises `InvalidSettings` where they cannot be used."""

    def __init__(self, url: str, version: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InvalidSettings("GRAPH_URL must be an http or https address with a host")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise InvalidSettings("GRAPH_URL must hold no user, query or fragment")
        if not re.fullmatch(r"v[0-9]+\.[0-9]+", version):
            raise InvalidSettings("GRAPH_VERSION must look like v26.0")
        self._base = f"{url.rstrip('/')}/{version}"

    def url(self, path: str, query: Mapping[str, str] | None = None) -> str:
        """The address of a path, with its query percent-encoded."""
        tail = f"?{urlencode(query, quote_via=quote)}" if query else ""
        return f"{self._base}/{path}{tail}"


def account_path(account_id: str) -> str:
    """The account with one `act_`, written with or without; `act_act_1` is refused (R046)."""
    return f"act_{_digits(account_id.removeprefix('act_'), 'account id', account_id)}"


def create_path(account_id: str, kind: Kind) -> str:
    """All four kinds are created on the account: facts 4.1 to 4.4."""
    return f"{account_path(account_id)}/{kind.edge}"


def labels_edge(account_id: str, fields: str) -> Edge:
    """The account's ad labels."""
    path = account_path(account_id)
    return Edge(path, f"{path}/adlabels", {"fields": fields})


def children_edge(request: WalkRequest) -> Edge:
    """The children that a walk asks for. Raises `Unsendable` for an id that is none."""
    parameters = {"fields": ",".join(FIELDS[request.kind])}
    if request.statuses is not Statuses.NO_FILTER and request.kind in STATUSES:
        parameters["effective_status"] = json.dumps(STATUSES[request.kind])
    path = f"{_container_path(request)}/{request.kind.edge}"
    return Edge(account_path(request.account_id), path, parameters)


def _container_path(request: WalkRequest) -> str:
    container = request.container
    if container.kind is ContainerKind.ACCOUNT:
        path = account_path(container.id)
        if path != account_path(request.account_id):
            raise Unsendable(f"{path} is another account than the document's")
        return path
    return _digits(container.id, f"{container.kind} id", container.id)


def _digits(text: str, what: str, given: str) -> str:
    if not _DIGITS.fullmatch(text):
        raise Unsendable(f"{given[:60]!r} is no {what}: digits only")
    return text
