"""The command `record` as people type it."""

from __future__ import annotations

from typing import Annotated

import typer

from reconciler.model import Container, ContainerKind, Kind

from ..graph.recordable import What
from .words import account_id


def record(
    what: Annotated[What, typer.Argument(help="What to have the API reply with.")],
    *,
    account: Annotated[
        str, typer.Option(metavar="A", callback=account_id, help="The ad account to ask.")
    ],
    kind: Annotated[Kind, typer.Option(help="Of what is listed or read.")] = Kind.AD,
    container: Annotated[
        str | None,
        typer.Option(metavar="KIND:ID", help="List its children, not the account's: adset:2001."),
    ] = None,
    node: Annotated[
        str | None, typer.Option(metavar="ID", help="The entity to read, for `node`.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=5000, help="Rows of a listing.")] = 25,
) -> int:
    """Print one real reply as JSON, for a report: without secrets, and every name and id replaced.

    Makes nothing: `refused` asks for the validation of a campaign that cannot exist.
    """
    from . import record_command

    if (what is What.NODE) != (node is not None):
        raise typer.BadParameter("`record node` and --node ID go together")
    if node is not None and not (node.isascii() and node.isdigit()):
        raise typer.BadParameter("--node takes the digits of an id")
    return record_command.record(
        what=what,
        account_id=account,
        kind=kind,
        container=_container(container),
        node_id=node,
        limit=limit,
    )


def _container(text: str | None) -> Container | None:
    if text is None:
        return None
    kind, _, found = text.partition(":")
    if kind not in ("campaign", "adset") or not (found.isascii() and found.isdigit()):
        raise typer.BadParameter("write campaign:ID or adset:ID")
    return Container(kind=ContainerKind(kind), id=found)
