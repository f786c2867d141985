"""The commands that work without naming a document: `worker` and `sweep`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from ..bootstrap import Reconciler
from ..engine.choosing import engine_of
from ..engine.names import EngineName
from ..settings import load_settings
from ..shapes import sweep_report, worker_report
from .exit_codes import ExitCode, after_sweep
from .output import visible
from .running import Stop
from .session import Told, Work
from .worker_lines import WorkerLines


def worker(*, engine: EngineName | None, as_json: bool) -> Work:
    """Work until a signal; ending on one in order is this command's success.

    `engine` None: what the database carries.
    """

    async def work(product: Reconciler, _: Stop) -> Told:
        driven_by = engine_of(load_settings(), engine)
        lines, limits = WorkerLines(as_json=as_json), product.outside.limits
        interval = limits.sweep_interval.total_seconds()
        lines.begin(product.outside.owner, limits.concurrency, interval, driven_by.name)
        shape = worker_report(await driven_by.work(product.outside, lines))
        return Told(shape=shape, picture=lambda: _worker_picture(shape), code=ExitCode.DONE)

    return work


def sweep() -> Work:
    """One pass, and what it did."""

    async def work(product: Reconciler, _: Stop) -> Told:
        swept = await product.sweep()
        shape = sweep_report(swept)
        notes = ("another sweep is under way: it does the same",) if swept.held_by_another else ()
        return Told(
            shape=shape,
            picture=lambda: sweep_picture(shape),
            code=after_sweep(swept),
            notes=notes,
        )

    return work


def sweep_picture(shape: Mapping[str, Any]) -> RenderableType:
    """Counts first, then a line for each document at which something happened."""
    counted = [f"{count:,} {name}" for name, count in shape["counts"].items() if count]
    nothing = "nothing was done here" if shape["held_by_another"] else "nothing was due"
    parts = [Text("   ".join(counted) or nothing, "bold")]
    parts += [Text(_line(document)) for document in shape["documents"]]
    if shape["error"]:
        parts.append(Text(f"broken off: {visible(shape['error'])}", "bold red"))
    return Group(*parts)


def _line(document: Mapping[str, Any]) -> str:
    before, after = (document[name] or "?" for name in ("before", "after"))
    moved = before if before == after else f"{before} -> {after}"
    surplus = f"  ! {document['surplus']} surplus" if document["surplus"] else ""
    reason = f"  {document['reason']}" if document["reason"] else ""
    return visible(f"{document['document_id']}  {moved.replace('_', ' ')}{reason}{surplus}")


def _worker_picture(shape: Mapping[str, Any]) -> RenderableType:
    attempts = ", ".join(f"{n:,} {name.replace('_', ' ')}" for name, n in shape["attempts"].items())
    errors = f"{shape['errors']:,} errors"
    return Text(f"attempts: {attempts or 'none'}; {shape['sweeps']:,} sweeps; {errors}")
