"""What a person may decide about an item that is held, the likeliest first.

One order for whoever is told: the commands of `explain`, the requests of the evidence, and the
command and the request of `next`. Two of them that differ would advise opposite decisions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from reconciler.model import Document, Item, ItemState, Reason
from reconciler.resolve_decision import Choice
from reconciler.resolve_none import is_refused_on
from reconciler.typed_command import typed_command

_R = Reason


@dataclass(frozen=True, slots=True)
class Offer:
    """A decision that may be made, as options to type and as a body to send.

    What is written in capitals is a person's to fill in.
    """

    options: str
    body: Mapping[str, Any]


def _offer(options: str, choice: Choice, **more: Any) -> Offer:
    return Offer(f"{options} --reason TEXT", {"decision": choice.value, "reason": "TEXT", **more})


_ID: Final = "EXTERNAL_ID"
ADOPT: Final = _offer("--adopt EXTERNAL_ID", Choice.ADOPT, external_id=_ID)
ALSO: Final = _offer("--adopt EXTERNAL_ID --also ID", Choice.ADOPT, external_id=_ID, also=["ID"])
OVERRIDE: Final = _offer(
    "--adopt EXTERNAL_ID --override", Choice.ADOPT, external_id=_ID, override=True
)
NONE: Final = _offer("--none", Choice.NONE)
HOLD: Final = _offer("--hold", Choice.HOLD)

# What may be decided where the reason stands. Without a listing there is nothing but to hold.
_CHOICES: Final[Mapping[Reason, tuple[Offer, ...]]] = {
    _R.AMBIGUOUS: (ADOPT, ALSO),
    _R.TWINS: (ADOPT, NONE),
    _R.CONTESTED: (ADOPT, NONE),
    _R.UNPROVEN_ROW: (OVERRIDE, NONE),
    _R.MARK_LOST: (ADOPT,),
    _R.ECHO_UNPROVEN: (NONE, ADOPT),
    _R.OVER_CAP: (ADOPT,),
    _R.PROVENANCE: (ADOPT, NONE),
    _R.POLICY: (ADOPT, NONE),
}


def offers(item: Item, reason: Reason | None, *, may_be_none: bool = True) -> tuple[Offer, ...]:
    """What a person may decide about it, the likeliest first; empty where it is not held.

    `reason` is that of its latest verdict, None where there is none. `may_be_none` is what its
    evidence says of that, where it was read.
    """
    if item.state is not ItemState.HELD:
        return ()
    held_for = standing(item, reason)
    given = choices(held_for) if held_for else ()
    return (*(one for one in given if may_be_none or one is not NONE), HOLD)


def may_be_none(document: Document, item: Item, evidence: Mapping[str, Any]) -> bool:
    """Whether `none` is not refused on the evidence of its latest verdict already.

    What was bound since is no candidate any more; nor is what it gave up to another document.
    """
    bound = {one.intent.external_id for one in document.items if one.intent}
    if item.intent and item.intent.reason is _R.CONTESTED and evidence.get("verdict") == "found":
        bound.add(evidence.get("candidate_id"))
    return not is_refused_on(evidence, bound - {None})  # type: ignore[arg-type]


def choices(reason: Reason) -> tuple[Offer, ...]:
    """What settles an item held for this; empty where it must be looked at before."""
    return _CHOICES.get(reason, ())


def standing(item: Item, judged: Reason | None) -> Reason | None:
    """What it is held for: a later import may have changed what the look said."""
    return (item.intent.reason if item.intent else None) or judged


def typed(offer: Offer, document: Document, item: Item) -> str:
    """As a command."""
    return typed_command("resolve", document.id, item.key, options=offer.options)
