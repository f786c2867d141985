"""What exists beyond an item that has its entity, and what records it as known: one decision.

The page's button, its command and the next request all mean this one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from reconciler.model import Kind
from reconciler.resolve_decision import Choice
from reconciler.typed_command import typed_command

Shape = Mapping[str, Any]

AT_ONCE_MAX: Final = 100
"""Ids in one decision, as many as a body may name; the next answer names the rest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """An item, the id that is recorded for it, and the ids beside it that nobody said are known."""

    key: str
    bound: str
    ids: tuple[str, ...]

    @property
    def body(self) -> dict[str, Any]:
        """The decision as it is sent; TEXT is a person's to fill in."""
        return {
            "decision": Choice.ADOPT.value,
            "reason": "TEXT",
            "external_id": self.bound,
            "also": list(self.ids),
        }

    def command(self, document_id: str) -> str:
        """The same to type."""
        also = " ".join(f"--also {one}" for one in self.ids)
        options = f"--adopt {self.bound} {also} --reason TEXT"
        return typed_command("resolve", document_id, self.key, options=options)


def beside_bound(state: Shape) -> list[Beside]:
    """Of `document-state/1`, what spends first: a second creative costs nothing."""
    found: dict[str, list[str]] = {}
    for extra in sorted(state["surplus"], key=lambda one: one["kind"] == Kind.ADCREATIVE):
        is_open = not extra["known"] and extra["unlisted_since"] is None
        if extra["item"] is not None and is_open:
            found.setdefault(extra["item"], []).append(extra["external_id"])
    bound = {item["key"]: item["external_id"] for item in state["items"] if item["external_id"]}
    return [
        Beside(key=key, bound=bound[key], ids=tuple(ids[:AT_ONCE_MAX]))
        for key, ids in found.items()
        if key in bound
    ]
