"""Which survivor of a name goes to which of its intents, where the name lets them go at all.

Twins sent with their whole mark are told apart by it: each is a name of its own. Twins sent
without are interchangeable if their requests were equal; then it does not matter which is which,
and they take survivors in the order of creation. Others cannot be told apart, and nobody guesses.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import UTC, datetime

from .claimant import Claimant
from .model import Document, Origin, Reason
from .sieves import Ruling, Says
from .vetoes import Funnel, Name


def names_of(
    funnels: Collection[Funnel], rivals: tuple[Claimant, ...], max_per_name: int
) -> Mapping[str, Name]:
    """The name each intent belongs to, by item: its kind, parent and name, or its whole mark.

    A twin that came with a later revision bears its whole mark, and the older one, sent alone, does
    not: neither survives for the other's row, so they share nothing.
    """
    alike: dict[object, list[Funnel]] = {}
    for funnel in funnels:
        if funnel.claimant.whole_mark is None:
            alike.setdefault(_wanted(funnel), []).append(funnel)

    def name_of(*sharing: Funnel) -> Name:
        return Name(funnels=sharing, rivals=rivals, max_per_name=max_per_name)

    together = {wanted: name_of(*those) for wanted, those in alike.items()}
    return {
        funnel.claimant.item: name_of(funnel)
        if funnel.claimant.whole_mark is not None
        else together[_wanted(funnel)]
        for funnel in funnels
    }


def against(name: Name, document: Document) -> Reason | None:
    """Why no survivor of the name may be given away; None where nothing speaks against it."""
    if name.doubt is not None:
        return name.doubt
    if name.vetoes:
        return name.vetoes[0].reason
    if name.survivors and not _are_interchangeable(name, document):
        return Reason.TWINS
    return None


def share(name: Name, asked: Collection[str]) -> Mapping[str, Ruling]:
    """A survivor for each asked item, as far as they go. Only where nothing is `against` it."""
    takers = [f.claimant.item for f in name.funnels if f.claimant.item in asked]
    return dict(zip(takers, sorted(name.survivors.values(), key=_creation), strict=False))


def _wanted(funnel: Funnel) -> tuple[object, ...]:
    intent = funnel.claimant.intent
    return intent.kind, intent.container, intent.name


def _are_interchangeable(name: Name, document: Document) -> bool:
    """Also true of one alone. What one was sent with a mark and one without, no row survives for
    both."""
    intents = [funnel.claimant.intent for funnel in name.funnels]
    imported = document.origin is Origin.IMPORTED
    equal = imported or len({intent.fingerprint for intent in intents}) == 1
    return equal and len({_surviving(funnel) for funnel in name.funnels}) == 1


def _surviving(funnel: Funnel) -> frozenset[str]:
    return frozenset(ruling.id for ruling in funnel.those(Says.SURVIVES))


def _creation(ruling: Ruling) -> tuple[datetime, int, str]:
    """Ids are digits: the shorter is the smaller."""
    created = ruling.candidate.created_at or datetime.min.replace(tzinfo=UTC)
    return created, len(ruling.id), ruling.id
