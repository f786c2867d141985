"""`timeline/1`: everything that happened to a document, oldest first."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from reconciler.ports import Recorded

from .values import shown_time

SCHEMA: Final = "timeline/1"


def timeline(document_id: str, journal: Iterable[Recorded]) -> dict[str, Any]:
    """The journal, each event as it was written with what it tells."""
    return {
        "schema": SCHEMA,
        "document_id": document_id,
        "entries": [
            {
                "sequence": line.sequence,
                "at": shown_time(line.at),
                "kind": line.event.kind,
                "item": line.event.item,
                "detail": dict(line.event.detail),
            }
            for line in journal
        ],
    }
