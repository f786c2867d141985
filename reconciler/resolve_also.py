"""What a person names beside the row that is adopted, as ours too and known: what of it may be.

What a look reported of the document may always be. Anything else is judged like a row of the
item's own container, the only one that is listed for the decision: what lies elsewhere cannot be
shown to be ours by it, however often it is said.

Pure: frozen values in, an error out.
"""

from __future__ import annotations

from .copying import replace
from .errors import DecisionRefused
from .funnel import Weighed
from .model import Document
from .resolve_decision import Choice, Decision
from .typed_command import typed_command


def not_yet_reported(document: Document, decision: Decision) -> list[str]:
    """What was reported as surplus is known to be ours; anything else is judged like a row."""
    reported = {extra.external_id for extra in document.surplus}
    return [one for one in decision.also if one not in reported]


def refused_beside(
    weighed: Weighed, decision: Decision, external_id: str, why: str
) -> DecisionRefused:
    """That this one may not be recorded, `why` as the sieves say; the rest may be said without."""
    document = weighed.scene.document
    container, kind = weighed.funnels[decision.item].claimant.place
    if external_id in weighed.places.get((container, kind), {}):
        return DecisionRefused(
            f"{why}: it cannot be recorded beside {decision.external_id} (also)",
            next_step=f"leave it out: {_without(document, decision, external_id)}",
        )
    return DecisionRefused(
        f"{external_id} cannot be recorded beside {decision.external_id} (also): it is not in "
        f"{container.kind} {container.id}, where {decision.item} was sent, and that alone is "
        "listed for this decision",
        next_step=f"leave it out: {_without(document, decision, external_id)}, then "
        f"{typed_command('show', document.id, options='--refresh')}: what bears our mark in "
        "another container of this document is reported there, and can be recorded then; what is "
        "not reported there is not this document's, and is kept or deleted in Ads Manager",
    )


def refused_beside_bound(document: Document, decision: Decision, missing: str) -> DecisionRefused:
    """That these may not be recorded beside what is bound already: no look reported them."""
    return DecisionRefused(
        f"{missing} is no surplus that was reported of this document: only what a look at the "
        "containers that it sent to showed beyond it, with our mark, can be recorded (also)",
        next_step=f"{typed_command('show', document.id, options='--refresh')} looks at them once "
        "more; what it does not report lies in another container or bears no mark of this "
        "document: leave it out, it is kept or deleted in Ads Manager",
    )


def _without(document: Document, decision: Decision, external_id: str) -> str:
    assert decision.choice is Choice.ADOPT, "only an adoption names anything beside it"
    left = replace(decision, also=tuple(one for one in decision.also if one != external_id))
    options = [
        f"--adopt {left.external_id}",
        *(f"--also {one}" for one in left.also),
        *(["--override"] if left.override else []),
        "--reason TEXT",
    ]
    return typed_command("resolve", document.id, left.item, options=" ".join(options))
