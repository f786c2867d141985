"""Stores the difference between a document as it was read and as it was decided.

Parts are compared one by one, so that recording ten ids of two hundred writes ten items.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, Text, bindparam, func, select

from reconciler.model import Account, Document, Item
from reconciler.ports import Change, Event

from . import accounts, evidence
from .binding import Bindings
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
from .statement import Statement, Values
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
_LAST: Final = Statement(
    select(func.coalesce(func.max(_journal.c.sequence), 0).label("sequence")).where(
        _journal.c.document_id == bindparam("the_id", type_=Text)
    )
)


def store(connection: Connection, old: Document | None, new: Document) -> None:
    """Write what differs; `old` is what stands, None if nothing does.

    Items are compared with those of `old` alone: one that was not read is left as it is. Raises
    `BindingTaken`; the transaction must then be rolled back.
    """
    _check(old, new)
    before = [] if old is None else [document_values(old)]
    _DOCUMENT.store(connection, before, [document_values(new)])
    changed = list(_changed_items(old, new))
    if changed:
        _store_items(
            connection,
            new,
            [item for item, _ in changed if item is not None],
            [item for _, item in changed if item is not None],
        )
    _store_lists(connection, old, new)


def store_new(connection: Connection, documents: Sequence[Document]) -> None:
    """Write documents of which nothing stands, table by table for all of them.

    Who asks has seen that no id is bound elsewhere; the unique index has the last word, and a
    transaction that it refuses is run again.
    """
    items = [(document, item) for document in documents for item in document.items]
    sent = [(document, item) for document, item in items if item.intent is not None]
    for document in documents:
        _check(None, document)
    _DOCUMENT.store(connection, [], [document_values(document) for document in documents])
    _ITEM.store(connection, [], [item_values(document.id, item) for document, item in items])
    _INTENT.store(connection, [], [row for d, item in sent for row in _intents_of(d, [item])])
    _CALL.store(connection, [], [row for d, item in sent for row in _calls_of(d, [item])])
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
    document = change.document
    _append(connection, document.id, change.events, now)
    evidence.add(connection, document.id, change.evidence, now)
    if change.run is not None:
        row = {"run": change.run, "document_id": document.id, "at": now}
        _BATCH.store(connection, [], [row])
    if change.account is not None:
        assert change.account.id == document.account_id, "another document's account"
        accounts.put(connection, change.account, seen)


def _check(old: Document | None, new: Document) -> None:
    """Our own bugs, refused before anything is written."""
    assert new.lease is None or new.lease.epoch == new.lease_epoch, "two epochs in one document"
    if old is not None:
        assert (old.id, old.key, old.account_id) == (new.id, new.key, new.account_id)


def _changed_items(
    old: Document | None, new: Document
) -> Iterator[tuple[Item | None, Item | None]]:
    """What is not the very same value; whether its rows differ is seen when they are made."""
    before = {item.key: item for item in old.items} if old is not None else {}
    for item in new.items:
        seen = before.pop(item.key, None)
        if seen is not item:
            yield seen, item
    yield from ((item, None) for item in before.values())


def _store_items(
    connection: Connection, document: Document, before: list[Item], after: list[Item]
) -> None:
    old_items = [item_values(document.id, item) for item in before]
    _ITEM.store(connection, old_items, [item_values(document.id, item) for item in after])
    with Bindings(connection, document, before, after) as bindings:
        standing = [_standing(row, bindings.given_up) for row in _intents_of(document, before)]
        _INTENT.store(connection, standing, _intents_of(document, after))
    _CALL.store(connection, _calls_of(document, before), _calls_of(document, after))


def _standing(row: Values, given_up: Collection[str]) -> Values:
    """An intent's row as the table has it by now: a column that is the same is not written."""
    return row | {"external_id": None, "found_by": None} if row["key"] in given_up else row


def _intents_of(document: Document, items: Iterable[Item]) -> list[Values]:
    return [
        intent_values(document, item.key, item.intent) for item in items if item.intent is not None
    ]


def _calls_of(document: Document, items: Iterable[Item]) -> list[Values]:
    return [
        call_values(document.id, item.key, call)
        for item in items
        if item.intent is not None
        for call in item.intent.calls
    ]


def _store_lists(connection: Connection, old: Document | None, new: Document) -> None:
    if old is None or old.attempts is not new.attempts:
        _ATTEMPT.store(connection, _attempts_of(old), _attempts_of(new))
    if old is None or old.verdicts is not new.verdicts:
        _VERDICT.store(connection, _verdicts_of(old), _verdicts_of(new))
    if old is None or old.surplus is not new.surplus:
        _SURPLUS.store(connection, _surplus_of(old), _surplus_of(new))


def _attempts_of(document: Document | None) -> list[Values]:
    if document is None:
        return []
    return [attempt_values(document.id, attempt) for attempt in document.attempts]


def _verdicts_of(document: Document | None) -> list[Values]:
    if document is None:
        return []
    return [verdict_values(document.id, at, one) for at, one in enumerate(document.verdicts)]


def _surplus_of(document: Document | None) -> list[Values]:
    if document is None:
        return []
    return [surplus_values(document.id, at, one) for at, one in enumerate(document.surplus)]


def _append(
    connection: Connection, document_id: str, events: Sequence[Event], now: datetime
) -> None:
    if not events:
        return
    [last] = _LAST.rows(connection, {"the_id": document_id})
    numbered = enumerate(events, start=last.sequence + 1)
    rows = [_journal_row(document_id, sequence, event, now) for sequence, event in numbered]
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
