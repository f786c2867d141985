"""The evidence in the terminal: what was concluded of each item, on which listing, by which stages.

Then what is left, why that was concluded, what people decided about it, and what to do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from reconciler.model import ItemState

from .funnel_groups import BLOCKS_SHOWN_MAX, blocks_of, is_told_by_one_example
from .funnel_prose import prose
from .funnel_stages import hatched, stages_picture, survivors_picture
from .next_picture import clock, next_picture
from .output import visible

Shape = Mapping[str, Any]

KEYS_SHOWN_MAX: Final = 12
"""Of the items that share a block; --json has each by itself."""


def funnel_picture(shape: Shape) -> RenderableType:
    """Every judged item, then what was never judged, then the next action."""
    parts: list[RenderableType] = [
        Text.assemble(("document  ", "dim"), (shape["document_id"], "bold"), f"  {shape['state']}")
    ]
    blocks = blocks_of(shape["items"])
    for alike in blocks[:BLOCKS_SHOWN_MAX]:
        parts += ["", *_block(alike)]
    if hidden := sum(len(alike) for alike in blocks[BLOCKS_SHOWN_MAX:]):
        parts += ["", Text(f"and {_counted(hidden, 'item')} more: --item KEY, or --json", "dim")]
    if rest := _not_judged(shape["not_judged"]):
        parts += ["", *(Text(line, "dim") for line in rest)]
    return Group(*parts, "", next_picture(shape["next"]))


def _block(alike: Sequence[Shape]) -> Iterator[RenderableType]:
    first, listing = alike[0], alike[0]["listing"]
    yield _head(alike)
    yield from _verdict(alike)
    if is_told_by_one_example(alike):
        yield Text(f"  what follows is told of {first['item']}; of another: --item KEY", "dim")
    if listing is None:
        yield Text("  a call was answered with this id: no listing was needed")
    elif listing["complete"]:
        yield from _complete(first, listing)
        if first["verdict"] != "found":
            yield from survivors_picture(first)
        yield from stages_picture(first, _rows(first))
        if len(alike) > 1 and any(stage["examples"] for stage in first["stages"]):
            yield Text(f"  the values compared are those of {first['item']}", "dim")
    else:
        yield from _incomplete(listing)
        yield from hatched(first)
    yield prose(alike)


def _head(alike: Sequence[Shape]) -> RenderableType:
    keys = ", ".join(item["item"] for item in alike[:KEYS_SHOWN_MAX])
    more = f" and {len(alike) - KEYS_SHOWN_MAX:,} more" if len(alike) > KEYS_SHOWN_MAX else ""
    name = visible(alike[0]["name"])
    return Text.assemble((keys, "bold"), f"{more}  {alike[0]['kind']}  {name}{_others(alike)}")


def _others(alike: Sequence[Shape]) -> str:
    return f" and {_counted(len(alike) - 1, 'other')}" if len(alike) > 1 else ""


def _verdict(alike: Sequence[Shape]) -> Iterator[RenderableType]:
    item = alike[0]
    symbol, words, style = _in_words(item)
    yield Text(f"{symbol} {words}{_others(alike) if item['verdict'] == 'found' else ''}", style)
    told = f"judged {clock(item['judged_at'])}   evidence {item['evidence_id']}"
    yield Padding(Text(f"{told}{_others(alike)}", "dim"), (0, 0, 0, 2))


def _in_words(item: Shape) -> tuple[str, str, str]:
    match item["verdict"]:
        case "found" if item.get("since"):
            found = f"FOUND {item['external_id']} by {item.get('grade')}"
            return "?", f"{found}, GIVEN UP SINCE: a person must decide", "bold yellow"
        case "found":
            return "~", f"FOUND {item['external_id']} by {item.get('grade')}", "bold green"
        case "absent" if item["proven_absent"]:
            return "+", "ABSENT: proven not made", "bold cyan"
        case "absent":
            return "+", "ABSENT: nothing listed fits", "bold cyan"
        case _ if item["state"] == "held":
            return "?", f"INCONCLUSIVE {item['reason']}: a person must decide", "bold yellow"
        case _:
            return ".", f"INCONCLUSIVE {item['reason']}", "bold magenta"


def _rows(item: Shape) -> int:
    """The walks of one place list the same rows, so the larger one counts and not their sum."""
    return int(_larger(item)["rows"])


def _larger(item: Shape) -> Shape:
    walks: Sequence[Shape] = item["walks"]
    return max(walks, key=lambda walk: int(walk["rows"])) if walks else item["listing"]


def _complete(item: Shape, listing: Shape) -> Iterator[RenderableType]:
    told = f"{_walks(item)}{_extent(_larger(item))}"
    yield Text.assemble(("  listing COMPLETE", "bold"), f'   {told}, ended by an absent "next"')
    difference = listing["clock_difference"]
    measured = "not measured" if difference is None else f"{difference:+.1f} s"
    yield Text(f"  {_times(listing)}   clock {measured}", "dim")


def _walks(item: Shape) -> str:
    sizes = [walk["rows"] for walk in item["walks"]]
    if len(sizes) < 2:
        return f"1 walk{_narrowed(item['walks'])}, "
    return f"{'each' if len(set(sizes)) == 1 else 'the larger'} of {len(sizes)} walks: "


def _narrowed(walks: Sequence[Shape]) -> str:
    is_narrowed = any(walk.get("statuses") == "our_label" for walk in walks)
    return " of what bears our label" if is_narrowed else ""


def _extent(walked: Shape) -> str:
    pages, rows = walked["pages"], walked["rows"]
    return f"{_counted(pages, 'page')}, {_counted(rows, 'row')}"


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


def _times(listing: Shape) -> str:
    return f"{clock(listing['started_at'])[:-4]} to {clock(listing['ended_at'])[11:]}"


def _incomplete(listing: Shape) -> Iterator[RenderableType]:
    """Where it stopped and why, as far as the evidence tells."""
    reason = listing["reason"] or "no walk"
    yield Text.assemble(("  listing INCOMPLETE", "bold red"), f"   {reason}: no verdict")
    where = f"stopped after {_extent(listing)}" if listing.get("pages") else "no page was read"
    if listing.get("started_at") and listing.get("ended_at"):
        where += f"   {_times(listing)}"
    yield Text(f"  {where}", "dim")
    if listing.get("detail"):
        yield Padding(Text(visible(listing["detail"])), (0, 0, 0, 2))


def _not_judged(items: list[Shape]) -> list[str]:
    """A healthy item was never looked up: there is nothing to explain. Of one that is open a look
    may have begun, and died."""
    is_open = {ItemState.PENDING, ItemState.HELD}
    told = {
        "never looked up": [item for item in items if item["state"] not in is_open],
        "no look came to its end": [item for item in items if item["state"] in is_open],
    }
    return [f"{what}: {_how_many(alike)}" for what, alike in told.items() if alike]


def _how_many(items: list[Shape]) -> str:
    counts = Counter(
        f"{item['state']} by {item['found_by']}" if item["found_by"] else item["state"]
        for item in items
    )
    return ", ".join(f"{count:,} {words}" for words, count in counts.items())
