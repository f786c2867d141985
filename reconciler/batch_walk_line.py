"""Walks and rows of a plan as JSON, written and read back without loss."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime, timedelta
from typing import Any, Final

from .listing import IncompleteListing, Listing, Row, Statuses, WalkRequest
from .model import Container, ContainerKind, Kind, Reason

_MICROSECOND: Final = timedelta(microseconds=1)
_TOLD_APART: Final = frozenset({"kind", "labels", "data"})
_TEXTS: Final = tuple(field.name for field in fields(Row) if field.name not in _TOLD_APART)
Json = Mapping[str, Any]


def walk_json(walk: Listing) -> dict[str, Any]:
    """A complete walk without its rows."""
    return _walk_json(walk) | {
        "clock_difference": _microseconds(walk.clock_difference),
        "saw_an_id_twice": walk.saw_an_id_twice,
    }


def walk_of(account_id: str, given: Json) -> Listing:
    """The walk without its rows."""
    return Listing(
        **_walked(account_id, given),
        rows=(),
        clock_difference=_duration(given["clock_difference"]),
        saw_an_id_twice=given["saw_an_id_twice"],
    )


def incomplete_json(walk: IncompleteListing) -> dict[str, Any]:
    """Why there is none."""
    return _walk_json(walk) | {
        "reason": walk.reason.value,
        "detail": walk.detail,
        "wait": _microseconds(walk.wait),
    }


def incomplete_of(account_id: str, given: Json) -> IncompleteListing:
    """As it was written."""
    return IncompleteListing(
        **_walked(account_id, given),
        reason=Reason(given["reason"]),
        detail=given["detail"],
        wait=_duration(given["wait"]),
    )


def _microseconds(duration: timedelta | None) -> int | None:
    return None if duration is None else duration // _MICROSECOND


def _duration(microseconds: int | None) -> timedelta | None:
    return None if microseconds is None else microseconds * _MICROSECOND


def row_json(row: Row) -> dict[str, Any]:
    """The row as the API gave it, and beside it only what our reading of it makes otherwise."""
    read = {name: getattr(row, name) for name in _TEXTS}
    told = {name: text for name, text in read.items() if text != row.data.get(name)}
    if row.labels:
        told["labels"] = list(row.labels)
    return {"kind": row.kind.value, "data": dict(row.data), **told}


def row_of(given: Json) -> Row:
    """As it was written."""
    data = given["data"]
    texts = {name: given[name] if name in given else data.get(name) for name in _TEXTS}
    labels = tuple(given.get("labels", ()))
    return Row(kind=Kind(given["kind"]), labels=labels, data=data, **texts)


def _walk_json(walk: Listing | IncompleteListing) -> dict[str, Any]:
    return {
        "container": container_json(walk.request.container),
        "kind": walk.request.kind.value,
        "statuses": walk.request.statuses.value,
        "pages": walk.pages,
        "row_count": walk.row_count,
        "started_at": walk.started_at.isoformat(),
        "ended_at": walk.ended_at.isoformat(),
    }


def _walked(account_id: str, given: Json) -> dict[str, Any]:
    return {
        "request": WalkRequest(
            account_id=account_id,
            container=container_of(given["container"]),
            kind=Kind(given["kind"]),
            statuses=Statuses(given["statuses"]),
        ),
        "pages": given["pages"],
        "row_count": given["row_count"],
        "started_at": datetime.fromisoformat(given["started_at"]),
        "ended_at": datetime.fromisoformat(given["ended_at"]),
    }


def container_json(container: Container) -> dict[str, str]:
    """Kind and id."""
    return {"kind": container.kind.value, "id": container.id}


def container_of(given: Json) -> Container:
    """As it was written."""
    return Container(kind=ContainerKind(given["kind"]), id=given["id"])
