"""Turns what a row of a page had into the core's `Row`: the few rows that a walk keeps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from reconciler.listing import Row
from reconciler.model import Kind

from .text import id_text, label_names

_SOURCE: Final[Mapping[Kind, str]] = {
    Kind.CAMPAIGN: "source_campaign_id",
    Kind.ADSET: "source_adset_id",
    Kind.AD: "source_ad_id",
}


def row_of(given: Mapping[str, Any], kind: Kind, data: Mapping[str, Any] | None = None) -> Row:
    """A field of an odd type, and an empty id, is a missing one; ids are text (R035, R053).

    `given` has an id, and no labels or a list of them: else it were on no page. `data` is what is
    stored of it.
    """
    row_id = id_text(given["id"])
    assert row_id is not None, "a row without an id is on no page"
    return Row(
        id=row_id,
        kind=kind,
        name=_text(given.get("name")),
        account_id=_id(given.get("account_id")),
        campaign_id=_id(given.get("campaign_id")),
        adset_id=_id(given.get("adset_id")),
        status=_text(given.get("status")),
        effective_status=_text(given.get("effective_status")),
        created_time=_text(given.get("created_time")),
        labels=tuple(label_names(given.get("adlabels"))),
        source_id=_source_id(given, kind),
        data={} if data is None else data,
    )


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _id(value: Any) -> str | None:
    """Any text; a whole number with all its digits."""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return (id_text(value) or "0") if is_number else _text(value) or None


def _source_id(given: Mapping[str, Any], kind: Kind) -> str | None:
    """The API writes "no source" as a missing field, an empty one or a zero."""
    value = _id(given.get(_SOURCE[kind])) if kind in _SOURCE else None
    return None if value == "0" else value
