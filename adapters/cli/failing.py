"""An error in three lines: what happened, why it is safe or not, what to type next."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final

from reconciler.errors import CommitUnknown, InvalidPlan, ReconcilerError

from .output import OutputLost, print_json, say, visible

SAFE: Final = {
    "usage": "Nothing was read or sent.",
    "invalid_settings": "Nothing was read or sent.",
    "invalid_plan": "Nothing was stored or sent.",
    "invalid_import": "Nothing was sent; what was imported before stays, and again goes on.",
    "unknown_document": "Nothing was changed.",
    "unknown_item": "Nothing was changed.",
    "wrong_state": "Nothing was changed.",
    "decision_refused": "Nothing was changed.",
    "stale_evidence": "Nothing was changed: what was decided on is not what stands any more.",
    "plan_refused": "Nothing was changed.",
    "unknown_run": "Nothing was changed.",
    "unknown_key": "Nothing was changed.",
    "wrong_schema": "Nothing was read or sent.",
    "foreign_ledger": "Refused on purpose: a copied ledger would make everything a second time.",
    "ledger_unavailable": "What was refused changed nothing; what was sent before is on record.",
    "binding_taken": "The change was rolled back; no entity stands for two items.",
    "commit_unknown": "The change may or may not be durable: what is on record decides.",
    "interrupted": "What was sent is on record; running again makes nothing twice.",
}
"""By the error's code: what did and did not happen."""

OTHERWISE: Final = "A create is on record before it is sent, so running again makes nothing twice."


def tell(code: str, message: str, next_step: str, *, as_json: bool, **more: Any) -> None:
    """JSON on stdout where it was asked for and can be written, else three lines on stderr.

    Where a message has several lines, each of them is an error by itself.
    """
    if as_json:
        error = {"code": code, "message": message, "next": next_step or None, **more}
        with suppress(OutputLost):
            print_json({"error": error})
            return
    for line in message.splitlines():
        say(f"error: {visible(line)}")
    say(f"       {SAFE.get(code, OTHERWISE)}")
    if next_step:
        say(f"next:  {visible(next_step)}")


def tell_error(error: ReconcilerError, *, as_json: bool, again: str = "") -> None:
    """An error of ours. A plan's carries each fault by itself for programs.

    `again` is what to type where nobody knows whether the change is durable.
    """
    next_step = error.next_step or NEXT.get(error.code, "")
    if isinstance(error, CommitUnknown):  # its own words are for programs that call the ledger
        next_step = again
    if isinstance(error, InvalidPlan):  # shows no value of a secret's field, but names the field
        faults = _faults(error)
        tell(error.code, error.message, next_step, as_json=as_json, errors=faults)
        return
    # A person may have pasted a token where an id belongs, or a whole file.
    tell(error.code, _cut(_redacted(error.message)), next_step, as_json=as_json)


NEXT: Final = {
    "unknown_document": "reconciler list",
    "wrong_schema": "reconciler migrate",
    "ledger_unavailable": "reconciler doctor",
}
"""What to type where the error itself does not say."""


MESSAGE_LENGTH_MAX: Final = 2_000


def _cut(message: str) -> str:
    return message if len(message) <= MESSAGE_LENGTH_MAX else message[:MESSAGE_LENGTH_MAX] + "…"


def _faults(error: InvalidPlan) -> list[dict[str, Any]]:
    return [
        {
            "file": error.source,
            "item": fault.item,
            "field": fault.field,
            "problem": fault.problem,
            "instead": fault.instead,
        }
        for fault in error.errors
    ]


def _redacted(text: str) -> str:
    from ..bootstrap import REDACTION

    return REDACTION(text)
