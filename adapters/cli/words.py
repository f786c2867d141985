"""Options that several commands share, and how their values are read."""

from __future__ import annotations

from typing import Annotated

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def account_id(value: str | None) -> str | None:
    """An ad account's id with its `act_`. Raises `typer.BadParameter`."""
    if value is None:
        return None
    digits = value.removeprefix("act_")
    if not (digits.isascii() and digits.isdigit()):
        raise typer.BadParameter("write an ad account's digits, with or without act_")
    return f"act_{digits}"


def account_ids(values: list[str] | None) -> list[str]:
    """The same of each; none of None."""
    return [found for found in map(account_id, values or ()) if found is not None]
