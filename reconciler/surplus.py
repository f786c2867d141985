"""What exists beyond what the document wants: shown in every state, never touched outside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from .candidate import Readings
from .claimant import Scene, ids_known
from .facts import expected_id, first_id
from .listing import Place
from .model import Document, Intent, Item, Surplus
from .sieves import Says
from .vetoes import Funnel


def surplus_of(
    scene: Scene,
    places: Mapping[Place, Mapping[str, Readings]],
    funnels: Iterable[Funnel],
) -> tuple[Surplus, ...]:
    """Second ids of one intent, and rows with our mark that nothing explains; ordered by id.

    A row is explained if it is a copy, is bound to anything, or may belong to an intent that still
    lacks its entity. Creatives are reported too; `kind` tells them, for a second one costs nothing.
    """
    wanted = {
        ruling.id
        for funnel in funnels
        for ruling in funnel.rulings
        if ruling.says is not Says.NOT_OURS
    }
    found = {extra.external_id: extra for extra in _unexplained(scene, places, wanted)}
    found |= {extra.external_id: extra for extra in _second_ids(scene)}
    known = {extra.external_id: extra for extra in scene.document.surplus if extra.known}
    return tuple(known.get(external_id, found[external_id]) for external_id in sorted(found))


def bound_id(intent: Intent) -> str | None:
    """The id it has, else the first that was recorded. None: no call was answered with one."""
    return intent.external_id or first_id(intent)


def _second_ids(scene: Scene) -> Iterator[Surplus]:
    document = scene.document
    expected = {expected_id(i.intent, document.state) for i in document.items if i.intent}
    for item in document.items:
        for call in item.intent.calls if item.intent else ():
            extra = call.external_id
            if extra is not None and extra not in expected and extra not in scene.bindings:
                yield Surplus(external_id=extra, kind=item.kind, item=item.key)


def _unexplained(
    scene: Scene, places: Mapping[Place, Mapping[str, Readings]], wanted: set[str]
) -> Iterator[Surplus]:
    ours = _parts_of(scene.document)
    explained = wanted | set(scene.bindings) | set(ids_known(scene.document))
    for (_, kind), rows in places.items():
        for external_id, readings in rows.items():
            originals = [r for r in readings if r.parts & ours and not r.is_copy]
            if originals and external_id not in explained:
                item = _item_of(scene.document, readings)
                yield Surplus(external_id=external_id, kind=kind, item=item)


def _parts_of(document: Document) -> frozenset[str]:
    marks = [item.intent.mark for item in document.items if item.intent and item.intent.mark]
    own = {document.mark_part} if document.mark_part else set()
    return frozenset({mark.document_part for mark in marks} | own)


def _item_of(document: Document, readings: Readings) -> str | None:
    """The item a whole mark tells, else the only one of its kind and name. None where none fits."""
    row = readings[-1]
    item_parts = {item_part for part, item_part in row.item_parts if part in _parts_of(document)}
    marked = [item for item in document.items if item.item_part in item_parts]
    named = [item for item in document.items if _is_named(item, readings)]
    fitting = marked or named
    return fitting[0].key if len(fitting) == 1 else None


def _is_named(item: Item, readings: Readings) -> bool:
    row = readings[-1]
    return item.kind is row.row.kind and row.reads_as(item.name)
