"""`import` and `batch` as people type them: arguments, options and their words; nothing else."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from reconciler.imported_times import moment_of
from reconciler.model import Origin

from .words import AsJson, account_id, account_ids

batch = typer.Typer(
    name="batch", help="Many documents at once.", no_args_is_help=True, rich_markup_mode=None
)


class Form(StrEnum):
    """How lines are written."""

    JSONL = "jsonl"
    CSV = "csv"


def _moment(value: str) -> datetime:
    moment = moment_of(value)
    if moment is None:
        raise typer.BadParameter("write a time with its zone, such as 2026-03-10T12:00:00Z")
    return moment


AsForm = Annotated[Form | None, typer.Option("--format", help="By the file's ending, else jsonl.")]


def import_documents(
    *,
    worker_gone_before: Annotated[
        datetime,
        typer.Option(
            metavar="TIME",
            parser=_moment,
            help="No worker of a document last seen before it lives; with its zone.",
        ),
    ],
    file: Annotated[
        str | None, typer.Argument(metavar="FILE|-", help="JSON lines or CSV, or - for stdin.")
    ] = None,
    database: Annotated[
        bool, typer.Option("--database", help="Read RECONCILER_LEGACY_QUERY instead of a file.")
    ] = False,
    complete_for: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ACCOUNT",
            callback=account_ids,
            help="No finished document of it is missing in what is imported; may be repeated.",
        ),
    ] = None,
    form: AsForm = None,
    preview: Annotated[
        bool, typer.Option("--preview", help="Show the first documents as understood, and stop.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Take documents from elsewhere over, finished ones too. Creates nothing."""
    from . import import_commands as doing
    from .session import carry_out

    if (file is None) is not database:
        raise typer.BadParameter("name a file, or - for stdin, or give --database")
    asked = doing.Asked(
        file=file,
        form=form.value if form else None,
        gone_before=worker_gone_before,
        complete=frozenset(complete_for or ()),
    )
    return carry_out(doing.preview(asked) if preview else doing.take_over(asked), as_json=as_json)


@batch.command()
def export(
    form: AsForm = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Instead of stdout.")
    ] = None,
    account: Annotated[
        str | None, typer.Option(metavar="A", callback=account_id, help="Only this account.")
    ] = None,
    origin: Annotated[Origin | None, typer.Option(help="Only documents of this origin.")] = None,
    as_json: AsJson = False,
) -> int:
    """Hand external ids and attributes back, a line for each item."""
    from . import export_command as doing
    from .session import carry_out

    if as_json and output is None:
        raise typer.BadParameter("--json tells what was written to a file: give -o FILE")
    by_ending = "csv" if output is not None and output.suffix.lower() == ".csv" else "jsonl"
    work = doing.export(form.value if form else by_ending, output, account=account, origin=origin)
    return carry_out(work, as_json=as_json)
