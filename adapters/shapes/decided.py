"""A document as a person's decision left it: `document-state/1`, and what the decision costs."""

from __future__ import annotations

from typing import Any

from reconciler.resolve import Resolved

from .document_state import document_state


def decided(resolved: Resolved) -> dict[str, Any]:
    """The shape. `warnings` say which other item of the document lacks its row from now on."""
    return document_state(resolved.view) | {"warnings": list(resolved.warnings)}
