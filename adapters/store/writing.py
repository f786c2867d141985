"""Stores the difference between a document as it was read and as it was decided.

Parts are compared one by one, so that recording ten ids of two hundred writes ten items.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, func, select

from reconciler.model import Account, Document, Item
from reconciler.ports import Change, Event

from . import accounts, evidence
from .binding import Bindings, ChangedItems
from .one_of import OneOf
from .row_writer import RowWriter
from .rows import (
    attempt_values,
    call_values,
    document_values,
    intent_values,
    item_values,
    surplus_values,
    verdict_values,
)
from .statement import Values
from .tables import table

_DOCUMENT: Final = RowWriter("document")
_ITEM: Final = RowWriter("item")
_INTENT: Final = RowWriter("intent")
_CALL: Final = RowWriter("call")
_ATTEMPT: Final = RowWriter("attempt")
_VERDICT: Final = RowWriter("verdict")
_SURPLUS: Final = RowWriter("surplus")
_JOURNAL: Final = RowWriter("journal")
_BATCH: Final = RowWriter("batch_change")

_journal = table("journal")
_LAST: Final = OneOf(
    select(_journal.c.document_id, func.max(_journal.c.sequence).label("sequence")).group_by(
        _journal.c.document_id
    ),
    _journal.c.document_id,
)

Pair = tuple[Document | None, Document]
"""What stands, None if nothing does, and what it becomes."""

Owned = tuple[Document, Item]


def store(connection: Connection, old: Document | None, new: Document) -> None:
    """Write what differs; `old` is what stands, None if nothing does.

    Items are compared with those of `old` alone: one that was not read is left as it is. Raises
    `BindingTaken`; the transaction must then be rolled back.
    """
    store_all(connection, [(old, new)])


def store_all(connection: Connection, pairs: Sequence[Pair]) -> None:
    """The same for documents of one account, table by table for all of them."""
    for old, new in pairs:
        _check(old, new)
    before = [document_values(old) for old, _ in pairs if old is not None]
    _DOCUMENT.store(connection, before, [document_values(new) for _, new in pairs])
    changed = [each for old, new in pairs if (each := _changed_items(old, new)) is not None]
    if changed:
        _store_items(connection, changed)
    _store_lists(connection, pairs)


def store_new(connection: Connection, documents: Sequence[Document]) -> None:
    """Write documents of which nothing stands, table by table for all of them.

    Who asks has seen that no id is bound elsewhere; the unique index has the last word, and a
    transaction that it refuses is run again.
    """
    items = [(document, item) for document in documents for item in document.items]
    for document in documents:
        _check(None, document)
    _DOCUMENT.store(connection, [], [document_values(document) for document in documents])
    _ITEM.store(connection, [], _items_of(items))
    _INTENT.store(connection, [], _intents_of(items))
    _CALL.store(connection, [], _calls_of(items))
    _ATTEMPT.store(connection, [], [row for each in documents for row in _attempts_of(each)])


def record_new(connection: Connection, changes: Sequence[Change], now: datetime) -> None:
    """Begin the journal of documents that were just stored."""
    rows = [
        _journal_row(change.document.id, sequence, event, now)
        for change in changes
        for sequence, event in enumerate(change.events, start=1)
    ]
    _JOURNAL.store(connection, [], rows)


def record(connection: Connection, change: Change, now: datetime, seen: Account) -> None:
    """Append the events of a change, add its evidence, and store its account if it has one.

    `seen` is the account that was decided on. Raises `Overtaken` where it no longer stands.
    """
    record_all(connection, [change], now)
    if change.account is not None:
        assert change.account.id == change.document.account_id, "another document's account"
        accounts.put(connection, change.account, seen)


def record_all(connection: Connection, changes: Sequence[Change], now: datetime) -> None:
    """Append the events of changes and add their evidence, table by table for all of them."""
    _append(connection, changes, now)
    evidence.add(
        connection,
        [(change.document.id, each) for change in changes for each in change.evidence],
        now,
    )
    rows = [
        {"run": change.run, "document_id": change.document.id, "at": now}
        for change in changes
        if change.run is not None
    ]
    _BATCH.store(connection, [], rows)


def _check(old: Document | None, new: Document) -> None:
    """Our own bugs, refused before anything is written."""
    assert new.lease is None or new.lease.epoch == new.lease_epoch, "two epochs in one document"
    if old is not None:
        assert (old.id, old.key, old.account_id) == (new.id, new.key, new.account_id)


def _changed_items(old: Document | None, new: Document) -> ChangedItems | None:
    """What is not the very same value; whether its rows differ is seen when they are made."""
    stood = {item.key: item for item in old.items} if old is not None else {}
    moved = [(stood.pop(item.key, None), item) for item in new.items]
    pairs = [(seen, item) for seen, item in moved if seen is not item]
    gone = tuple(stood.values())
    if not pairs and not gone:
        return None
    return ChangedItems(
        document=new,
        before=[*(seen for seen, _ in pairs if seen is not None), *gone],
        after=[item for _, item in pairs],
    )


def _store_items(connection: Connection, changes: Sequence[ChangedItems]) -> None:
    before = [(each.document, item) for each in changes for item in each.before]
    after = [(each.document, item) for each in changes for item in each.after]
    _ITEM.store(connection, _items_of(before), _items_of(after))
    with Bindings(connection, changes) as bindings:
        given_up = frozenset(bindings.given_up)
        standing = [_standing(row, given_up) for row in _intents_of(before)]
        _INTENT.store(connection, standing, _intents_of(after))
    _CALL.store(connection, _calls_of(before), _calls_of(after))


def _standing(row: Values, given_up: Collection[tuple[str, str]]) -> Values:
    """An intent's row as the table has it by now: a column that is the same is not written."""
    if (row["document_id"], row["key"]) not in given_up:
        return row
    return row | {"external_id": None, "found_by": None}


def _items_of(items: Iterable[Owned]) -> list[Values]:
    return [item_values(document.id, item) for document, item in items]


def _intents_of(items: Iterable[Owned]) -> list[Values]:
    return [
        intent_values(document, item.key, item.intent)
        for document, item in items
        if item.intent is not None
    ]


def _calls_of(items: Iterable[Owned]) -> list[Values]:
    return [
        call_values(document.id, item.key, call)
        for document, item in items
        if item.intent is not None
        for call in item.intent.calls
    ]


def _store_lists(connection: Connection, pairs: Sequence[Pair]) -> None:
    for of, writer, name in _LISTS:
        moved = [
            (old, new)
            for old, new in pairs
            if old is None or getattr(old, name) is not getattr(new, name)
        ]
        before = [row for old, _ in moved if old is not None for row in of(old)]
        writer.store(connection, before, [row for _, new in moved for row in of(new)])


def _attempts_of(document: Document) -> list[Values]:
    return [attempt_values(document.id, attempt) for attempt in document.attempts]


def _verdicts_of(document: Document) -> list[Values]:
    return [verdict_values(document.id, at, one) for at, one in enumerate(document.verdicts)]


def _surplus_of(document: Document) -> list[Values]:
    return [surplus_values(document.id, at, one) for at, one in enumerate(document.surplus)]


_LISTS: Final = (
    (_attempts_of, _ATTEMPT, "attempts"),
    (_verdicts_of, _VERDICT, "verdicts"),
    (_surplus_of, _SURPLUS, "surplus"),
)
"""Parts of a document that are read and written whole, and how."""


def _append(connection: Connection, changes: Sequence[Change], now: datetime) -> None:
    told = [change for change in changes if change.events]
    if not told:
        return
    ids = [change.document.id for change in told]
    last = {row.document_id: row.sequence for row in _LAST.rows(connection, ids, {})}
    rows = [
        _journal_row(change.document.id, sequence, event, now)
        for change in told
        for sequence, event in enumerate(change.events, start=last.get(change.document.id, 0) + 1)
    ]
    _JOURNAL.store(connection, [], rows)


def _journal_row(document_id: str, sequence: int, event: Event, now: datetime) -> Values:
    return {
        "document_id": document_id,
        "sequence": sequence,
        "at": now,
        "kind": event.kind,
        "item": event.item,
        "detail": dict(event.detail),
    }
