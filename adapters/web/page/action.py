"""The one primary button of a document: its next action, and what pressing it will do.

`next` of the shape decides; here it gets an address, the scopes that may press it, and words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from reconciler.model import DocumentState, ItemState, NextAction, Origin, Reason
from reconciler.typed_command import typed_command

from ...shapes import about_surplus
from ..access import Principal, Scope
from ..raw_path import part
from ..surplus_beside import beside_bound

Shape = Mapping[str, Any]

PUBLISHERS: Final = frozenset({Scope.PUBLISH})
DECIDERS: Final = frozenset({Scope.RESOLVE})
RECOVERERS: Final = PUBLISHERS | DECIDERS
"""Looking because a person asks moves what is held: whoever publishes or decides may."""


AT_REST: Final = frozenset({DocumentState.PUBLISHED, DocumentState.CANCELLED})
"""Nobody looks at these again, but for a look that is owed."""

OVER_ELSEWHERE: Final = frozenset({DocumentState.PARTLY_PUBLISHED, DocumentState.FAILED})
"""Nor at these, where they were imported: nothing of them is made from here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """`method` is `post` for a change, `get` for a page. `scopes`: one of them is needed; none:
    whoever reads may. `command` means the same, for a terminal."""

    label: str
    does: str
    method: str
    href: str
    scopes: frozenset[Scope] = frozenset()
    command: str | None = None

    def may_be_pressed_by(self, principal: Principal) -> bool:
        """Whether one of the scopes is theirs."""
        return not self.scopes or any(map(principal.may, self.scopes))

    @property
    def needs(self) -> str:
        """The scopes in words."""
        return " or ".join(sorted(self.scopes))


def place_of_document(document_id: str) -> str:
    """Its page."""
    return f"/documents/{part(document_id)}"


def place_of_decision(document_id: str, key: str) -> str:
    """Where a person decides about an item."""
    return f"{place_of_document(document_id)}/items/{part(key)}/decision"


def primary_of(state: Shape) -> Action | None:
    """Of `document-state/1`. None where nothing is left to do."""
    here, command = place_of_document(state["document_id"]), state["next"]["command"]
    match NextAction(state["next"]["action"]):
        case NextAction.NONE:
            return None
        case NextAction.WAIT:
            reads = typed_command("show", state["document_id"])
            before = "" if command == reads else f"Nothing changes here before {command}. "
            return _read_again(here, "Read it again", reads, before)
        case NextAction.PUBLISH:
            return Action(
                label="Publish",
                does=_what_publish_does(state),
                method="post",
                href=f"{here}/publish",
                scopes=PUBLISHERS,
                command=command,
            )
        case NextAction.RECOVER | NextAction.RAISE_LIMIT:
            return recover_of(state["document_id"], "Look now")
        case NextAction.DECIDE:
            return _decide(state)
        case NextAction.ROTATE_TOKEN:
            return _read_again(
                here,
                "The token was renewed: read it again",
                typed_command("show", state["document_id"]),
                before=f"{command} checks the token. ",
            )
        case NextAction.FIX_INPUT:
            return Action(
                label="See what was refused",
                does="Shows what the API said to each item; nothing is sent by this. Mend the "
                f"plan, then {command} hands in its next revision.",
                method="get",
                href=f"{here}#items",
                command=typed_command("show", state["document_id"]),
            )


def recover_of(document_id: str, label: str) -> Action:
    """Look because a person asks, also at what is held."""
    return Action(
        label=label,
        does="Takes over if its worker is gone, lists the containers, and records what that "
        "proves. Creates nothing.",
        method="post",
        href=f"{place_of_document(document_id)}/recover",
        scopes=RECOVERERS,
        command=typed_command("recover", document_id),
    )


def refresh_of(document_id: str) -> Action:
    """Ask what became of what is recorded; it spends calls of the account, so not by reading."""
    return Action(
        label="List what is recorded",
        does="Lists where its entities stand, and tells what was renamed, changed or deleted "
        "outside since. Moves no state, creates nothing.",
        method="post",
        href=f"{place_of_document(document_id)}/refresh",
        scopes=RECOVERERS,
        command=typed_command("show", document_id, options="--refresh"),
    )


def others_of(state: Shape) -> list[Action]:
    """What may be pressed beside the primary button: each where there is something to look at."""
    ended = AT_REST | (OVER_ELSEWHERE if state["origin"] == Origin.IMPORTED else frozenset())
    rests = state["state"] in ended and not state["unsettled"] and state["due_at"] is None
    look = [] if rests else [recover_of(state["document_id"], "Look now")]
    is_recorded = any(item["state"] == ItemState.CONFIRMED for item in state["items"])
    return look + ([refresh_of(state["document_id"])] if is_recorded else [])


def _read_again(here: str, label: str, command: str | None, before: str = "") -> Action:
    return Action(
        label=label,
        does=f"{before}Reads the document; where a look is due, the look is made. Creates nothing.",
        method="get",
        href=here,
        command=command,
    )


def _what_publish_does(state: Shape) -> str:
    made = sum(item["state"] == ItemState.CONFIRMED for item in state["items"])
    missing = len(state["items"]) - made
    there = f" {made:,} were made already and are left alone." if made else ""
    return (
        f"Queues it: whatever of the {missing:,} missing items may be sent is created once, by a "
        f"worker, or by this service where none was seen lately.{there} What went unanswered is "
        "looked up before anything is sent again."
    )


def _decide(state: Shape) -> Action:
    """About the first item that is held; one that no look settled is looked at first."""
    document_id = state["document_id"]
    held = [item for item in state["items"] if item["state"] == ItemState.HELD]
    if any(_is_unseen(item) for item in held):
        return recover_of(document_id, "Look again first")
    if any(item["reason"] == Reason.POLICY for item in held):
        return recover_of(document_id, "Look again, once the finished ones are imported")
    if not held:
        return _about_surplus(state)
    return Action(
        label=f"Decide about {held[0]['key']}",
        does="Opens the candidates side by side. Nothing changes before you have seen which rows "
        "would, and confirmed it.",
        method="get",
        href=place_of_decision(document_id, held[0]["key"]),
        command=state["next"]["command"],
    )


def _about_surplus(state: Shape) -> Action:
    document_id, beside = state["document_id"], beside_bound(state)
    if not beside:
        return Action(
            label="See the surplus",
            does=f"Shows what was reported. {about_surplus(state)}",
            method="get",
            href=f"{place_of_document(document_id)}#surplus",
            command=state["next"]["command"],
        )
    return Action(
        label=f"Decide about the surplus of {beside[0].key}",
        does=f"Shows what was reported beside its own entity. {about_surplus(state)} Nothing "
        "changes before you have confirmed it.",
        method="get",
        href=place_of_decision(document_id, beside[0].key),
        command=beside[0].command(document_id),
    )


def _is_unseen(item: Shape) -> bool:
    """Without a listing there is nothing to decide on."""
    reason = Reason(item["reason"]) if item["reason"] else None
    return reason is not None and (reason.is_passing or reason is Reason.POISON)
