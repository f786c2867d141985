"""The next safe action for people: what, from or until when, why, and the command to copy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from .output import visible

Shape = Mapping[str, Any]


def next_picture(step: Shape) -> RenderableType:
    """What to do, why, until when, and the command by itself, easy to copy."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(min_width=8)
    line = Text.assemble((step["action"] + timing(step), "bold"), f"  {visible(step['why'])}")
    grid.add_row(Text("next", "dim"), line)
    if not step["command"]:
        return grid
    # Outside the grid: a command is to be copied, and must not be broken into lines by us.
    command = Text(f"          $ {visible(step['command'])}", "bold", no_wrap=True)
    command.overflow = "ignore"
    return Group(grid, command)


def timing(step: Shape) -> str:
    """When: one waits until a time, and does anything else from a time on."""
    if not step["until"]:
        return ""
    at = clock(step["until"])
    return f" until {at}" if step["action"] == "wait" else f", from {at}"


def clock(time: str | None) -> str:
    """A time as people read it: to the second, UTC said once."""
    return "-" if time is None else f"{time[:19].replace('T', ' ')} UTC"
