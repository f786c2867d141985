"""The stages of one funnel: what each left and removed, whom, and by which values.

A doubt is told apart from a disproof. Stages that removed nothing share a line. An incomplete
listing shows its stages hatched and without numbers: what was not judged must not read as zero.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any, Final

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from .output import visible

Shape = Mapping[str, Any]

BAR_WIDTH: Final = 22
EXAMPLES_SHOWN_MAX: Final = 5
"""For a person; --json has up to twenty of each stage."""

VALUE_LENGTH_MAX: Final = 60

UNASKED: Final = frozenset({"provenance"})
"""Stages that judge only where a policy asked for a log; silent where they removed nothing."""


def stages_picture(item: Shape, listed: int) -> Iterator[RenderableType]:
    """Counts after each stage, from all that was listed down to what is left."""
    stages = [stage for stage in item["stages"] if _removed(stage) or stage["stage"] not in UNASKED]
    narrowed = stages[0]["in"] if stages else 0
    why = "not this document's"  # neither its name nor its mark; short, for 80 columns
    yield _bar("listed", listed, listed, 0, "")
    yield _bar("narrowed", narrowed, listed, listed - narrowed, why)
    for removes, run in groupby(stages, key=lambda stage: _removed(stage) > 0):
        if removes:
            for stage in run:
                yield from _stage(stage, listed)
        else:
            yield from _idle(list(run))


def survivors_picture(item: Shape) -> Iterator[RenderableType]:
    """The rows that no sieve speaks against, each with what speaks for it."""
    rows = item.get("survivor_rows", ())
    for row in rows[:EXAMPLES_SHOWN_MAX]:
        yield _indented(f"= {row['id']}  left: {', '.join(row['speaks_for'])}", 2, "green")
        for compared in row["compared"]:
            yield _indented(_compared(compared), 6, "dim")
    if (hidden := len(rows) - EXAMPLES_SHOWN_MAX) > 0:
        yield Text(f"    and {hidden:,} more, see --json", "dim")


def hatched(item: Shape) -> Iterator[RenderableType]:
    """The stages that did not judge."""
    for stage in item["stages"]:
        if stage["stage"] not in UNASKED:
            yield Text(f"  {stage['stage']:<14}{'?':>9}  {'/' * BAR_WIDTH}   not judged", "dim")


def _removed(stage: Shape) -> int:
    return int(stage["not_ours"] + stage["doubt"])


def _stage(stage: Shape, listed: int) -> Iterator[RenderableType]:
    left = stage["in"] - _removed(stage)
    yield _bar(stage["stage"], left, listed, _removed(stage), _split(stage))
    yield from _examples(stage)


def _idle(run: list[Shape]) -> Iterator[RenderableType]:
    """One line for stages that had nothing to remove, and for those that nothing came to."""
    reached = [stage["stage"] for stage in run if stage["in"]]
    unreached = [stage["stage"] for stage in run if not stage["in"]]
    if reached:
        yield _indented(f"{', '.join(reached)}: nothing removed", 2, "dim")
    if unreached:
        yield _indented(f"{', '.join(unreached)}: nothing left to judge", 2, "dim")


def _bar(name: str, left: int, of: int, removed: int, why: str) -> Text:
    length = 0 if not left else max(1, round(BAR_WIDTH * left / max(of, 1)))
    line = Text.assemble(f"  {name:<14}{left:>9,}  ", ("#" * length, "cyan"))
    if not removed:
        return line
    line.append(f"{' ' * (BAR_WIDTH - length)}{-removed:>9,}")
    return line.append(f"   {why}") if why else line


def _split(stage: Shape) -> str:
    told = []
    if stage["not_ours"]:
        told.append(f"not ours {stage['not_ours']:,}")
    if stage["doubt"]:
        told.append(f"DOUBT {stage['doubt']:,}")
    return ", ".join(told)


def _examples(stage: Shape) -> Iterator[RenderableType]:
    shown = stage["examples"][:EXAMPLES_SHOWN_MAX]
    for example in shown:
        doubts = example.get("says", "doubt") == "doubt"
        symbol, style = ("?", "yellow") if doubts else ("x", "dim")
        yield _indented(f"{symbol} {example['id']}  {visible(example.get('why', ''))}", 6, style)
        for compared in example.get("compared", ()):
            yield _indented(_compared(compared), 10, "dim")
    if (hidden := _removed(stage) - len(shown)) > 0:
        yield Text(f"        and {hidden:,} more", "dim")


def _indented(text: str, by: int, style: str) -> Padding:
    """Continuation lines stand under the first one."""
    return Padding(Text(text, style), (0, 0, 0, by))


def _compared(values: Shape) -> str:
    return "   ".join(f"{name} {_value(value)}" for name, value in values.items())


def _value(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    cut = text if len(text) <= VALUE_LENGTH_MAX else text[:VALUE_LENGTH_MAX] + "…"
    return visible(cut)
