"""The list for people: counts by state, then one line for each document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from .document_picture import STYLES, clock
from .output import visible


def list_picture(shape: Mapping[str, Any]) -> RenderableType:
    """Drawn from `list/1`."""
    counts, documents = shape["counts"], shape["documents"]
    if not counts:
        return Text("no documents; reconciler submit PLAN.json accepts one")
    total = Text("   ").join(
        Text.assemble((f"{count:,} ", "bold"), (state, STYLES.get(state, "")))
        for state, count in counts.items()
    )
    parts: list[RenderableType] = [total, "", _table(documents)]
    if (hidden := sum(counts.values()) - len(documents)) > 0:
        parts.append(Text(f"and {hidden:,} older ones; narrow with --state or --account", "dim"))
    return Group(*parts)


def _table(documents: list[Mapping[str, Any]]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for name in ("document", "account", "state", "since", "next", "title"):
        table.add_column(name, no_wrap=name not in ("title", "next"), overflow="fold")
    for document in documents:
        table.add_row(
            document["document_id"],
            document["account_id"],
            _state(document),
            clock(document["since"]),
            _next(document["next"]),
            visible(document.get("title") or ""),
        )
    return table


def _state(document: Mapping[str, Any]) -> Text:
    name = "crashed" if document["crashed"] else document["state"]
    text = Text(name, STYLES.get(name, ""))
    if document["unsettled"] and not document["crashed"]:
        text.append(" . unsettled", "magenta")
    if document.get("surplus"):
        text.append(" ! surplus", "bold red")
    return text


def _next(step: Mapping[str, Any]) -> str:
    return f"{step['action']} until {clock(step['until'])}" if step["until"] else step["action"]
