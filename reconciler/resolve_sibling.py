"""Whose row a person takes by adopting it: that of another item of the same document.

Our mark tells the document, and only a name tells the item: a row with our mark may be adopted for
an item that did not make it. The one that did then finds nothing, and nothing could tell that from
a create that never happened, so it is said before and after.

Pure: frozen values in, words out.
"""

from __future__ import annotations

from .candidate import Readings
from .claimant import Claimant
from .comparing import has_our_name, is_ours
from .funnel import Weighed
from .model import Document, Origin
from .sieves import Says
from .vetoes import Name


def what_a_sibling_loses(weighed: Weighed, item: str, external_id: str) -> tuple[str, ...]:
    """A sentence for each other item that no row is left for once this one is the item's.

    Empty where the row could be nobody else's, or enough others are left for those it could be of.
    """
    us = weighed.funnels[item].claimant
    readings = weighed.places.get(us.place, {}).get(external_id, ())
    return tuple(
        _said(weighed.scene.document, us, funnel.claimant, external_id, readings)
        for key, funnel in weighed.funnels.items()
        if funnel.claimant.place == us.place
        and funnel.claimant.intent.name != us.intent.name
        and external_id in (fitting := _fitting(weighed.names[key]))
        and len(fitting) <= weighed.names[key].lacking
    )


def _fitting(name: Name) -> frozenset[str]:
    """The rows that may be one of its entities, doubted ones among them."""
    return frozenset(
        ruling.id
        for funnel in name.funnels
        for ruling in funnel.rulings
        if ruling.says is not Says.NOT_OURS
    )


def _said(
    document: Document, us: Claimant, sibling: Claimant, external_id: str, readings: Readings
) -> str:
    key = sibling.item
    borne = [
        *(["our mark"] if all(is_ours(sibling, one) for one in readings) else []),
        *([f"the name of {key}"] if any(has_our_name(sibling, one) for one in readings) else []),
    ]
    bears = f"bears {' and '.join(borne)} and " if borne else ""
    return (
        f"{external_id} {bears}may be the entity of {key}: once it is {us.item}'s, {key} is looked "
        f"for in vain, {_and_then(document)}"
    )


def _and_then(document: Document) -> str:
    if document.origin is Origin.OURS and not document.cancel_requested:
        return "and made again by the next publish"
    return "and counts as never made"
