"""The command `duplicates` and its picture: what is not known first, then what is too many."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.text import Text

from ..bootstrap import Reconciler
from ..shapes import duplicates_report
from .exit_codes import after_duplicates
from .next_picture import clock
from .output import say, visible
from .running import Stop
from .session import Told, Work

Shape = Mapping[str, Any]

GROUPS_SHOWN_MAX: Final = 100
ROWS_SHOWN_MAX: Final = 10
"""Of one group; --json has all of them."""

KEEPING_SHOWN_MAX: Final = 10

SAY_EVERY: Final = 50
"""Containers between two lines of progress."""


def duplicates(account_id: str | None) -> Work:
    """Walk what must be walked, and tell. Changes nothing, here or outside."""

    async def work(product: Reconciler, _: Stop) -> Told:
        found = await product.duplicates(account_id=account_id, step=_progress)
        shape = duplicates_report(found)
        return Told(
            shape=shape,
            picture=lambda: duplicates_picture(shape),
            code=after_duplicates(found),
        )

    return work


def _progress(done: int, of: int) -> None:
    if done % SAY_EVERY == 0 and logging.getLogger().isEnabledFor(logging.WARNING):
        say(f"{done:,} of {of:,} containers listed")


def duplicates_picture(shape: Shape) -> RenderableType:
    """What was listed, what could not be, then the groups."""
    parts: list[RenderableType] = [_head(shape), Text(SEES, "dim"), *_incomplete(shape)]
    for group in shape["groups"][:GROUPS_SHOWN_MAX]:
        parts += ["", _title(group), *_rows(group)]
    if (hidden := len(shape["groups"]) - GROUPS_SHOWN_MAX) > 0:
        parts += ["", Text(f"and {hidden:,} more groups, see --json", "dim")]
    if any(group["ours"] for group in shape["groups"]):
        parts += ["", Text(WHAT_TO_DO), *_keeping(shape)]
    return Group(*parts)


SEES: Final = (
    "listed are the containers that documents sent something to; "
    "what was moved to any other is not seen"
)

NOTHING: Final = "nothing beyond what is wanted"

WHAT_TO_DO: Final = "What is too many is yours to delete in Ads Manager: nothing here deletes."


def _keeping(shape: Shape) -> Iterator[Text]:
    """Only what will be accepted; each command in one piece, to be copied."""
    shown = shape["groups"][:GROUPS_SHOWN_MAX]
    commands = [one["keep"] for group in shown for one in group["entities"] if one["keep"]]
    if commands:
        yield Text("What is to stay is recorded as known:")
    for command in commands[:KEEPING_SHOWN_MAX]:
        yield Text(f"$ {visible(command)}", "bold", no_wrap=True, overflow="ignore")
    if (hidden := len(commands) - KEEPING_SHOWN_MAX) > 0:
        yield Text(f"and {hidden:,} more, see --json", "dim")


def _head(shape: Shape) -> Text:
    found = len(shape["groups"])
    told = f"{_counted(found, 'group')} beyond what is wanted" if found else NOTHING
    scope = f"in {_counted(shape['walked'], 'listing')} that came to an end"
    return Text.assemble((told, "bold"), f", {scope}")


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


def _incomplete(shape: Shape) -> Iterator[RenderableType]:
    """Never as zero: of these nothing is known."""
    for one in shape["incomplete"]:
        where = f"{one['container']['kind']} {one['container']['id']}, its {one['kind']}s"
        line = Text.assemble(("NOT KNOWN  ", "bold red"), f"{where}: {one['reason']}")
        yield line.append(f", {visible(one['detail'])}" if one["detail"] else "")


def _title(group: Shape) -> Text:
    parent = group["container"]
    counts = f"{len(group['ours'])} ours, {len(group['look_alikes'])} look-alikes"
    return Text.assemble(
        (visible(group["name"]), "bold"),
        f"  {group['kind']} in {parent['kind']} {parent['id']}: ",
        f"wanted {group['wanted']}, {counts}",
    )


def _rows(group: Shape) -> Iterator[RenderableType]:
    """A line for each, whose it is below where there is something to say; an id is never cut."""
    ours, shown = set(group["ours"]), group["entities"][:ROWS_SHOWN_MAX]
    width = max(len(entity["external_id"]) for entity in shown)
    for entity in shown:
        is_ours = entity["external_id"] in ours
        line = Text.assemble(
            (f"  {'ours' if is_ours else 'look-alike':<12}", "bold" if is_ours else "dim"),
            f"{entity['external_id']:<{width}}  {visible(entity['effective_status'] or '-'):<8}",
            f"  {clock(entity['created_time'])}",
        )
        yield line
        if said := _bound(entity, is_ours):
            yield Text(f"{'':14}{said}", "dim")
    if (hidden := len(group["entities"]) - ROWS_SHOWN_MAX) > 0:
        yield Text(f"{'':14}and {hidden:,} more", "dim")


def _bound(entity: Shape, is_ours: bool) -> str:
    if entity["item"]:
        return f"item {entity['item']} of {entity['document_id']}"
    if entity["is_copy"]:
        return "a copy"
    return "bears our mark, bound to nothing" if is_ours else ""
