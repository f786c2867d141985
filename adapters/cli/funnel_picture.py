"""The funnel in the terminal: what was listed, what each stage left and removed, and why.

A doubt is told apart from a disproof. An incomplete listing shows its stages hatched and without
numbers: what was not judged must not read as zero.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.text import Text

from .document_picture import clock, next_picture
from .output import visible

Shape = Mapping[str, Any]

BAR_WIDTH: Final = 22
EXAMPLES_SHOWN_MAX: Final = 5
"""For a person; --json has up to twenty of each stage."""

VALUE_LENGTH_MAX: Final = 60


def funnel_picture(shape: Shape) -> RenderableType:
    """Every judged item, then what was never judged, then the next action."""
    parts: list[RenderableType] = [
        Text.assemble(("document  ", "dim"), (shape["document_id"], "bold"), f"  {shape['state']}")
    ]
    for item in shape["items"]:
        parts += ["", *_item(item)]
    if rest := _not_judged(shape["not_judged"]):
        parts += ["", Text(rest, "dim")]
    return Group(*parts, "", next_picture(shape["next"]))


def _item(item: Shape) -> Iterator[Text]:
    yield Text.assemble((item["item"], "bold"), f"  {item['kind']}  {visible(item['name'])}")
    yield _verdict(item)
    listing = item["listing"]
    if listing is None:
        yield Text("  a call was answered with this id: no listing was needed")
        return
    yield _listing(item, listing)
    yield from _stages(item, listing) if listing["complete"] else _hatched(item)


def _verdict(item: Shape) -> Text:
    symbol, words, style = _in_words(item)
    line = Text.assemble((f"{symbol} {words}", style))
    told = f"\n  judged {clock(item['judged_at'])}   evidence {item['evidence_id']}"
    return line.append(told, "dim")


def _in_words(item: Shape) -> tuple[str, str, str]:
    match item["verdict"]:
        case "found":
            return "~", f"FOUND {item['external_id']} by {item.get('grade')}", "bold green"
        case "absent":
            return "+", "ABSENT: proven not made", "bold cyan"
        case _ if item["state"] == "held":
            return "?", f"INCONCLUSIVE {item['reason']}: a person must decide", "bold yellow"
        case _:
            return ".", f"INCONCLUSIVE {item['reason']}", "bold magenta"


def _listing(item: Shape, listing: Shape) -> Text:
    if not listing["complete"]:
        return Text.assemble(
            ("  listing INCOMPLETE", "bold red"), f"   {listing['reason'] or 'no walk'}: no verdict"
        )
    walks = len(item["walks"])
    told = [
        f"{walks} walks" if walks > 1 else "1 walk",
        f"{listing['pages']:,} pages" if listing["pages"] != 1 else "1 page",
        f"{listing['rows']:,} rows",
        'ended by an absent "next"',
    ]
    difference = listing["clock_difference"]
    measured = "not measured" if difference is None else f"{difference:+.1f} s"
    times = f"{clock(listing['started_at'])[:-4]} to {clock(listing['ended_at'])[11:]}"
    line = Text.assemble(("  listing COMPLETE", "bold"), f"   {', '.join(told)}")
    return line.append(f"\n  {times}   clock {measured}", "dim")


def _stages(item: Shape, listing: Shape) -> Iterator[Text]:
    """Counts after each stage. The walks may have listed a row twice: the larger walk counts."""
    listed = max((walk["rows"] for walk in item["walks"]), default=listing["rows"])
    stages = item["stages"]
    narrowed = stages[0]["in"] if stages else 0
    yield _bar("listed", listed, listed, 0, "")
    yield _bar(
        "narrowed",
        narrowed,
        listed,
        listed - narrowed,
        "neither a name nor a mark of this document",
    )
    for stage in stages:
        removed = stage["not_ours"] + stage["doubt"]
        yield _bar(stage["stage"], stage["in"] - removed, listed, removed, _split(stage))
        yield from _examples(stage)


def _bar(name: str, left: int, of: int, removed: int, why: str) -> Text:
    length = 0 if not left else max(1, round(BAR_WIDTH * left / max(of, 1)))
    told = f"{-removed:>9,}" if removed else f"{0:>9}"
    line = Text.assemble(
        f"  {name:<14}{left:>9,}  ",
        ("#" * length, "cyan"),
        " " * (BAR_WIDTH - length),
        (told, "" if removed else "dim"),
    )
    return line.append(f"   {why}") if removed and why else line


def _split(stage: Shape) -> str:
    told = []
    if stage["not_ours"]:
        told.append(f"not ours {stage['not_ours']:,}")
    if stage["doubt"]:
        told.append(f"DOUBT {stage['doubt']:,}")
    return ", ".join(told)


def _examples(stage: Shape) -> Iterator[Text]:
    for example in stage["examples"][:EXAMPLES_SHOWN_MAX]:
        doubts = example.get("says", "doubt") == "doubt"
        symbol, style = ("?", "yellow") if doubts else ("x", "dim")
        yield Text(f"      {symbol} {example['id']}  {visible(example.get('why', ''))}", style)
        for compared in example.get("compared", ()):
            yield Text(f"          {_compared(compared)}", "dim")
    if (hidden := stage["not_ours"] + stage["doubt"] - len(stage["examples"])) > 0:
        yield Text(f"        and {hidden:,} more", "dim")


def _compared(values: Shape) -> str:
    return "   ".join(f"{name} {_value(value)}" for name, value in values.items())


def _value(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    cut = text if len(text) <= VALUE_LENGTH_MAX else text[:VALUE_LENGTH_MAX] + "…"
    return visible(cut)


def _hatched(item: Shape) -> Iterator[Text]:
    for stage in item["stages"]:
        yield Text(f"  {stage['stage']:<14}{'?':>9}  {'/' * BAR_WIDTH}   not judged", "dim")


def _not_judged(items: list[Shape]) -> str:
    """A healthy item was never looked up: there is nothing to explain."""
    if not items:
        return ""
    counts = Counter(
        f"{item['state']} by {item['found_by']}" if item["found_by"] else item["state"]
        for item in items
    )
    told = ", ".join(f"{count:,} {words}" for words, count in counts.items())
    return f"never looked up: {told}"
