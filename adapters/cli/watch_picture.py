"""What `watch` shows: the list in place on a terminal, elsewhere a line for each change."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from rich.console import Group, RenderableType
from rich.live import Live
from rich.text import Text

from ..shapes import shown_time
from .list_picture import list_line
from .output import console_for, write_data

Shape = dict[str, Any]
Show = Callable[[datetime, Shape], None]


@contextmanager
def shown(
    draw: Callable[[Shape], RenderableType], every: float, *, as_json: bool
) -> Iterator[Show]:
    """Where `list/1` is shown each time it was read. A screen of its own is left as it was."""
    if as_json or not sys.stdout.isatty():
        yield _Changes(as_json=as_json)
        return
    console = console_for(sys.stdout)
    with Live(console=console, screen=True, auto_refresh=False) as live:

        def show(now: datetime, shape: Shape) -> None:
            head = Text(f"{now:%H:%M:%S} UTC, read every {every:g} s; Ctrl-C ends", "dim")
            live.update(Group(head, "", draw(shape)), refresh=True)

        yield show


class _Changes:
    """A line for each document that is new, or is not what it was when last read."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self._told: dict[str, Shape] = {}

    def __call__(self, now: datetime, shape: Shape) -> None:
        """The oldest first, so that what is newest ends the output."""
        for document in reversed(shape["documents"]):
            if self._told.get(document["document_id"]) == document:
                continue
            self._told[document["document_id"]] = document
            if self._as_json:
                write_data(json.dumps({"at": shown_time(now), **document}) + "\n")
            else:
                write_data(f"{now:%H:%M:%S}  {list_line(document)}\n")
