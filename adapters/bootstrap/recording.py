"""Records one real reply for a report: asked for here, shown without secrets, names and ids.

`refused` sends the one POST. It asks for validation only, and for a campaign of an objective that
does not exist: neither alone could make anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from reconciler.listing import Statuses, WalkRequest
from reconciler.model import Container, ContainerKind, Kind

from ..graph.anonymous import Anonymous
from ..graph.paths import FIELDS, Edge, account_path, children_edge
from ..graph.recordable import What
from ..graph.refused_create import refused_create
from ..graph.reply import Reply, Unreadable
from ..settings import Settings
from .asking import Back, asked, asked_for, told

SCHEMA: Final = "recording/1"

TEXT_MAX: Final = 2_000
"""Characters of a body that is not JSON: the beginning tells what it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """`container` None: the account's own children. `node_id` is asked for by `NODE` alone."""

    what: What
    account_id: str
    kind: Kind = Kind.AD
    container: Container | None = None
    node_id: str | None = None
    limit: int = 25


async def record(settings: Settings, wanted: Wanted) -> dict[str, Any]:
    """The recording. `reply` is null where none came, and `detail` says why. Never raises."""
    back = await _asked(settings, wanted)
    return {
        "schema": SCHEMA,
        "what": wanted.what.value,
        "kind": wanted.kind.value,
        "graph_version": settings.graph_version,
        "reply": reply_told(back, Anonymous()) if isinstance(back, Reply) else None,
        "detail": None if isinstance(back, Reply) else told(back),
    }


def reply_told(reply: Reply, anonymous: Anonymous) -> dict[str, Any]:
    """Status, headers and body of a reply, `text` standing for a body that is not JSON."""
    content = reply.json()
    is_json = not isinstance(content, Unreadable)
    text = reply.body[:TEXT_MAX].decode("utf-8", "replace")
    return {
        "status": reply.status,
        "headers": anonymous.headers(reply.headers),
        "body": anonymous.value(content) if is_json else None,
        "text": None if is_json else anonymous.message(text),
    }


async def _asked(settings: Settings, wanted: Wanted) -> Back:
    if wanted.what is What.REFUSED:
        return await asked(settings, lambda to, keys: refused_create(to, keys, wanted.account_id))
    page = {"limit": str(wanted.limit)} if wanted.what is What.LISTING else {}
    return await asked_for(settings, _edge(wanted), page)


def _edge(wanted: Wanted) -> Edge:
    path = account_path(wanted.account_id)
    if wanted.what is What.NODE:
        return Edge(path, wanted.node_id or path, {"fields": ",".join(FIELDS[wanted.kind])})
    if wanted.what is What.ERROR:
        return Edge(path, f"{path}/{wanted.kind.edge}", {"fields": "no_such_field"})
    return children_edge(
        WalkRequest(
            account_id=path,
            container=wanted.container or Container(kind=ContainerKind.ACCOUNT, id=path),
            kind=wanted.kind,
            statuses=Statuses.EVERY_STATUS,
        )
    )
