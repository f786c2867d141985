"""Who is told of what a ledger stored, once it is durable, and of what it turned away."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Generic, ParamSpec, Protocol, TypeVar

from reconciler.model import Document
from reconciler.ports import Change, Guard

Given = ParamSpec("Given")
Said = TypeVar("Said")


class Watcher(Protocol):
    """Is told in the event loop, and must neither wait nor raise."""

    def stored(self, document: Document, change: Change, at: datetime) -> None:
        """This change, of this ledger time, is durable. `document` may lack items."""

    def turned_away(self, document_id: str, guard: Guard) -> None:
        """The guard did not match; nothing was changed."""

    def failed(self, error: Exception) -> None:
        """A transaction ended in a fault of ours, or in a commit that nobody acknowledged."""


class Nobody:
    """Watches nothing."""

    def stored(self, document: Document, change: Change, at: datetime) -> None:
        """Nothing."""

    def turned_away(self, document_id: str, guard: Guard) -> None:
        """Nothing."""

    def failed(self, error: Exception) -> None:
        """Nothing."""


class Noted(Generic[Given, Said]):
    """A decision that remembers what it said last: a transaction may be run again."""

    def __init__(self, decide: Callable[Given, Said]) -> None:
        self._decide = decide
        self.said: Said | None = None

    def __call__(self, *given: Given.args, **named: Given.kwargs) -> Said:
        """Decide."""
        self.said = self._decide(*given, **named)
        return self.said
