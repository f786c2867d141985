"""The literal command to type for a next action."""

from __future__ import annotations

import shlex

from reconciler.model import Document, DocumentState, Next, NextAction


def next_command(document: Document, step: Next) -> str | None:
    """What a person types now; None where nothing is left to do.

    `wait` shows: reading is safe at any time, and looks as soon as looking is due. `rotate_token`
    checks the token, for a secret is never typed on a command line. To decide about a held document
    its evidence is needed; about a surplus the list of what is too many, which `show` prints.
    """
    match step.action:
        case NextAction.NONE:
            return None
        case NextAction.PUBLISH:
            return f"reconciler publish {document.id}"
        case NextAction.WAIT:
            return f"reconciler show {document.id}"
        case NextAction.RECOVER | NextAction.RAISE_LIMIT:
            return f"reconciler recover {document.id}"
        case NextAction.DECIDE:
            is_held = document.state is DocumentState.HELD
            return f"reconciler {'explain' if is_held else 'show'} {document.id}"
        case NextAction.ROTATE_TOKEN:
            return "reconciler doctor"
        case NextAction.FIX_INPUT:
            return f"reconciler submit PLAN.json --key {shlex.quote(document.key)}"
