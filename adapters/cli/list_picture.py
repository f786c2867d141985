"""The list for people: counts by state, then one line for each document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rich.console import Console, ConsoleOptions, Group, OverflowMethod, RenderableType
from rich.table import Table
from rich.text import Text

from .document_picture import STYLES
from .next_picture import clock
from .output import visible

Document = Mapping[str, Any]

TITLES_FROM_WIDTH: Final = 100
"""Columns; in a narrower terminal a title would push the next action out of sight."""


def list_picture(
    shape: Mapping[str, Any], *, narrowed: bool = False, crashed: bool = False
) -> RenderableType:
    """Drawn from `list/1`. `narrowed`: not all documents were asked for; `crashed`: only those."""
    counts, documents = shape["counts"], shape["documents"]
    if crashed and counts:  # counted as what is stored, and shown as what was asked for
        counts = {"crashed": sum(counts.values())}
    if not counts and narrowed:
        return Text("no such documents; reconciler list shows all")
    if not counts:
        return Text("no documents; reconciler submit PLAN.json accepts one")
    total = Text("   ").join(
        Text.assemble((f"{count:,} ", "bold"), (state, STYLES.get(state, "")))
        for state, count in counts.items()
    )
    parts: list[RenderableType] = [total, "", _Lines(documents)]
    if (hidden := sum(counts.values()) - len(documents)) > 0:
        narrowing = "narrow with --state, --account, --kind or --verdict"
        parts.append(Text(f"and {hidden:,} older ones; {narrowing}", "dim"))
    return Group(*parts)


@dataclass(frozen=True)
class _Lines:
    """The documents, as wide as the terminal allows. Ids are never cut: they are to be copied."""

    documents: Sequence[Document]

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        accounts = {document["account_id"] for document in self.documents}
        if len(accounts) == 1:
            yield Text(f"account   {next(iter(accounts))}\n", "dim")
        columns = {"document": True, "account": len(accounts) > 1, "state": True}
        columns |= {"since (UTC)": True, "next": True}
        columns["title"] = options.max_width >= TITLES_FROM_WIDTH and self._has_titles()
        yield _table(self.documents, [name for name, is_shown in columns.items() if is_shown])

    def _has_titles(self) -> bool:
        return any(document.get("title") for document in self.documents)


def _table(documents: Sequence[Document], columns: list[str]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    lines = [_cells(document) for document in documents]
    for name in columns:
        longest = max((len(cells[name]) for cells in lines), default=0)
        is_whole = name in WHOLE or (name == "next" and longest <= NEXT_WIDTH_MAX)
        least = longest if is_whole else None
        is_title = name == "title"  # may be cut, as the last one
        over: OverflowMethod = "ellipsis" if is_title else "fold"
        table.add_column(name, no_wrap=is_whole or is_title, overflow=over, min_width=least)
    for cells in lines:
        table.add_row(*(cells[name] for name in columns))
    return table


WHOLE: Final = ("document", "account", "since (UTC)")
"""Never folded, never cut."""


NEXT_WIDTH_MAX: Final = 20
"""Up to this the next action stays on one line, and a long state is folded before it."""


def _cells(document: Document) -> dict[str, Text]:
    return {
        "document": Text(document["document_id"]),
        "account": Text(document["account_id"]),
        "state": _state(document),
        "since (UTC)": Text(clock(document["since"])[:16]),
        "next": Text(_next(document["next"], document["since"])),
        "title": Text(visible(document.get("title") or "")),
    }


def _state(document: Document) -> Text:
    name = "crashed" if document["crashed"] else document["state"]
    text = Text(name, STYLES.get(name, ""))
    if document["unsettled"] and not document["crashed"]:
        text.append(" . unsettled", "magenta")
    if document.get("surplus"):
        text.append(" ! surplus", "bold red")
    return text


def _next(step: Mapping[str, Any], since: str) -> str:
    """The date is left out where it is that of `since`."""
    if not step["until"]:
        return str(step["action"])
    at = clock(step["until"])[:-4]
    short = at[11:] if step["until"][:10] == since[:10] else at
    return f"{step['action']} {'until' if step['action'] == 'wait' else 'from'} {short}"


def list_line(document: Document) -> str:
    """One document in one line, for a log."""
    cells = _cells(document)
    told = [cells[name].plain for name in ("document", "account", "state", "next", "title")]
    return "  ".join(filter(None, told))
