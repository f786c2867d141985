"""A plan and a report in the terminal: counts, why the rest is not known, and what to type next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from reconciler.typed_command import typed_command

from .batch_listed import listed_in_words
from .next_picture import clock
from .output import visible

Shape = Mapping[str, Any]

ACCOUNTS_SHOWN_MAX: Final = 20


def plan_picture(shape: Shape, too_bold: Sequence[str] = ()) -> RenderableType:
    """What would change. `too_bold`: accounts for whose share `batch apply` refuses the plan."""
    counts, listed = shape["counts"], shape["listed"]
    documents = sum(account["planned"] for account in shape["accounts"].values())
    parts: list[RenderableType] = [
        Text.assemble(
            (f"{documents:,} documents judged", "bold"),
            f", {shape['changes']:,} would change, {counts['nothing']:,} would not",
        ),
        Text(
            f"items: {counts['found']:,} found, {counts['absent']:,} absent, "
            f"{counts['inconclusive']:,} not known"
        ),
        Text(
            "listed in "
            + listed_in_words(listed["walks"], listed["pages"], listed["walked_twice"]),
            "dim",
        ),
        *_log(shape["log"]),
        *_untold(shape["log_rows"]),
        *_reasons(shape),
        *_accounts(shape),
    ]
    if shape["moved"]:
        parts.append(Text(f"{shape['moved']:,} moved while they were judged: plan again for these"))
    for example in shape["examples"]["documents"]:
        parts += ["", *_example(example)]
    if shape["examples"]["documents"]:
        chosen = len(shape["examples"]["documents"])
        of, seed = shape["examples"]["of"], shape["examples"]["seed"]
        parts += ["", Text(f"{chosen} of {of:,} recoveries, chosen with --seed {seed}", "dim")]
    return Group(*parts, "", _next(shape, too_bold))


def _next(shape: Shape, too_bold: Sequence[str]) -> Text:
    if not shape["changes"]:
        return Text("nothing to apply")
    if shape["plan"] is None:
        return Text("nothing is written yet; keep it with reconciler batch plan -o PLAN")
    if not too_bold:
        return Text(f"next: {typed_command('batch apply', shape['plan'])}")
    apply = typed_command("batch apply", shape["plan"], options="--max-share 1")
    return Text(
        f"apply refuses it, for too much of {', '.join(map(visible, too_bold))} would be claimed\n"
        "next: see examples with reconciler batch plan --examples 20; if they are right, " + apply
    )


def _log(log: Shape) -> Iterator[RenderableType]:
    """What was asked where a name would decide, and what a person has to know of the answers."""
    if asked := log["told"] + log["unread"] + log["beyond"]:
        yield Text(
            f"activity log: {log['pages']:,} pages asked for, about {asked:,} documents", "dim"
        )
    if log["unread"]:
        yield Text(
            f"the API did not show the log for {log['unread']:,} documents: judged without it; "
            "plan again once it does",
            "yellow",
        )
    if log["beyond"]:
        yield Text(
            f"the log is too long for {log['beyond']:,} documents: nothing is claimed for them by "
            "name; reconciler recover asks for one alone",
            "yellow",
        )


def _untold(rows: Shape) -> Iterator[RenderableType]:
    """A log that was read looks healthy, whatever it leaves out."""
    if not rows["untold"]:
        return
    yield Text(
        f"the log was read and told nothing of {rows['untold']:,} of the {rows['asked']:,} rows it "
        f"was asked about, in {rows['documents']:,} documents: judged as if no log were set, "
        f"{rows['claimed']:,} would be claimed by name and time",
        "yellow",
    )
    yield Text(
        "  it lags and forgets: plan again later; --json names the rows; with "
        "RECONCILER_LEGACY_EVIDENCE=provenance imported documents that need them are held",
        "dim",
    )


def _reasons(shape: Shape) -> Iterator[RenderableType]:
    if shape["reasons"]:
        yield _table(sorted(shape["reasons"].items(), key=lambda one: -one[1]))


def _accounts(shape: Shape) -> Iterator[RenderableType]:
    accounts = sorted(shape["accounts"].items(), key=lambda one: -one[1]["claims"])
    for name, one in accounts[:ACCOUNTS_SHOWN_MAX]:
        yield Text(
            f"{name}: {one['claims']:,} of its {one['documents']:,} documents would claim "
            f"something, {one['share']:.0%}"
        )
    if (hidden := len(accounts) - ACCOUNTS_SHOWN_MAX) > 0:
        yield Text(f"and {hidden:,} more accounts, see --json", "dim")


def _example(example: Shape) -> Iterator[RenderableType]:
    yield Text(f"document {visible(example['document_id'])}", "bold")
    for item in example["items"]:
        evidence = item["evidence"]
        window = " and ".join(
            f"{clock(start)} to {clock(end)}" for start, end in evidence["window"]
        )
        created = clock(item["created_at"]) if item["created_at"] else "-"
        listing = evidence["listing"]
        yield Text(f"  item {item['item']} “{visible(item['name'])}” is {item['external_id']}")
        yield Text(f"    known by {item['grade']}; created {created}, sent {window}")
        yield Text(f"    listed to the end: {listing['pages']} pages, {listing['rows']:,} rows")
        yield Text(f"    removed: {_removed(evidence['stages'])}", "dim")


def _removed(stages: list[Shape]) -> str:
    told = [
        f"{stage['stage']} {stage['not_ours']} not ours"
        + (f", {stage['doubt']} doubtful" if stage["doubt"] else "")
        for stage in stages
        if stage["not_ours"] or stage["doubt"]
    ]
    return "; ".join(told) or "nothing: no other row came near"


def report_picture(shape: Shape) -> RenderableType:
    """What was done, and what was not."""
    counts, results = shape["counts"], shape["results"]
    parts: list[RenderableType] = [
        Text.assemble(("run ", "dim"), (shape["run"], "bold")),
        Text(
            f"{results.get('changed', 0):,} documents changed, "
            f"{results.get('nothing', 0):,} had nothing to change, "
            f"{results.get('before', 0):,} were done before, "
            f"{counts['stale']:,} stale, {counts['error']:,} errors"
        ),
    ]
    if shape["states"]:
        parts.append(_table(shape["states"].items()))
    parts += _reasons(shape)
    for trouble in shape["troubles"]:
        named = ", ".join(map(visible, trouble["examples"]))
        rest = ", …" if trouble["count"] > len(trouble["examples"]) else ""
        head = (f"{trouble['result']}  ", "bold red" if trouble["result"] == "error" else "yellow")
        parts += [
            "",
            Text.assemble(head, f"{trouble['count']:,}: {visible(trouble['why'])}"),
            Text(f"  {named}{rest}", "dim"),
        ]
    return Group(*parts, *_after(shape))


def _after(shape: Shape) -> Iterator[RenderableType]:
    if shape["counts"]["stale"]:
        yield Text("what is stale was left as it is: reconciler batch plan judges it anew")
    if shape.get("note"):
        yield Text(f"{shape['note']}.")
        yield Text("what is held waits for a person: reconciler list --state held")
        return
    if any(trouble["result"] == "before" for trouble in shape["troubles"]):
        yield Text(f"what was taken back waits for a person: {_JUDGE_HELD}")
    if shape["states"].get("held"):
        yield Text(
            f"what is held waits for a person: reconciler list --state held, or {_JUDGE_HELD}"
        )


_JUDGE_HELD: Final = "reconciler batch plan --held judges it anew"


def _table(rows: Any) -> RenderableType:
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right")
    table.add_column()
    for name, count in rows:
        table.add_row(f"{count:,}", name)
    return Padding(table, (0, 0, 0, 2))
