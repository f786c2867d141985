"""What came of a file of decisions, for people: counts first, then each line that was not done."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from .output import visible

LINES_SHOWN_MAX: Final = 200
"""For a person; --json has all of them."""


def decisions_picture(shape: Mapping[str, Any]) -> RenderableType:
    """Nothing to tell of what was done: `show` and the journal have it."""
    counted = [f"{count:,} {result}" for result, count in shape["counts"].items()]
    untold = [line for line in shape["lines"] if line["message"]]
    shown: list[RenderableType] = [
        Padding(Text(_line(line)), (0, 0, 0, 2)) for line in untold[:LINES_SHOWN_MAX]
    ]
    if more := len(untold) - len(shown):
        shown.append(Text(f"  and {more:,} more, see --json", "dim"))
    return Group(Text("   ".join(counted) or "the file holds no decision", "bold"), *shown)


def _line(line: Mapping[str, Any]) -> str:
    where = " ".join(filter(None, (line["document_id"], line["item"])))
    return f"line {line['line']}  {visible(where)}  {line['result']}: {visible(line['message'])}"
