"""What a person decides about one item: a closed choice, in their own words, on what they saw."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from . import events
from .errors import DecisionRefused, StaleEvidence, UnknownItem
from .model import Document, Item, ItemState
from .names import storable
from .ports import Recorded
from .said_why import why_unsaid
from .signature import is_over_elsewhere
from .typed_command import typed_command

EVIDENCE_AGE_MAX: Final = timedelta(hours=1)
"""Older evidence is refused: people outside may have renamed or deleted what it shows."""

REASON_LENGTH_MAX: Final = 2_000
"""Characters of the reason a person gives; it stays in the journal for ever."""

OPEN: Final = frozenset({ItemState.PENDING, ItemState.HELD})
"""Items of which something is not known: the only ones a person may decide about."""


class Choice(StrEnum):
    """What may be decided. *Closed.*"""

    ADOPT = "adopt"  # this row is it
    NONE = "none"  # no row is it: another create is allowed
    HOLD = "hold"  # not now: it stays, or becomes, held


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A person's decision about one item.

    `external_id` is the row to adopt; `also` are ids recorded as known surplus. `override` allows
    what disproves a row, where a person may (`resolve_adopt`). `by` names the person as far as the
    caller knows. `evidence_hash` is that of what they looked at, None where they did not say.
    """

    item: str
    choice: Choice
    reason: str
    by: str
    external_id: str | None = None
    also: tuple[str, ...] = ()
    override: bool = False
    evidence_hash: str | None = None

    @property
    def ids(self) -> frozenset[str]:
        """Every external id it names."""
        return frozenset({*self.also, self.external_id} - {None, ""})  # type: ignore[arg-type]

    def told(self) -> dict[str, Any]:
        """What the journal keeps of it, as plain JSON."""
        return {
            "choice": self.choice.value,
            "external_id": self.external_id,
            "also": list(self.also),
            "override": self.override,
            "reason": storable(self.reason.strip()),
            "by": storable(self.by),
        }


def refuse_malformed(decision: Decision) -> None:
    """Raise `DecisionRefused` where it contradicts itself or gives no reason."""
    if problem := _problem(decision):
        raise DecisionRefused(problem, next_step="reconciler resolve --help")


def _problem(decision: Decision) -> str | None:
    reason = decision.reason.strip()
    adopts = decision.choice is Choice.ADOPT
    if unsaid := why_unsaid(reason, of="a decision"):
        return unsaid
    if len(reason) > REASON_LENGTH_MAX:
        return f"the reason is longer than {REASON_LENGTH_MAX:,} characters"
    if adopts is not bool(decision.external_id) or (decision.also and not adopts):
        return "only an adoption names external ids, and it names one to adopt"
    if decision.override and not adopts:
        return "only an adoption can override what speaks against it"
    if not all(one.isascii() and one.isdigit() for one in decision.ids):
        return "an external id is a string of digits"
    if decision.external_id in decision.also:
        return (
            f"{decision.external_id} cannot be adopted and be beside what is adopted (also): name "
            "there what else is ours, or nothing"
        )
    if twice := sorted({one for one in decision.also if decision.also.count(one) > 1}):
        return f"{', '.join(twice)} is named twice in also"
    return None


def open_item(document: Document, decision: Decision) -> Item:
    """The item to decide about. Raises `DecisionRefused` where nothing is open about it, and
    `UnknownItem`."""
    item = known_item(document, decision)
    if _is_over(document, item):
        raise DecisionRefused(
            f"the document finished elsewhere without an id for {item.key}: nobody looks for it, "
            "so nothing is open here and nothing is to be decided",
            next_step="see in Ads Manager whether it exists; only if it does not, submit it as a "
            "new document: reconciler submit PLAN.json",
        )
    if item.intent is None:
        problem = f"{item.key} was never sent: there is nothing to decide"
    elif item.state is ItemState.CONFIRMED:
        problem = f"{item.key} is bound to {item.intent.external_id} already"
    elif item.state not in OPEN:
        problem = f"{item.key} is {item.state}: nothing is open about it"
    else:
        return item
    raise DecisionRefused(problem, next_step=typed_command("show", document.id))


def is_open(document: Document, item: Item) -> bool:
    """Whether something is not known about it that a person may decide."""
    return item.state in OPEN and not _is_over(document, item)


def _is_over(document: Document, item: Item) -> bool:
    """Nothing looks for it, so nothing is ever there to decide on."""
    return item.state is ItemState.PENDING and is_over_elsewhere(document)


def known_item(document: Document, decision: Decision) -> Item:
    """The item of this key. Raises `UnknownItem`, naming those there are."""
    try:
        return document.item(decision.item)
    except KeyError:
        keys = ", ".join(item.key for item in document.items[:10])
        more = ", …" if len(document.items) > 10 else ""
        raise UnknownItem(
            f"the document has no item {decision.item}; it has {keys}{more}",
            next_step=typed_command("show", document.id),
        ) from None


def refuse_old_evidence(document: Document, decision: Decision, now: datetime) -> None:
    """What was decided on must have been looked up lately, and be what the person looked at.

    Holding claims nothing and needs no evidence. Raises `DecisionRefused`, `StaleEvidence`.
    """
    judged = next((v for v in document.verdicts if v.item == decision.item), None)
    look = f"{typed_command('recover', document.id)}, then {typed_command('explain', document.id)}"
    if decision.evidence_hash is not None and (
        judged is None or judged.evidence_hash != decision.evidence_hash
    ):
        raise StaleEvidence(f"the evidence of {decision.item} has moved since", next_step=look)
    if decision.choice is Choice.HOLD:
        return
    if judged is None:
        raise DecisionRefused(
            f"no look for {decision.item} came to its end yet: there is no listing to decide on",
            next_step=look,
        )
    if now - judged.judged_at > EVIDENCE_AGE_MAX:
        minutes = int((now - judged.judged_at).total_seconds() // 60)
        raise DecisionRefused(
            f"the evidence of {decision.item} is {minutes:,} minutes old, which is too old to "
            "decide on",
            next_step=look,
        )


def is_done(document: Document, decision: Decision, journal: tuple[Recorded, ...]) -> bool:
    """Whether the document is as this decision wants it: then saying it again changes nothing."""
    item = known_item(document, decision)
    if decision.choice is Choice.ADOPT and item.intent is not None:
        known = {extra.external_id for extra in document.surplus if extra.known}
        bound = item.state is ItemState.CONFIRMED and item.intent.external_id
        if bound == decision.external_id:
            return known.issuperset(decision.also)
    if decision.choice is Choice.NONE and item.state is ItemState.ABSENT:
        return True
    if item.state is ItemState.PENDING or (
        item.state is ItemState.HELD and decision.choice is not Choice.HOLD
    ):
        return False
    return _last_said(item, journal) == decision.told()


def _last_said(item: Item, journal: tuple[Recorded, ...]) -> dict[str, Any] | None:
    """The latest decision about an item as it was told, without what it led to."""
    said = [
        line.event.detail
        for line in journal
        if line.event.kind == events.RESOLVED and line.event.item == item.key
    ]
    names = ("choice", "external_id", "also", "override", "reason", "by")
    return {name: said[-1].get(name) for name in names} if said else None
