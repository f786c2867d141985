"""Reads documents whole: one statement per table, by the document's id, into frozen values.

Every function works inside a transaction that its caller has begun, and begins none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any, Final

from sqlalchemy import Connection, Select, Text, bindparam, select, text

from reconciler.errors import UnknownDocument
from reconciler.model import Attempt, Call, Document, Intent, Item
from reconciler.ports import Event, Recorded

from .columns import FreeText
from .one_of import OneOf
from .rows import (
    attempt_of,
    call_of,
    document_of,
    intent_of,
    item_of,
    surplus_of,
    verdict_of,
)
from .statement import AnyRow, Statement
from .tables import UNSETTLED_STATES, table

_THE_ID: Final = bindparam("the_id", type_=FreeText)


def _parts(name: str, *order: str) -> Select[Any]:
    """All rows of a document in one table."""
    found = table(name)
    return (
        select(found).where(found.c.document_id == _THE_ID).order_by(*(found.c[o] for o in order))
    )


_DOCUMENT: Final = Statement(select(table("document")).where(table("document").c.id == _THE_ID))
_DOCUMENT_BY_KEY: Final = Statement(
    select(table("document")).where(table("document").c.key == bindparam("the_key", type_=Text))
)
_ITEMS: Final = Statement(_parts("item"))
_INTENTS: Final = Statement(_parts("intent"))
_CALLS: Final = Statement(_parts("call"))
_SOME_ITEMS: Final = OneOf(_parts("item"), table("item").c.key)
_SOME_INTENTS: Final = OneOf(_parts("intent"), table("intent").c.key)
_SOME_CALLS: Final = OneOf(_parts("call"), table("call").c.key)
_UNSETTLED: Final = Statement(
    select(table("item").c.key).where(
        table("item").c.document_id == _THE_ID, text(UNSETTLED_STATES)
    )
)
_ATTEMPTS: Final = Statement(_parts("attempt", "number"))
_SURPLUS: Final = Statement(_parts("surplus", "position"))
_VERDICTS: Final = Statement(_parts("verdict", "position"))
_MANY: Final = {
    name: OneOf(select(table(name)), table(name).c.document_id)
    for name in ("item", "intent", "call", "attempt", "surplus", "verdict")
}
_JOURNAL: Final = Statement(_parts("journal", "sequence"))


def document_row(connection: Connection, document_id: str) -> AnyRow:
    """The document's own row. Raises `UnknownDocument`."""
    row = _DOCUMENT.row(connection, {"the_id": document_id})
    if row is None:
        raise UnknownDocument(f"there is no document {document_id}")
    return row


def row_by_key(connection: Connection, key: str) -> AnyRow | None:
    """The row of the document with this key, None if there is none."""
    return _DOCUMENT_BY_KEY.row(connection, {"the_key": key})


def document_with_parts(
    connection: Connection, row: AnyRow, only: Collection[str] | None = None
) -> Document:
    """The document of this row, whole, or with these items only."""
    the_id = {"the_id": row.id}
    return document_of(
        row,
        items=items(connection, row.id, only),
        attempts=attempts(connection, row.id),
        surplus=[surplus_of(found) for found in _SURPLUS.rows(connection, the_id)],
        verdicts=[verdict_of(found) for found in _VERDICTS.rows(connection, the_id)],
    )


def items(
    connection: Connection, document_id: str, only: Collection[str] | None = None
) -> list[Item]:
    """The items of a document by position, with intents and calls; all, or these only."""
    by_key = intents(connection, document_id, only)
    rows = _of_items(connection, document_id, only, _ITEMS, _SOME_ITEMS)
    found = [item_of(row, by_key.get(row.key)) for row in rows]
    return sorted(found, key=lambda item: item.position)


def whole(connection: Connection, rows: Iterable[AnyRow]) -> tuple[Document, ...]:
    """The documents of these rows, whole, in their order: one statement for each table and some
    hundred documents, not for each document."""
    rows = list(rows)
    of: dict[str, dict[str, list[AnyRow]]] = {
        name: _by_document(connection, name, [row.id for row in rows]) for name in _MANY
    }
    return tuple(_whole(row, {name: of[name].get(row.id, []) for name in of}) for row in rows)


def sent_by(
    connection: Connection, ids: Iterable[str]
) -> tuple[dict[tuple[str, str], Intent], dict[str, tuple[Attempt, ...]]]:
    """The intents of these documents by document and item key, and their attempts; three statements
    for some hundred documents."""
    ids = list(ids)
    calls: dict[tuple[str, str], list[Call]] = defaultdict(list)
    for row in _MANY["call"].rows(connection, ids, {}):
        calls[row.document_id, row.key].append(call_of(row))
    intents = {
        (row.document_id, row.key): intent_of(row, _by_number(calls[row.document_id, row.key]))
        for row in _MANY["intent"].rows(connection, ids, {})
    }
    found = _by_document(connection, "attempt", ids)
    attempts = {
        one: tuple(sorted(map(attempt_of, found[one]), key=lambda attempt: attempt.number))
        for one in ids
    }
    return intents, attempts


def _by_document(connection: Connection, name: str, ids: list[str]) -> dict[str, list[AnyRow]]:
    found: dict[str, list[AnyRow]] = defaultdict(list)
    for row in _MANY[name].rows(connection, ids, {}):
        found[row.document_id].append(row)
    return found


def _whole(row: AnyRow, parts: dict[str, list[AnyRow]]) -> Document:
    calls: dict[str, list[Call]] = defaultdict(list)
    for each in parts["call"]:
        calls[each.key].append(call_of(each))
    by_key = {each.key: intent_of(each, _by_number(calls[each.key])) for each in parts["intent"]}
    found = [item_of(each, by_key.get(each.key)) for each in parts["item"]]
    return document_of(
        row,
        items=sorted(found, key=lambda item: item.position),
        attempts=sorted(map(attempt_of, parts["attempt"]), key=lambda attempt: attempt.number),
        surplus=[surplus_of(each) for each in _in_order(parts["surplus"])],
        verdicts=[verdict_of(each) for each in _in_order(parts["verdict"])],
    )


def _in_order(rows: list[AnyRow]) -> list[AnyRow]:
    return sorted(rows, key=lambda row: int(row.position))


def unsettled_keys(connection: Connection, document_id: str) -> list[str]:
    """Keys of the items that may be unsettled, by the partial index over them."""
    return [row.key for row in _UNSETTLED.rows(connection, {"the_id": document_id})]


def intents(
    connection: Connection, document_id: str, only: Collection[str] | None = None
) -> dict[str, Intent]:
    """The intents of a document by item key, with their calls; all, or these only."""
    calls: dict[str, list[Call]] = defaultdict(list)
    for row in _of_items(connection, document_id, only, _CALLS, _SOME_CALLS):
        calls[row.key].append(call_of(row))
    rows = _of_items(connection, document_id, only, _INTENTS, _SOME_INTENTS)
    return {row.key: intent_of(row, _by_number(calls[row.key])) for row in rows}


def _by_number(calls: list[Call]) -> list[Call]:
    return sorted(calls, key=lambda call: call.number)


def attempts(connection: Connection, document_id: str) -> list[Attempt]:
    """The attempts of a document, first to last."""
    rows = _ATTEMPTS.rows(connection, {"the_id": document_id})
    return [attempt_of(row) for row in rows]


def journal(connection: Connection, document_id: str) -> tuple[Recorded, ...]:
    """Every event of a document, oldest first. Raises `UnknownDocument`."""
    document_row(connection, document_id)
    rows = _JOURNAL.rows(connection, {"the_id": document_id})
    return tuple(
        Recorded(
            sequence=row.sequence,
            at=row.at,
            event=Event(kind=row.kind, item=row.item, detail=row.detail),
        )
        for row in rows
    )


def _of_items(
    connection: Connection,
    document_id: str,
    only: Collection[str] | None,
    whole: Statement,
    some: OneOf,
) -> Iterable[AnyRow]:
    the_id = {"the_id": document_id}
    if only is None:
        return whole.rows(connection, the_id)
    return some.rows(connection, only, the_id)
