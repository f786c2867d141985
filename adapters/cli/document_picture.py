"""A document for people: what it is, its items, attempts and surplus, and the next safe action.

Drawn from `document-state/1`, so that a person and a program are told the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

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
    "+": "absent, may be made",
    "?": "needs a person",
    "!": "surplus",
    ".": "no verdict yet",
    "x": "cannot be made",
}

STYLES: Final = {
    "published": "bold green",
    "partly_published": "bold yellow",
    "failed": "bold red",
    "held": "bold yellow",
    "publishing": "bold cyan",
    "crashed": "bold red",
}

ITEMS_SHOWN_MAX: Final = 200
"""Rows of items for a person; --json has all of them."""


ATTEMPTS_SHOWN_MAX: Final = 10
"""The latest."""


def document_picture(state: Shape) -> RenderableType:
    """The whole picture."""
    parts: list[RenderableType] = [_head(state), "", _items(state)]
    parts += [legend] if (legend := _legend(state)) else []
    for section in (_warnings(state), _surplus(state), _attempts(state)):
        parts += ["", section] if section is not None else []
    return Group(*parts, "", next_picture(state["next"]))


def next_picture(step: Shape) -> RenderableType:
    """What to do, why, until when, and the command by itself, easy to copy."""
    until = f" until {clock(step['until'])}" if step["until"] else ""
    line = Text.assemble(("next      ", "dim"), (step["action"] + until, "bold"))
    line.append(f"  {visible(step['why'])}")
    if not step["command"]:
        return line
    return Group(line, Text(f"          $ {visible(step['command'])}", style="bold"))


def clock(time: str | None) -> str:
    """A time as people read it: to the second, UTC said once."""
    return "-" if time is None else f"{time[:19].replace('T', ' ')} UTC"


def _head(state: Shape) -> RenderableType:
    grid = Table.grid(padding=(0, 2))
    container = state["container"]
    where = "" if container["kind"] == "account" else f"{container['kind']} {container['id']}"
    title = f"  {visible(state['title'])}" if state.get("title") else ""
    grid.add_row(Text("document", "dim"), Text(f"{state['document_id']}{title}", "bold"))
    grid.add_row(Text("key", "dim"), f"{_key(state['key'])}  revision {state['revision']}")
    grid.add_row(Text("account", "dim"), f"{state['account_id']}  {where}".rstrip())
    grid.add_row(Text("state", "dim"), _state(state))
    return grid


def _key(key: str) -> str:
    """A hash is told by its beginning; --json has it whole."""
    is_hash = len(key) == 64 and not key.strip("0123456789abcdef")
    return f"{key[:12]}… (hash of its plan)" if is_hash else visible(key)


def _state(state: Shape) -> Text:
    name = "crashed" if state["crashed"] else state["state"]
    line = Text.assemble((name, STYLES.get(name, "bold")), f"  since {clock(state['since'])}")
    flags = {
        "its worker is gone": state["crashed"],
        "unsettled": state["unsettled"],
        "cancel requested": state["cancel_requested"] and state["state"] != "cancelled",
        "imported": state["origin"] == "imported",
    }
    told = [name for name, holds in flags.items() if holds]
    return line.append(f"  ({', '.join(told)})") if told else line


def _items(state: Shape) -> RenderableType:
    items = state["items"]
    confirmed = sum(item["state"] == "confirmed" for item in items)
    table = Table(
        title=f"items     {confirmed} of {len(items)} exist and are recorded",
        title_justify="left",
        title_style="dim",
        box=None,
        pad_edge=False,
        padding=(0, 2, 0, 0),
        header_style="dim",
    )
    for name in ("", "key", "kind", "name", "state", "external id", "found by"):
        table.add_column(name, no_wrap=name not in ("name", "state"), overflow="fold")
    for item in items[:ITEMS_SHOWN_MAX]:
        table.add_row(*_item(item))
    if len(items) <= ITEMS_SHOWN_MAX:
        return table
    hidden = Counter(item["state"] for item in items[ITEMS_SHOWN_MAX:])
    told = ", ".join(f"{count:,} {name}" for name, count in hidden.items())
    return Group(table, Text(f"   and more, see --json: {told}", "dim"))


def _item(item: Shape) -> Iterator[RenderableType]:
    symbol, style = symbol_of(item)
    reason = f" ({item['reason']})" if item.get("reason") else ""
    yield Text(symbol, style)
    yield item["key"]
    yield item["kind"]
    yield visible(item["name"])
    yield Text(f"{item['state']}{reason}", style)
    yield item["external_id"] or "-"
    yield item["found_by"] or "-"


def symbol_of(item: Shape) -> tuple[str, str]:
    """The symbol and its colour."""
    symbol, style = SYMBOLS[item["state"]]
    was_found = item["state"] == "confirmed" and item["found_by"] != "reply"
    return ("~", style) if was_found else (symbol, style)


def _legend(state: Shape) -> Text | None:
    """The meaning of the symbols that are on the screen; none where all is well."""
    used = {symbol_of(item)[0] for item in state["items"]} | ({"!"} if state["surplus"] else set())
    told = [f"{symbol} {meaning}" for symbol, meaning in MEANINGS.items() if symbol in used]
    return Text("   " + "   ".join(told), "dim") if used - {"=", " "} else None


def _warnings(state: Shape) -> RenderableType | None:
    lines = [
        Text.assemble((f"  {item['key']}  ", "bold"), (visible(text), style))
        for item in state["items"]
        for text, style in _remarks(item)
    ]
    return Group(Text("remarks", "dim"), *lines[:ITEMS_SHOWN_MAX]) if lines else None


def _remarks(item: Shape) -> Iterator[tuple[str, str]]:
    yield from ((warning, "yellow") for warning in item["warnings"])
    if item.get("error") and item["state"] != "confirmed":
        yield item["error"], "red"


def _surplus(state: Shape) -> RenderableType | None:
    if not state["surplus"]:
        return None
    lines = [
        Text.assemble(
            ("  ! ", "bold red"),
            f"{extra['external_id']}  {extra['kind']}",
            f"  of item {extra['item']}" if extra["item"] else "  fits no item",
            "  (known)" if extra["known"] else "",
        )
        for extra in state["surplus"]
    ]
    return Group(Text("surplus   exists outside beyond what the document wants", "dim"), *lines)


def _attempts(state: Shape) -> RenderableType | None:
    attempts = state["attempts"]
    if not attempts:
        return None
    lines = [line for attempt in attempts[-ATTEMPTS_SHOWN_MAX:] for line in _attempt(attempt)]
    return Group(Text("attempts", "dim"), *lines)


def _attempt(attempt: Shape) -> Iterator[Text]:
    """When, how it ended, by whom; what went wrong on a line of its own."""
    line = Text(f"  {attempt['number']:<3}{attempt['started_at'][:19].replace('T', ' ')} ")
    line.append(f"{_end(attempt)} UTC  ").append(attempt["outcome"] or "running", "bold")
    yield line.append(f"  {visible(attempt['owner'])}", "dim")
    if attempt["error"]:
        yield Text(f"     {visible(attempt['error'])}", "dim")


def _end(attempt: Shape) -> str:
    """Of a running attempt, what the lease promises; of an ended one, the time of day is enough."""
    if attempt["finished_at"] is None:
        return f"lease until {attempt['lease_until'][11:19]}"
    return f"to {attempt['finished_at'][11:19]}"
