"""The states by which a list is narrowed: those that are stored, and the one that only shows."""

from __future__ import annotations

from enum import StrEnum

from reconciler.model import DocumentState


class ListedState(StrEnum):
    """As a list shows them. A crashed document is stored as `publishing`, and is in both."""

    DRAFT = "draft"
    QUEUED = "queued"
    PUBLISHING = "publishing"
    CRASHED = "crashed"
    PUBLISHED = "published"
    PARTLY_PUBLISHED = "partly_published"
    FAILED = "failed"
    CANCELLED = "cancelled"
    HELD = "held"

    @property
    def stored(self) -> DocumentState | None:
        """None of what is not stored: `Which.CRASHED` asks for that."""
        return None if self is ListedState.CRASHED else DocumentState(self.value)
