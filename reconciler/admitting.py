"""Judges records from elsewhere against what the ledger has: new, known, told anew, or refused.

The same record again changes nothing; an imported document is never changed by another content,
with one exception: a draft, or one that counts as still running, on which nothing rests yet. A
later export may tell how it went on. An id that another document holds by proof is refused.

Pure: the same records and the same standing, in the same order, give the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from . import events
from .arriving import AccountAndId, Admission, Standing
from .copying import replace
from .imported import Record, Stated, document_of
from .imported_lines import Group
from .limits import Limits
from .model import Document, DocumentState, Item, Origin
from .ports import Binding, Change, Event

Fault = tuple[str, str, str]
"""Field, problem, and what to write instead."""

A_SUBMITTED_ONE: Final = (
    "document_id",
    "is the id or the key of a submitted document",
    "leave it out, or give it another id",
)
OTHER_CONTENT: Final = (
    "document_id",
    "is known with other content, and an imported document is never changed",
    "leave it out, or see with `reconciler show` what is known",
)
BINDS: Final = frozenset({DocumentState.PUBLISHED, DocumentState.PARTLY_PUBLISHED})


@dataclass(slots=True)
class Judged:
    """What is to become of each group of a batch.

    `later` are held up by claims that are no proof and give way first: `contested`, each with the
    document that takes its id. `open` are known, and may be told anew, one by one.
    """

    changes: list[Change] = field(default_factory=list)
    unchanged: list[Group] = field(default_factory=list)
    open: list[Group] = field(default_factory=list)
    later: list[Group] = field(default_factory=list)
    contested: list[tuple[Binding, str]] = field(default_factory=list)
    refused: list[tuple[Group, Fault]] = field(default_factory=list)

    def admission(self) -> Admission:
        """What of it is stored at once. A document that ended with ids tells healthy rows apart."""
        ended = (change.document for change in self.changes)
        return Admission(
            changes=tuple(self.changes),
            complete=frozenset(one.account_id for one in ended if one.state in BINDS),
        )


def judged(groups: Iterable[Group], standing: Standing, stated: Stated, limits: Limits) -> Judged:
    """Judge the records of these groups in their order, each after those before it."""
    told = Judged()
    documents, bindings = dict(standing.documents), dict(standing.bindings)
    waiting: set[str] = set()
    for group in groups:
        record = _record_of(group)
        present = documents.get(record.document_id)
        if record.document_id in waiting:
            told.later.append(group)
        elif fault := _fault(record, present, bindings):
            told.refused.append((group, fault))
        elif weak := _weak(record, bindings):
            told.later.append(group)
            told.contested += [(binding, record.document_id) for binding in weak]
            waiting.add(record.document_id)
        elif present is not None:
            is_same = present.plan_hash == record.hash
            stays = is_same and not _is_covered_now(present, record, stated)
            (told.unchanged if stays else told.open).append(group)
        else:
            document = document_of(record, stated, standing.now, limits)
            told.changes.append(imported(document))
            documents[document.id] = document
            bindings |= _bindings_of(document)
    return told


def imported(document: Document) -> Change:
    """The document as it is stored, with the journal's line about it."""
    detail = {"state": document.state.value, "content": document.plan_hash}
    return Change(document=document, events=(Event(kind=events.IMPORTED, detail=detail),))


def told_anew(
    present: Document, record: Record, stated: Stated, now: datetime, limits: Limits
) -> Document | Fault:
    """A draft, or what counted as still running, as a later export or a later TIME tells of it.

    The same object where nothing is new. What it wants, and what was recorded, stays.
    """
    is_same = present.plan_hash == record.hash
    if is_same and not _is_covered_now(present, record, stated):
        return present
    new = document_of(record, stated, now, limits)
    if not _is_open(present) or not _goes_on(present, new):
        return OTHER_CONTENT
    return replace(new, cancel_requested=present.cancel_requested)


def _goes_on(before: Document, after: Document) -> bool:
    """Whether it is the same document later: begun then if it was, and with no less recorded."""
    if (before.account_id, before.created_at) != (after.account_id, after.created_at):
        return False
    if before.began_at not in (None, after.began_at) or len(before.items) != len(after.items):
        return False
    return all(
        (one.kind, one.name, one.parent) == (other.kind, other.name, other.parent)
        and _id_of(one) in (None, _id_of(other))
        for one, other in zip(before.items, after.items, strict=True)
    )


def _id_of(item: Item) -> str | None:
    return item.intent.external_id if item.intent else None


def _record_of(group: Group) -> Record:
    assert group.record is not None, "a refused line is no record"
    return group.record


def _is_open(document: Document) -> bool:
    """Imported, and nothing rests on it: a draft, or one that may still run."""
    return document.state is DocumentState.DRAFT or _is_running(document)


def _is_running(document: Document) -> bool:
    """Not known to have ended: publishing without any lease."""
    return document.state is DocumentState.PUBLISHING and document.lease is None


def _is_covered_now(present: Document, record: Record, stated: Stated) -> bool:
    """Whether its worker, which could still live, is known to be gone by now."""
    return _is_running(present) and record.gone_at(stated) is not None


def _fault(
    record: Record, present: Document | None, bindings: Mapping[AccountAndId, Binding]
) -> Fault | None:
    if present is not None and present.origin is Origin.OURS:
        return A_SUBMITTED_ONE
    if present is not None and present.plan_hash != record.hash and not _is_open(present):
        return OTHER_CONTENT
    for held in _held_elsewhere(record, bindings):
        if held.grade.is_proof:
            where = f"item {held.item} of document {held.document_id}"
            problem = f"{held.external_id} is bound to {where} by {held.grade.value}"
            return ("recorded", problem, "see which of the two is right")
    return None


def _weak(record: Record, bindings: Mapping[AccountAndId, Binding]) -> list[Binding]:
    return [held for held in _held_elsewhere(record, bindings) if not held.grade.is_proof]


def _held_elsewhere(record: Record, bindings: Mapping[AccountAndId, Binding]) -> Iterable[Binding]:
    for external_id in record.external_ids():
        held = bindings.get((record.account_id, external_id))
        if held is not None and held.document_id != record.document_id:
            yield held


def _bindings_of(document: Document) -> dict[AccountAndId, Binding]:
    return {
        (document.account_id, intent.external_id): Binding(
            external_id=intent.external_id,
            document_id=document.id,
            item=item.key,
            grade=intent.found_by,
        )
        for item in document.items
        if (intent := item.intent) is not None and intent.external_id and intent.found_by
    }
