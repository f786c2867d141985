"""Bindings and rivals of an account as they become, document by document, within one transaction.

What the database tells once for many documents is laid over with what each of them became. So the
next one is judged on what it would find if the one before had been committed alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from .model import Document, Intent, Item, ItemState, Kind
from .ports import Around, Binding, Rival, Surroundings

Name = tuple[Kind, str, str]
Place = tuple[str, str]  # document id, item key


class Standing:
    """What stands around many documents of one account. `surroundings` leaves none of them out."""

    def __init__(self, surroundings: Surroundings) -> None:
        self._bindings = dict(surroundings.bindings)
        self._rivals: dict[Name, dict[Place, Rival]] = defaultdict(dict)
        for rival in surroundings.rivals:
            self._rivals[_name(rival.intent)][rival.document_id, rival.item] = rival

    def around(self, document_id: str, asked: Around) -> Surroundings:
        """What `Ledger.around` tells for this document."""
        bindings = {one: self._bindings[one] for one in asked.external_ids if one in self._bindings}
        found = {
            place: rival
            for name in asked.names
            for place, rival in self._rivals.get(name, {}).items()
            if place[0] != document_id
        }
        return Surroundings(
            bindings=bindings, rivals=tuple(found[place] for place in sorted(found))
        )

    def taken(self, before: Document, after: Document) -> str | None:
        """An id that the document would get and another intent has; None where all are free."""
        own = {(after.id, item.key) for item in after.items}
        for item in _changed(before, after):
            binding = self._bindings.get(_unique_id(item) or "")
            if binding is not None and (binding.document_id, binding.item) not in own:
                return binding.external_id
        return None

    def put(self, before: Document, after: Document) -> None:
        """The document became this. Nothing that it had bound was given up."""
        for item in _changed(before, after):
            if item.intent is None:
                continue
            self._bind(after, item, item.intent)
            place = (after.id, item.key)
            rivals = self._rivals[_name(item.intent)]
            if after.began_at is not None and contests(item):
                rivals[place] = Rival(
                    document_id=after.id,
                    item=item.key,
                    intent=item.intent,
                    attempts=after.attempts,
                )
            else:
                rivals.pop(place, None)

    def _bind(self, document: Document, item: Item, intent: Intent) -> None:
        """Of two creatives that share an id, the first stands for both."""
        if intent.external_id is None or intent.found_by is None:
            return
        known = self._bindings.get(intent.external_id)
        if known is None or (document.id, item.key) <= (known.document_id, known.item):
            self._bindings[intent.external_id] = Binding(
                external_id=intent.external_id,
                document_id=document.id,
                item=item.key,
                grade=intent.found_by,
            )


def contests(item: Item) -> bool:
    """Lacks its entity, or bound it by a grade that is no proof."""
    if item.state in (ItemState.PENDING, ItemState.HELD):
        return True
    grade = item.intent.found_by if item.intent is not None else None
    return item.state is ItemState.CONFIRMED and grade is not None and not grade.is_proof


def _changed(before: Document, after: Document) -> Iterator[Item]:
    """Every item of it where its attempts moved too: a rival is judged by them."""
    stood: Mapping[str, Item] = {item.key: item for item in before.items}
    is_all = before.attempts != after.attempts
    return (item for item in after.items if is_all or stood.get(item.key) != item)


def _name(intent: Intent) -> Name:
    return intent.kind, intent.container.id, intent.name


def _unique_id(item: Item) -> str | None:
    if item.intent is None or item.intent.kind is Kind.ADCREATIVE:
        return None
    return item.intent.external_id
