"""`import/1` and `import-preview/1`: what became of lines from elsewhere, or would."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from reconciler.imported_lines import Group, Refused
from reconciler.importing import Imported
from reconciler.model import Document

from .values import account

REFUSED_SHOWN_MAX: Final = 1_000
"""Of a wrong file every line is refused; the file beside it has them all."""


def import_report(
    told: Imported, refused: Sequence[Refused], refused_file: str | None
) -> dict[str, Any]:
    """Documents accepted and unchanged; lines refused, of which the first are listed by fault."""
    return {
        "schema": "import/1",
        "accepted": told.accepted,
        "unchanged": told.unchanged,
        "refused": [_refused(one) for one in refused],
        "refused_lines": told.refused,
        "refused_file": refused_file,
        "lines": told.lines,
        "ignored_keys": dict(told.ignored),
    }


def import_preview(
    groups: Iterable[tuple[Group, Document | None]], *, has_more: bool
) -> dict[str, Any]:
    """The first documents as they are understood; nothing was stored, what follows not checked."""
    return {
        "schema": "import-preview/1",
        "documents": [_understood(group, document) for group, document in groups],
        "more": has_more,
    }


def _understood(group: Group, document: Document | None) -> dict[str, Any]:
    read: dict[str, Any] = {
        "lines": [raw.number for raw in group.raws],
        "refused": [_refused(one) for one in group.refused],
    }
    if document is None:
        return read
    gone_at = document.lease.until.isoformat() if document.lease else None
    return read | {
        "document_id": document.id,
        "account_id": account(document.account_id),
        "state": document.state.value,
        "worker_gone_at": gone_at,
        "items": [
            {
                "key": item.key,
                "kind": item.kind.value,
                "name": item.name,
                "container": item.parent.id if item.parent else None,
                "external_id": item.intent.external_id if item.intent else None,
            }
            for item in document.items
        ],
    }


def _refused(one: Refused) -> dict[str, Any]:
    return {
        "line": one.line,
        "document_id": one.document_id,
        "field": one.field,
        "reason": one.reason,
    }
