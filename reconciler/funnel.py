"""The funnel: from what was listed to what is true of each intent (design, section 6).

    rows of complete walks -> sieves -> survivors -> vetoes -> Found
                                 |          |           |
                                 |          none        a reason -> Inconclusive
                                 |          and no doubt -> Absent
                                 not ours, or a doubt

Pure: the same document, listings and surroundings, in whatever order, give the same verdicts.
`sieves` holds the table of what speaks against one row, `vetoes` that of what speaks against a
whole name, `sharing` says which survivor goes to which intent. This file says in which order
anything may be said at all. Without a mark the result is strong, not proof.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Final

from .candidate import Readings, readings_by_id
from .claimant import Claimant, Echo, Scene, claimants_of, rival_claimant
from .comparing import is_our_apps
from .evidence import Conclusion, Grounds, LabelCheck, evidence_of, evidence_of_reply
from .limits import Limits
from .listing import IncompleteListing, Listing, Place, Row
from .model import Document, Grade, Item, Outcome, Reason
from .policy import LegacyEvidence, Policy
from .ports import Surroundings
from .settling import may_say_absent, shows_everything
from .sharing import against, names_of, share
from .sieves import Ruling, rule
from .surplus import bound_id, surplus_of
from .verdict import Absent, Found, Inconclusive, Judgement, Verdict
from .vetoes import Funnel, Name

__all__ = ["LegacyEvidence", "Policy", "Weighed", "judge", "needs_label_check", "weigh"]

Places = Mapping[Place, Mapping[str, Readings]]

NOTHING: Final[Mapping[Place, IncompleteListing]] = MappingProxyType({})
DEFAULT_POLICY: Final = Policy()


def judge(
    document: Document,
    judged: Iterable[Item],
    listings: Iterable[Listing],
    surroundings: Surroundings,
    *,
    now: datetime,
    limits: Limits,
    policy: Policy = DEFAULT_POLICY,
    incomplete: Mapping[Place, IncompleteListing] = NOTHING,
    label_exists: bool | None = None,
) -> Judgement:
    """Say of each judged item what is true of it, and what exists beyond what is wanted.

    `judged` are items with an intent that is not settled, or that a person asks about. `listings`
    holds complete walks only, one or two per place; `incomplete` says why a walk of a place gave
    nothing. `label_exists` answers `needs_label_check`; None: not asked, or not known.
    """
    judged, listings = tuple(judged), tuple(listings)
    # 1. to 3. Every row through every sieve, for every intent that lacks its entity; then by name.
    weighed = weigh(document, listings, surroundings, limits=limits, policy=policy)
    scene, places = weighed.scene, weighed.places
    # 4. What was answered with an id needs no listing; of the rest, what may be said at all.
    verdicts = _by_reply(document, judged, places, now)
    label = _label_check(document, listings, exists=label_exists)
    asked = frozenset(item.key for item in judged)
    for funnel in weighed.funnels.values():
        us = funnel.claimant
        if us.item in asked:
            grounds = Grounds(
                funnel=funnel,
                name=weighed.names[us.item],
                listings=tuple(w for w in listings if w.request.place == us.place),
                withheld=incomplete.get(us.place),
                now=now,
                limits=limits,
            )
            verdicts[us.item] = _sealed(grounds, _concluded(grounds, scene, asked, label))
    # 5. What nothing explains.
    return Judgement(verdicts=verdicts, surplus=surplus_of(scene, places, weighed.funnels.values()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """What the sieves say, before anything is concluded from it; funnels and names by item key."""

    scene: Scene
    places: Places
    funnels: Mapping[str, Funnel]
    names: Mapping[str, Name]


def weigh(
    document: Document,
    listings: tuple[Listing, ...],
    surroundings: Surroundings,
    *,
    limits: Limits,
    policy: Policy = DEFAULT_POLICY,
) -> Weighed:
    """Put every row through the sieves of every intent of the document that lacks its entity."""
    # 1. The rows of each place, all its walks judged together, and whether our marks come back.
    places = _by_place(listings)
    scene = Scene(
        document=document,
        bindings=surroundings.bindings,
        echo=Echo(places),
        current=limits.timings(),
        policy=policy,
    )
    # 2. Every intent that lacks its entity, asked about or not, through every sieve.
    funnels = {claimant.item: _run(claimant, places) for claimant in claimants_of(scene)}
    # 3. By name: what it lacks, what is left for it, and who else may claim that.
    rivals = tuple(rival_claimant(scene, rival) for rival in surroundings.rivals)
    names = names_of(funnels.values(), rivals, limits.max_per_name)
    return Weighed(scene=scene, places=places, funnels=funnels, names=names)


def needs_label_check(
    document: Document,
    judged: Iterable[Item],
    listings: Iterable[Listing],
    judgement: Judgement,
) -> bool:
    """Whether an absence waits for an answer to "does our label still exist in the account?".

    A create is known to have been made with the label, no row bears it, and something would be
    absent. If the label is gone, it proves nothing that no row bears it.
    """
    waiting = (judgement.verdicts.get(item.key) for item in judged)
    return _is_label_in_doubt(document, listings) and any(
        verdict.evidence.body.get("label") == LabelCheck.NOT_KNOWN for verdict in waiting if verdict
    )


def _concluded(
    grounds: Grounds, scene: Scene, asked: frozenset[str], label: LabelCheck
) -> Conclusion:
    """The order in which anything may be said: what a verdict would rest on comes first."""
    us, walks = grounds.funnel.claimant, grounds.listings
    # An incomplete walk looks like a container with fewer children. It says nothing at all.
    if not walks:
        return Conclusion(reason=grounds.why_withheld or Reason.LISTING_INCOMPLETE)
    # Every window is measured with the ledger's clock and the API's (A6).
    if not all(_clock_fits(walk, grounds.limits.clock_skew) for walk in walks):
        return Conclusion(reason=Reason.CLOCK)
    # Our mark is proof at any time: nobody else could have sent it.
    speaks_against = against(grounds.name, scene.document)
    shared = share(grounds.name, asked) if speaks_against is None else {}
    if us.item in shared and grounds.name.is_marked:
        return Conclusion(row=shared[us.item], grade=Grade.MARK)
    # Whatever else may be said asks for everything that our calls made to be listed by now.
    if grounds.withheld is not None:
        return Conclusion(reason=grounds.why_withheld)
    if not any(shows_everything(walk, grounds.name.settle_at) for walk in walks):
        return Conclusion(reason=Reason.TOO_SOON)
    # Rows moved while it was walked: something may have slipped from one page to another.
    if any(walk.saw_an_id_twice for walk in walks):
        return Conclusion(reason=Reason.LISTING_INCOMPLETE)
    if scene.policy.refuses(scene.document, us.intent):
        return Conclusion(reason=Reason.POLICY)
    if speaks_against is not None:
        return Conclusion(reason=speaks_against)
    if us.item in shared:
        return _found_without_a_mark(us, shared[us.item])
    return _not_found(grounds, label)


def _found_without_a_mark(us: Claimant, row: Ruling) -> Conclusion:
    """Strong, not proof. Creatives bear no creation time: their names alone prove nothing."""
    if us.is_creative:
        return Conclusion(reason=Reason.UNPROVEN_ROW)
    is_logged = is_our_apps(us, row.candidate)
    return Conclusion(row=row, grade=Grade.PROVENANCE if is_logged else Grade.NAME_AND_TIME)


def _not_found(grounds: Grounds, label: LabelCheck) -> Conclusion:
    """Absence opens the door to another create, so it asks for more than anything else."""
    walks, settled = grounds.listings, grounds.name.settle_at
    if not any(may_say_absent(one, two, settled) for one in walks for two in walks):
        return Conclusion(reason=Reason.LISTING_INCOMPLETE)
    if grounds.funnel.claimant.intent.mark is None:
        return Conclusion()
    if label is LabelCheck.GONE:
        return Conclusion(reason=Reason.MARK_LOST, label=label)
    if label is LabelCheck.NOT_KNOWN:
        return Conclusion(reason=Reason.LISTING_INCOMPLETE, label=label)
    return Conclusion(label=label)


def _sealed(grounds: Grounds, said: Conclusion) -> Verdict:
    evidence = evidence_of(grounds, said)
    if said.reason is not None:
        return Inconclusive(reason=said.reason, evidence=evidence)
    if said.row is None or said.grade is None:
        return Absent(evidence=evidence)
    candidate = said.row.candidate
    created_at = None if grounds.funnel.claimant.is_creative else candidate.created_at
    return Found(row=candidate.row, grade=said.grade, created_at=created_at, evidence=evidence)


def _by_reply(
    document: Document, judged: Iterable[Item], places: Places, now: datetime
) -> dict[str, Verdict]:
    """A recorded answer with an id outranks whatever a listing shows or does not show yet."""
    verdicts: dict[str, Verdict] = {}
    for item in judged:
        if item.intent is not None and item.intent.has_created_fact:
            external_id = bound_id(item.intent) or ""
            readings = places.get((item.intent.container, item.kind), {}).get(external_id)
            verdicts[item.key] = Found(
                row=readings[-1].row if readings else Row(id=external_id, kind=item.kind),
                grade=Grade.REPLY,
                created_at=readings[-1].created_at if readings else None,
                evidence=evidence_of_reply(document.id, item, external_id, now),
            )
    return verdicts


def _run(claimant: Claimant, places: Places) -> Funnel:
    rows = places.get(claimant.place, {})
    rulings = tuple(rule(claimant, readings) for readings in rows.values())
    return Funnel(claimant=claimant, rulings=rulings)


def _by_place(listings: tuple[Listing, ...]) -> Places:
    places = {listing.request.place for listing in listings}
    return {
        place: readings_by_id(w for w in listings if w.request.place == place) for place in places
    }


def _clock_fits(listing: Listing, skew: timedelta) -> bool:
    """A difference that was not measured is not taken for a small one."""
    difference = listing.clock_difference
    return difference is not None and abs(difference) <= skew


def _label_check(
    document: Document, listings: Iterable[Listing], *, exists: bool | None
) -> LabelCheck:
    if not _is_label_in_doubt(document, listings):
        return LabelCheck.NOT_NEEDED
    if exists is None:
        return LabelCheck.NOT_KNOWN
    return LabelCheck.EXISTS if exists else LabelCheck.GONE


def _is_label_in_doubt(document: Document, listings: Iterable[Listing]) -> bool:
    shown = any(
        document.mark_part in row.marks.label_parts for walk in listings for row in walk.rows
    )
    return not shown and any(_was_made_with_a_mark(item) for item in document.items)


def _was_made_with_a_mark(item: Item) -> bool:
    """What a person adopted may have been made by anybody."""
    intent = item.intent
    if intent is None or intent.mark is None:
        return False
    answered = any(call.outcome is Outcome.CREATED for call in intent.calls)
    return answered or intent.found_by in (Grade.REPLY, Grade.MARK)
