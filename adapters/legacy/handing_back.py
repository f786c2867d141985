"""What became of documents, a line for each item: JSON or CSV, to be joined to one's own tables.

`document_id` and `item` (the place in `names`, from 1) or `name` join it to what was imported.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final

from reconciler.attributes import attributes_said, created_at, warnings_said
from reconciler.model import Document, Item

COLUMNS: Final = (
    *("document_id", "key", "origin", "account_id", "document_state", "item", "kind", "name"),
    *("container_kind", "container_id", "state", "reason", "external_id", "found_by"),
    *("created_time", "effective_status", "attributes", "warnings", "unlisted_since"),
)


def head(form: str) -> str:
    """What stands before the first line."""
    return _as_csv(COLUMNS) if form == "csv" else ""


def lines(document: Document, form: str) -> Iterator[str]:
    """A line for each item of the document, ended."""
    for item in document.items:
        values = _values(document, item)
        yield _csv_line(values) if form == "csv" else json.dumps(values) + "\n"


def _values(document: Document, item: Item) -> dict[str, Any]:
    intent = item.intent
    container = intent.container if intent else item.parent
    return {
        "document_id": document.id,
        "key": document.key,
        "origin": document.origin.value,
        "account_id": document.account_id,
        "document_state": document.state.value,
        "item": item.key,
        "kind": item.kind.value,
        "name": item.name,
        "container_kind": container.kind.value if container else None,
        "container_id": container.id if container else None,
        "state": item.state.value,
        "reason": intent.reason.value if intent and intent.reason else None,
        "external_id": intent.external_id if intent else None,
        "found_by": intent.found_by.value if intent and intent.found_by else None,
        "created_time": _time(created_at(intent)) if intent else None,
        "effective_status": intent.effective_status if intent else None,
        "attributes": attributes_said(intent) if intent else None,
        "warnings": list(warnings_said(intent)) if intent else [],
        "unlisted_since": _time(intent.unlisted_since) if intent else None,
    }


def _csv_line(values: dict[str, Any]) -> str:
    told = {name: json.dumps(values[name]) for name in ("attributes", "warnings") if values[name]}
    return _as_csv([told.get(name, "" if not values[name] else values[name]) for name in COLUMNS])


def _as_csv(cells: Any) -> str:
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerow(cells)
    return written.getvalue()


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
