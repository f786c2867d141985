"""One look: walk the containers of what is not known, and judge. Reads only; decides nothing.

Intents, calls and facts are read *before* the walk begins: what is judged must be what is fenced
against. One walk serves every intent of its container. An absence rests on two walks, the second
begun after the first ended; a look that found everything, or came too soon, spares the second.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from .copying import quick
from .funnel import DEFAULT_POLICY, Policy, needs_label_check
from .listing import IncompleteListing, Listing, Place, Statuses
from .model import Document, Item, ItemState, Reason
from .outside import Outside
from .ports import Around, Surroundings
from .verdict import Judgement, Verdict
from .walking import Step, Walking, places_of


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """An item as it was read before the walk: a decision on anything newer is `stale`."""

    state: ItemState
    facts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What one look saw and what it says. `began_at` is the ledger time before the first walk.

    `named`: ids of which every row was kept, so that a listing without one lacks that entity.
    """

    began_at: datetime
    seen: Mapping[str, Seen]
    around: Around
    surroundings: Surroundings
    judgement: Judgement
    listings: tuple[Listing, ...]
    incomplete: Mapping[Place, IncompleteListing]
    policy: Policy = DEFAULT_POLICY
    named: frozenset[str] = frozenset()

    @property
    def verdicts(self) -> Mapping[str, Verdict]:
        """By item key."""
        return self.judgement.verdicts

    @property
    def withheld(self) -> Reason | None:
        """Why a walk gave nothing, the weightiest first; None where every walk completed."""
        reasons = {walk.reason for walk in self.incomplete.values()}
        order = (Reason.ACCESS, Reason.THROTTLED, Reason.LISTING_INCOMPLETE)
        return next((reason for reason in order if reason in reasons), None)

    @property
    def wait(self) -> timedelta | None:
        """The longest wait that a walk was told to keep; None where none was."""
        waits = [walk.wait for walk in self.incomplete.values() if walk.wait is not None]
        return max(waits, default=None)


async def look(
    document: Document,
    items: Iterable[Item],
    outside: Outside,
    *,
    also: frozenset[Place] = frozenset(),
    naming: frozenset[str] = frozenset(),
    step: Step = lambda: None,
) -> Look:
    """Walk the places of these items, which have intents, and `also` those; judge the items.

    Rows with an id of `naming` are kept whatever they bear: they are asked about by id.
    """
    judged = tuple(items)
    with outside.watch("look", document):
        walking = Walking(document, judged, outside, step, naming)
        began_at = await outside.ledger.now()
        if also or naming or not await walking.found_all_by_label(places_of(judged)):
            await walking.walk(places_of(judged) | also, Statuses.EVERY_STATUS)
            await walking.judge_with_log()
        if again := walking.places_where_absence_could_be_said():
            await walking.walk(again, Statuses.NO_FILTER)
            await walking.judge_with_log()
        if needs_label_check(document, judged, walking.complete, walking.judgement):
            await walking.judge(
                await outside.graph.has_label(document.account_id, _label(document))
            )
        return Look(
            began_at=began_at,
            seen=seen(document),
            around=walking.around,
            surroundings=walking.surroundings,
            judgement=walking.judgement,
            listings=tuple(walking.complete),
            incomplete=walking.incomplete,
            policy=walking.policy,
            named=naming,
        )


def seen(document: Document) -> dict[str, Seen]:
    """Every item's state and facts counter, to fence a later decision with."""
    return {
        item.key: Seen(state=item.state, facts=item.intent.facts if item.intent else 0)
        for item in document.items
    }


def _label(document: Document) -> str:
    if document.mark_part is None:
        raise AssertionError("only a document sent with a label has one to check")
    return document.mark_part
