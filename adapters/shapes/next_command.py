"""The literal command to type for a next action."""

from __future__ import annotations

import shlex
from collections.abc import Collection
from typing import Final

from reconciler.model import (
    Document,
    DocumentState,
    Item,
    ItemState,
    Next,
    NextAction,
    Reason,
)
from reconciler.signature import may_live_elsewhere
from reconciler.typed_command import typed_command

from .offers import offers, typed

IMPORT: Final = "reconciler import FILE --worker-gone-before TIME"
"""Of a document that may still run elsewhere, once its worker is known to be gone. In the evidence
also of the finished documents of an account, for want of which nothing of it is claimed."""


def next_command(document: Document, step: Next, *, never_none: Collection[str] = ()) -> str | None:
    """What a person types now; None where nothing is left to do.

    `wait` shows: reading is safe at any time, and looks as soon as looking is due; what may still
    run elsewhere waits for an import. `rotate_token` checks the token, for a secret is never typed
    on a command line. What is written in capitals is a person's to fill in, after `explain` or, for
    a surplus, `show`. `never_none` are items of which the evidence, where it was read, refuses that
    no row is it.
    """
    match step.action:
        case NextAction.NONE:
            return None
        case NextAction.PUBLISH:
            return typed_command("publish", document.id)
        case NextAction.WAIT if may_live_elsewhere(document):
            return IMPORT
        case NextAction.WAIT:
            return typed_command("show", document.id)
        case NextAction.RECOVER | NextAction.RAISE_LIMIT:
            return typed_command("recover", document.id)
        case NextAction.DECIDE:
            return _to_decide(document, never_none)
        case NextAction.ROTATE_TOKEN:
            return "reconciler doctor"
        case NextAction.FIX_INPUT:
            return f"reconciler submit PLAN.json --key {shlex.quote(document.key)}"


def _to_decide(document: Document, never_none: Collection[str]) -> str:
    """The likeliest decision about the first item that is held, as the evidence offers it.

    What is too many is looked at before anything is said of it, for it may spend.

    Where no look came to an end there is no listing to decide on: it is looked at first. So it is
    where the finished documents of its account were not known: once they are, a look may settle it
    without a person. Whether they are by now a document does not tell; `why` says to import them.
    A document of a list comes without its items: there the evidence is the way.
    """
    held = [item for item in document.items if item.state is ItemState.HELD]
    reasons = {judged.item: judged.reason for judged in document.verdicts}
    if is_looked_at_first(document):
        return typed_command("recover", document.id)
    if held:
        first = held[0]
        sayable = first.key not in never_none
        likeliest = offers(first, reasons.get(first.key), may_be_none=sayable)[0]
        return typed(likeliest, document, first)
    if document.state is DocumentState.HELD:
        return typed_command("explain", document.id)
    return typed_command("show", document.id)


def is_looked_at_first(document: Document) -> bool:
    """Whether looking again comes before any decision; False of one that comes without its items.

    Only who runs the service can: no read looks at what is held.
    """
    return any(_looked_at_first(i) for i in document.items if i.state is ItemState.HELD)


def _looked_at_first(item: Item) -> bool:
    reason = item.intent.reason if item.intent else None
    return reason is not None and (reason.is_passing or reason in (Reason.POISON, Reason.POLICY))
