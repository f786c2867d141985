"""What came of a file of decisions, for people: counts first, then each line that was not done."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from .output import visible


def decisions_picture(shape: Mapping[str, Any]) -> RenderableType:
    """Nothing to tell of what was done as it was asked: `show` and the journal have it.

    The rest is told whole: what a recorded line warned of is not said a second time.
    """
    counted = [f"{count:,} {result}" for result, count in shape["counts"].items()]
    shown = [Padding(Text(_line(line)), (0, 0, 0, 2)) for line in shape["lines"] if line["message"]]
    return Group(Text("   ".join(counted) or "the file holds no decision", "bold"), *shown)


def _line(line: Mapping[str, Any]) -> str:
    where = " ".join(filter(None, (line["document_id"], line["item"])))
    return f"line {line['line']}  {visible(where)}  {line['result']}: {visible(line['message'])}"
