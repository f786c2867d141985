"""A document for people: what it is, its items, attempts and surplus, and the next safe action.

Drawn from `document-state/1`, so that a person and a program are told the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from reconciler.typed_command import typed_command

from ..shapes import about_surplus
from .items_picture import items_picture, legend, outside, remarks
from .next_picture import clock, next_picture
from .output import visible

Shape = Mapping[str, Any]

STYLES: Final = {
    "published": "bold green",
    "partly_published": "bold yellow",
    "failed": "bold red",
    "held": "bold yellow",
    "publishing": "bold cyan",
    "crashed": "bold red",
}

ATTEMPTS_SHOWN_MAX: Final = 10
"""The latest."""


def document_picture(state: Shape) -> RenderableType:
    """The whole picture."""
    parts: list[RenderableType] = [_head(state), "", items_picture(state)]
    parts += [meanings] if (meanings := legend(state)) else []
    for section in (outside(state), remarks(state), _surplus(state), _attempts(state)):
        parts += ["", section] if section is not None else []
    return Group(*parts, "", next_picture(state["next"]))


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
    """A hash is told by its beginning, also where --new made it one of several; --json has all."""
    is_hash = bool(re.fullmatch("[0-9a-f]{64}(-.*)?", key))
    if not is_hash:
        return visible(key)
    return f"{key[:12]}… (hash of its plan{', once more by --new' if len(key) > 64 else ''})"


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


def _surplus(state: Shape) -> RenderableType | None:
    if not state["surplus"]:
        return None
    lines = [
        Text.assemble(
            ("  ! ", "bold red"),
            f"{extra['external_id']}  {extra['kind']}",
            f"  of item {extra['item']}" if extra["item"] else "  fits no item",
            "  (known)" if extra["known"] else "",
            f"  not listed since {clock(gone)}: deleted or moved"
            if (gone := extra["unlisted_since"])
            else "",
        )
        for extra in state["surplus"]
    ]
    head = Text("surplus   reported by a look, beyond what the document wants", "dim")
    if all(extra["known"] or extra["unlisted_since"] for extra in state["surplus"]):
        return Group(head, *lines)
    return Group(head, *lines, Padding(Text(_what_to_do(state)), (0, 0, 0, 4)))


def _what_to_do(state: Shape) -> str:
    """With the command that records the first of them, where one of ours stands beside it."""
    bound = {item["key"]: item["external_id"] for item in state["items"] if item["external_id"]}
    for extra in state["surplus"]:
        is_open = not extra["known"] and not extra["unlisted_since"]
        if is_open and extra["item"] in bound:
            same = f"--adopt {bound[extra['item']]} --also {extra['external_id']}"
            operands = (state["document_id"], extra["item"])
            to_resolve = typed_command("resolve", *operands, options=f"{same} --reason TEXT")
            return f"{about_surplus(state)}\n{to_resolve}"
    return about_surplus(state)


def _attempts(state: Shape) -> RenderableType | None:
    attempts = state["attempts"]
    if not attempts:
        return None
    lines = [line for attempt in attempts[-ATTEMPTS_SHOWN_MAX:] for line in _attempt(attempt)]
    return Group(Text("attempts", "dim"), *lines)


def _attempt(attempt: Shape) -> Iterator[Text]:
    """When, how it ended, by whom; what went wrong on a line of its own."""
    line = Text(f"  {attempt['number']:<3}{attempt['started_at'][:19].replace('T', ' ')} ")
    line.append(f"{_end(attempt)}  ").append(attempt["outcome"] or "running", "bold")
    yield line.append(f"  {visible(attempt['owner'])}", "dim")
    if attempt["error"]:
        yield Text(f"     {visible(attempt['error'])}", "dim")


def _end(attempt: Shape) -> str:
    """Of a running attempt, what the lease promises; of an ended one, the time of day is enough."""
    if attempt["finished_at"] is None and attempt["lease_until"] is None:
        return "no end is known"
    if attempt["finished_at"] is None:
        return f"lease until {attempt['lease_until'][11:19]} UTC"
    return f"to {attempt['finished_at'][11:19]} UTC"
