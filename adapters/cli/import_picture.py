"""What an import did, or would do, for people: counts first, then each refused line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from .document_picture import STYLES
from .output import visible

LINES_SHOWN: Final = 20


def import_picture(shape: Mapping[str, Any]) -> RenderableType:
    """Drawn from `import/1`."""
    counts = (
        f"documents: {shape['accepted']:,} accepted, {shape['unchanged']:,} unchanged; "
        f"lines: {shape['refused_lines']:,} of {shape['lines']:,} refused"
    )
    return Group(Text(counts, "bold"), *_ignored(shape), *_refused(shape))


def _ignored(shape: Mapping[str, Any]) -> Iterator[RenderableType]:
    if ignored := shape["ignored_keys"]:
        told = ", ".join(f"{visible(key)} ({count:,})" for key, count in sorted(ignored.items()))
        yield Text(f"keys without a meaning here, passed over: {told}", "dim")


def _refused(shape: Mapping[str, Any]) -> Iterator[RenderableType]:
    refused = shape["refused"]
    if not refused:
        return
    yield _faults(refused[:LINES_SHOWN])
    if shape["refused_file"]:
        yield Text(f"every refused line, with its reason: {visible(shape['refused_file'])}")


def _faults(refused: list[Mapping[str, Any]]) -> Table:
    grid = Table.grid(padding=(0, 2, 0, 0))
    for fault in refused:
        grid.add_row(
            f"line {fault['line']}",
            visible(fault["document_id"] or "-"),
            visible(fault["field"]),
            visible(fault["reason"]),
        )
    return grid


def preview_picture(shape: Mapping[str, Any]) -> RenderableType:
    """Drawn from `import-preview/1`."""
    if not shape["documents"]:
        return Text("no documents")
    parts = [part for document in shape["documents"] for part in _understood(document)]
    if shape["more"]:
        first = f"the first {len(shape['documents'])}; more lines follow, and were not checked"
        parts.append(Text(f"{first}: without --preview all are", "dim"))
    return Group(*parts)


def _understood(document: Mapping[str, Any]) -> Iterator[RenderableType]:
    lines = ", ".join(map(str, document["lines"][:3]))
    if document["refused"]:
        yield Text.assemble((f"line {lines}: refused", "bold red"))
        yield _faults(document["refused"])
        return
    state, gone_at = document["state"], document["worker_gone_at"]
    said = f"crashed, its worker gone by {gone_at}" if gone_at else state.replace("_", " ")
    yield Text.assemble(
        f"line {lines}: document ",
        (visible(document["document_id"]), "bold"),
        f" of {document['account_id']}: ",
        (said, STYLES.get(state, "")),
    )
    grid = Table.grid(padding=(0, 2, 0, 2))
    for item in document["items"][:LINES_SHOWN]:
        known = item["external_id"] or "not recorded"
        name = visible(item["name"])
        grid.add_row("  " + item["key"], item["kind"], name, f"in {item['container']}", known)
    yield grid
    if (hidden := len(document["items"]) - LINES_SHOWN) > 0:
        names = "name" if hidden == 1 else "names"
        yield Text(f"    and {hidden:,} more {names}: --json has all of them", "dim")
