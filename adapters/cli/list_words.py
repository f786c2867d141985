"""The options by which `list` and `watch` are narrowed."""

from __future__ import annotations

from typing import Annotated

import typer

from reconciler.model import Kind

from ..store.judged import Judged
from ..store.listed_state import ListedState
from .words import account_id

OnlyState = Annotated[
    ListedState | None,
    typer.Option("--state", help="Only this state; crashed ones are publishing ones too."),
]
OnlyAccount = Annotated[
    str | None,
    typer.Option(
        "--account",
        metavar="A",
        callback=account_id,
        help="Only this account, with or without act_.",
    ),
]
OnlyKind = Annotated[
    Kind | None, typer.Option("--kind", help="Only documents with an item of this kind.")
]
OnlyVerdict = Annotated[
    Judged | None,
    typer.Option(
        "--verdict",
        help="Only those with an item, of the kind, judged so by its latest look.",
    ),
]
