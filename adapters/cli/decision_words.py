"""`resolve` and `duplicates` as people type them: arguments, options and their words."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from reconciler.resolve_decision import Choice
from reconciler.said_why import why_unsaid

from .words import AsJson, account_id


def resolve(
    *,
    document_id: Annotated[
        str | None, typer.Argument(metavar="ID", help="The document's id.")
    ] = None,
    item: Annotated[str | None, typer.Argument(metavar="ITEM", help="The item's key.")] = None,
    adopt: Annotated[
        str | None, typer.Option(metavar="EXTERNAL_ID", help="This row is it: bind it.")
    ] = None,
    also: Annotated[
        list[str] | None,
        typer.Option(metavar="EXTERNAL_ID", help="Ours too, and known of; may be repeated."),
    ] = None,
    override: Annotated[
        bool, typer.Option("--override", help="Adopt it although its name or time disproves it.")
    ] = False,
    none: Annotated[
        bool,
        typer.Option(
            "--none", help="No row is it: another create is allowed; imported, it was never made."
        ),
    ] = False,
    hold: Annotated[bool, typer.Option("--hold", help="Not now: it stays, or becomes, held.")] = (
        False
    ),
    reason: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Why, in your words; kept in the journal.")
    ] = None,
    evidence: Annotated[
        str | None,
        typer.Option(metavar="HASH", help="The evidence you looked at: refused if it moved."),
    ] = None,
    file: Annotated[
        str | None,
        typer.Option(metavar="FILE|-", help="Many decisions, JSON lines or CSV, or - for stdin."),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """A person decides about an item: --adopt EXTERNAL_ID, --none or --hold, with --reason."""
    from . import decision_commands as doing
    from .session import carry_out

    chosen = {Choice.ADOPT: adopt is not None, Choice.NONE: none, Choice.HOLD: hold}
    if file is not None:
        _refuse_beside_a_file(document_id, item, reason, evidence, also, override, *chosen.values())
        return carry_out(doing.resolve_file(file), as_json=as_json)
    if document_id is None or item is None:
        raise typer.BadParameter("name the document and the item, or give --file")
    if sum(chosen.values()) != 1:
        raise typer.BadParameter("give one of --adopt EXTERNAL_ID, --none and --hold")
    if unsaid := why_unsaid(reason or "", of="a decision"):
        raise typer.BadParameter(f"{unsaid}, with --reason")
    said = doing.decision(
        item,
        next(choice for choice, given in chosen.items() if given),
        reason or "",
        external_id=adopt,
        also=tuple(also or ()),
        override=override,
        evidence_hash=evidence,
    )
    return carry_out(doing.resolve(document_id, said), as_json=as_json)


def _refuse_beside_a_file(*given: Any) -> None:
    if any(given):
        raise typer.BadParameter("--file names documents, items and decisions itself")


def duplicates(
    account: Annotated[
        str | None, typer.Option(metavar="A", callback=account_id, help="Only this account.")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """What exists beyond what any document wants, in the containers they sent to. Changes nothing.

    Ours apart from look-alikes. What was moved to a container that no document sent to is not seen.
    """
    from . import duplicates_command as doing
    from .session import carry_out

    return carry_out(doing.duplicates(account), as_json=as_json)
