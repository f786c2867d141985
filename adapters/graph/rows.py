"""Turns rows of the wire into the core's `Row`."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any, Final

from reconciler.listing import Row
from reconciler.model import Kind

from .wire import RowOnWire

_SOURCE: Final[dict[Kind, Callable[[RowOnWire], str | None]]] = {
    Kind.CAMPAIGN: attrgetter("source_campaign_id"),
    Kind.ADSET: attrgetter("source_adset_id"),
    Kind.AD: attrgetter("source_ad_id"),
    Kind.ADCREATIVE: lambda row: None,
}


def row_of(wire: RowOnWire, kind: Kind, data: dict[str, Any] | None = None) -> Row:
    """An empty id is a missing one. `data` None while a row is only narrowed."""
    return Row(
        id=wire.id,
        kind=kind,
        name=wire.name,
        account_id=wire.account_id or None,
        campaign_id=wire.campaign_id or None,
        adset_id=wire.adset_id or None,
        status=wire.status,
        effective_status=wire.effective_status,
        created_time=wire.created_time,
        labels=_labels(wire),
        source_id=_source_id(_SOURCE[kind](wire)),
        data={} if data is None else data,
    )


def _labels(wire: RowOnWire) -> tuple[str, ...]:
    return tuple(label.name for label in wire.adlabels if label.name) if wire.adlabels else ()


def _source_id(value: str | None) -> str | None:
    """The API writes "no source" as a missing field, an empty one or a zero."""
    return None if value in ("", "0") else value
