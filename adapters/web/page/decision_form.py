"""What a person put into the form of a decision: read into a `Decision`, and written back.

The form names ids in its fields' names and values, so it says what was chosen however it was sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from reconciler.model import Document, Origin
from reconciler.resolve_decision import Choice, Decision

from ...bootstrap import REDACTION
from ...shapes.advice import makes_more
from ..refusals import Refused

CHOICE: Final = "choice"
ADOPT_PREFIX: Final = "adopt:"
OTHER: Final = "other"
OTHER_ID: Final = "other_id"
ALSO_PREFIX: Final = "also:"
OVERRIDE: Final = "override"
REASON: Final = "reason"
EVIDENCE: Final = "evidence"

STEP: Final = "step"
RECORD: Final = "record"


def decision_of(form: Mapping[str, str], item: str, *, by: str) -> Decision:
    """Raises `Refused` where nothing was chosen. Everything else is for the product to refuse: what
    contradicts the choice is no slip that may be passed over."""
    choice, external_id = _chosen(form)
    also = (name.removeprefix(ALSO_PREFIX) for name in form if name.startswith(ALSO_PREFIX))
    return Decision(
        item=item,
        choice=choice,
        reason=REDACTION(" ".join(form.get(REASON, "").split())),
        by=by,
        external_id=external_id,
        also=tuple(sorted(also)),
        override=OVERRIDE in form,
        evidence_hash=form.get(EVIDENCE) or None,
    )


def written_back(decision: Decision) -> dict[str, str]:
    """The fields that say the same, to be sent once more."""
    chosen = decision.choice.value
    if decision.external_id is not None:
        chosen = f"{ADOPT_PREFIX}{decision.external_id}"
    return {
        CHOICE: chosen,
        REASON: decision.reason,
        EVIDENCE: decision.evidence_hash or "",
        **{f"{ALSO_PREFIX}{one}": "1" for one in decision.also},
        **({OVERRIDE: "1"} if decision.override else {}),
    }


def in_words(decision: Decision, document: Document) -> str:
    """What is decided about an item of the document, in a sentence."""
    match decision.choice:
        case Choice.ADOPT:
            also = f"; {', '.join(decision.also)} is ours too, and known" if decision.also else ""
            over = "; what disproves it is overruled" if decision.override else ""
            return f"{decision.item} is {decision.external_id}{also}{over}"
        case Choice.NONE:
            return f"no row is {decision.item}: {_what_none_means(document)}"
        case Choice.HOLD:
            return f"{decision.item} stays held: nothing is claimed and nothing is made"


def _what_none_means(document: Document) -> str:
    if makes_more(document):
        return "it may be made once more, by the next publish"
    if document.origin is Origin.IMPORTED:
        return "it is recorded as never made, and nothing is made of it from here"
    return "it is recorded as not made, and nothing more is made: a cancel is on record"


def _chosen(form: Mapping[str, str]) -> tuple[Choice, str | None]:
    said = form.get(CHOICE, "")
    if said == OTHER:
        return Choice.ADOPT, form.get(OTHER_ID, "").strip() or None
    if said.startswith(ADOPT_PREFIX):
        return Choice.ADOPT, said.removeprefix(ADOPT_PREFIX)
    if said in (Choice.NONE, Choice.HOLD):
        return Choice(said), None
    raise Refused(
        "invalid_request",
        "nothing was chosen",
        next_step="go back and choose one of the rows, none of them, or hold",
    )
