"""The items of a document for people: where each stands, what a look saw, what was said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from reconciler.model import DocumentState, Grade, Origin

from ..shapes import counted
from .next_picture import clock
from .output import visible

Shape = Mapping[str, Any]

SYMBOLS: Final = {
    "confirmed": ("=", "green"),
    "absent": ("+", "cyan"),
    "held": ("?", "yellow"),
    "pending": (".", "magenta"),
    "rejected": ("x", "red"),
    "blocked": ("x", "red"),
    "waiting": (" ", "dim"),
}
"""By item state; `~` where it was found by a look. Symbols with words, never colour alone."""

MEANINGS: Final = {
    "=": "nothing to do",
    "~": "found",
    "-": "made, not listed any more",
    "+": "absent, may be made",
    "?": "needs a person",
    "!": "surplus",
    ".": "no verdict yet",
    "x": "cannot be made",
}

OF_IMPORTED: Final = {"+": "absent; nothing is made from here"}
"""Where it differs: of an imported document nothing is made."""

OF_CANCELLED: Final = {"+": "absent; nothing more is made"}
"""Nor of one with a cancel on record, honoured yet or not."""

HELD_NO_MORE: Final = {"?": "may exist outside; cancelled, so nobody needs to decide"}
"""Once it is cancelled. A person still may."""

OVER_ELSEWHERE: Final = {".": "not recorded; it finished elsewhere, nobody looks"}
"""And what is pending of one that is at rest stays so."""

LOOKED_AT: Final = {".": "not known yet"}
"""Where a look said inconclusive: that is a verdict."""

ITEMS_SHOWN_MAX: Final = 200
"""Rows of items for a person; --json has all of them."""


def items_picture(state: Shape) -> RenderableType:
    """A line for each item, those beyond the bound counted by state."""
    items = state["items"]
    table = Table(
        title=f"items     {counted(items)}",
        title_justify="left",
        title_style="dim",
        box=None,
        pad_edge=False,
        padding=(0, 2, 0, 0),
        header_style="dim",
    )
    least = {"external id": max((len(item["external_id"] or "-") for item in items), default=1)}
    for name in ("", "key", "kind", "name", "state", "external id", "found by"):
        folds = name in ("key", "name", "state")  # an id is to be copied: never folded, never cut
        table.add_column(name, no_wrap=not folds, overflow="fold", min_width=least.get(name))
    for item in items[:ITEMS_SHOWN_MAX]:
        table.add_row(*_item(item, state["origin"]))
    if len(items) <= ITEMS_SHOWN_MAX:
        return table
    hidden = Counter(item["state"] for item in items[ITEMS_SHOWN_MAX:])
    told = ", ".join(f"{count:,} {name}" for name, count in hidden.items())
    return Group(table, Text(f"   and more, see --json: {told}", "dim"))


def _item(item: Shape, origin: str) -> Iterator[RenderableType]:
    symbol, style = symbol_of(item)
    reason = f" ({item['reason']})" if item.get("reason") else ""
    yield Text(symbol, style)
    yield item["key"]
    yield item["kind"]
    yield visible(item["name"])
    yield Text(f"{item['state']}{reason}", style)
    yield item["external_id"] or "-"
    is_theirs = origin == Origin.IMPORTED and item["found_by"] == Grade.REPLY
    yield "reply, elsewhere" if is_theirs else item["found_by"] or "-"


def symbol_of(item: Shape) -> tuple[str, str]:
    """The symbol and its colour."""
    if item["unlisted_since"] is not None:
        return "-", "yellow"
    symbol, style = SYMBOLS[item["state"]]
    was_found = item["state"] == "confirmed" and item["found_by"] != "reply"
    return ("~", style) if was_found else (symbol, style)


def legend(state: Shape) -> Text | None:
    """The meaning of the symbols that are on the screen; none where all is well."""
    used = {symbol_of(item)[0] for item in state["items"]} | ({"!"} if state["surplus"] else set())
    meanings = MEANINGS | _looked_at(state) | _otherwise(state)
    told = [f"{symbol} {meaning}" for symbol, meaning in meanings.items() if symbol in used]
    return Text("   " + "   ".join(told), "dim") if used - {"=", " "} else None


def _looked_at(state: Shape) -> dict[str, str]:
    judged = {one["item"] for one in state["verdicts"] if one["verdict"] == "inconclusive"}
    open_ones = {item["key"] for item in state["items"] if item["state"] == "pending"}
    return LOOKED_AT if judged & open_ones else {}


def _otherwise(state: Shape) -> dict[str, str]:
    needs_nobody = HELD_NO_MORE if state["state"] == DocumentState.CANCELLED else {}
    if state["origin"] == Origin.IMPORTED:
        over = {} if state["unsettled"] else OVER_ELSEWHERE
        return OF_IMPORTED | over | needs_nobody
    return OF_CANCELLED | needs_nobody if needs_nobody or state["cancel_requested"] else {}


def outside(state: Shape) -> RenderableType | None:
    """What a look saw of the entities: their status and when the API made them, where known."""
    seen = [item for item in state["items"] if item["effective_status"] or item["created_time"]]
    if not seen:
        return None
    grid = Table.grid(padding=(0, 2))
    for item in seen[:ITEMS_SHOWN_MAX]:
        made = f"created {clock(item['created_time'])}" if item["created_time"] else ""
        grid.add_row(
            Text(f"  {item['key']}", "bold"), visible(item["effective_status"] or ""), made
        )
    return Group(Text("outside   as a look last saw it", "dim"), grid)


def remarks(state: Shape) -> RenderableType | None:
    """Warnings of a look, and what the API or the network, said to a last call; None: nothing."""
    lines = [
        Text.assemble((f"  {item['key']}  ", "bold"), (visible(text), style))
        for item in state["items"]
        for text, style in _said_about(item)
    ]
    return Group(Text("remarks", "dim"), *lines[:ITEMS_SHOWN_MAX]) if lines else None


def _said_about(item: Shape) -> Iterator[tuple[str, str]]:
    yield from ((warning, "yellow") for warning in item["warnings"])
    if item.get("error") and item["state"] != "confirmed":
        yield item["error"], "red"
