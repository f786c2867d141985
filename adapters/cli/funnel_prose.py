"""What a funnel comes to, in words: what is left, why, what people decided, what to do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from .next_picture import clock
from .output import visible

Shape = Mapping[str, Any]


def prose(alike: Sequence[Shape]) -> RenderableType:
    """Of a block of items; what differs from one to the next is told of the first."""
    item = alike[0]
    table = Table.grid(padding=(0, 2))
    table.add_column(min_width=6)
    for head, told in _lines(item):
        table.add_row(Text(f"  {head}", "dim"), Text(told))
    return Group(table, *_commands(item))


def _lines(item: Shape) -> Iterator[tuple[str, str]]:
    if item.get("left") is not None and "lacking" in item:
        lacking = item["lacking"]
        missing = "1 entity is missing" if lacking == 1 else f"{lacking:,} entities are missing"
        rows = "1 row is" if item["left"] == 1 else f"{item['left'] or 'no'} rows are"
        yield "left", f"{rows} left of its name, {missing}"
    yield "why", item["why"]
    for extra in item["second_entities"]:
        of = f"{extra['item']} ({extra['bound_to']})"
        told = f"{extra['external_id']} looks like a second entity of {of}: if it is, delete it in"
        yield "", f"{told} Ads Manager, then recover; that settles this item"
    for undone in item.get("reverted", ()):
        who = f"{visible(undone['by'])}, {clock(undone['at'])}"
        told = f"batch revert {undone['run']} took back {undone['external_id']}"
        yield "undone", f"{told}, by {who}: {visible(undone['reason'])}"
    for said in item["decisions"]:
        named = f" {said['external_id']}" if said["external_id"] else ""
        who = f"{visible(said['by'])}, {clock(said['at'])}"
        yield "said", f"{said['choice']}{named}, by {who}: {visible(said['reason'])}"
        for overruled in said["overridden"]:
            yield "", f"overruled: {visible(overruled)}"
        for warning in said.get("warnings", ()):
            yield "", f"WARNING: {visible(warning)}"


def _commands(item: Shape) -> Iterator[RenderableType]:
    """By themselves, not to be broken into lines by us: they are to be copied."""
    for number, command in enumerate(item["commands"]):
        head = "  do      " if number == 0 else "  or      "
        line = Text.assemble((head, "dim"), (f"$ {visible(command)}", "bold"), no_wrap=True)
        line.overflow = "ignore"
        yield line
