"""`batch plan`, `apply` and `revert` as people type them: arguments, options and their words."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reconciler.said_why import why_unsaid

from .elsewhere_words import batch
from .words import AsJson, account_id

__all__ = ["batch"]


@batch.command()
def plan(
    *,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="PLAN", help="Where the plan goes; else only told."),
    ] = None,
    account: Annotated[
        str | None, typer.Option(metavar="A", callback=account_id, help="Only this account.")
    ] = None,
    held: Annotated[
        bool, typer.Option("--held", help="Judge again what waits for a person, too.")
    ] = False,
    examples: Annotated[
        int, typer.Option(min=0, max=1000, help="Show so many random recoveries with evidence.")
    ] = 0,
    seed: Annotated[
        int | None, typer.Option(help="Of the random examples; else a new one, printed.")
    ] = None,
    detailed_exitcode: Annotated[
        bool, typer.Option("--detailed-exitcode", help="Exit 2 where something would change.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Judge every broken document, each container listed once. Changes nothing."""
    from . import batch_commands as doing
    from .session import carry_out

    asked = doing.PlanAsked(
        output=output,
        account_id=account,
        held=held,
        examples=examples,
        seed=seed,
        detailed=detailed_exitcode,
        every_document=as_json,
    )
    return carry_out(doing.plan(asked), as_json=as_json)


@batch.command()
def apply(
    *,
    plan_file: Annotated[Path, typer.Argument(metavar="PLAN", help="What `batch plan -o` wrote.")],
    max_share: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=1.0,
            help="Refuse where more than this part of an account's documents would claim something."
            " [default: 0.5, more than 20 documents]",
            show_default=False,
        ),
    ] = None,
    csv: Annotated[
        Path | None, typer.Option("--csv", metavar="FILE", help="A line for each document.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="The report as one page.")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Carry out exactly what was planned; what moved since is left alone. Creates nothing."""
    from . import batch_commands as doing
    from .session import carry_out

    asked = doing.ApplyAsked(
        plan=plan_file, share_max=max_share, csv=csv, html=html, every_document=as_json
    )
    return carry_out(doing.apply(asked), as_json=as_json)


@batch.command()
def revert(
    run: Annotated[str, typer.Argument(metavar="RUN", help="As the report named it.")],
    reason: Annotated[
        str, typer.Option(metavar="TEXT", help="Why; the journal of each document keeps it.")
    ],
    as_json: AsJson = False,
) -> int:
    """Take back what a run bound to imported documents; they wait for a person then."""
    from . import batch_commands as doing
    from .session import carry_out

    if unsaid := why_unsaid(reason, of="taking a batch back"):
        raise typer.BadParameter(unsaid)
    return carry_out(doing.revert(run, reason, every_document=as_json), as_json=as_json)
