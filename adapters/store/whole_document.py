"""Reads a document whole, with its account and when a worker was last seen, in one statement.

A read that finds nothing to do is what nearly every read is, and on a server each statement is one
journey there and back: so the rows of the parts come as JSON beside the document's own row.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from operator import attrgetter
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Dialect,
    Select,
    Table,
    Text,
    bindparam,
    cast,
    func,
    select,
)

from reconciler.errors import UnknownDocument
from reconciler.model import Account, Call, Document

from .columns import FreeText, instant_of
from .listed_rows import listed_rows
from .rows import (
    account_of,
    attempt_of,
    call_of,
    document_of,
    intent_of,
    item_of,
    surplus_of,
    verdict_of,
)
from .statement import AnyRow, Found, Statement, reader_of
from .tables import table

_document, _worker = table("document"), table("worker")
_PARTS: Final[Mapping[str, ColumnElement[bool]]] = {
    name: table(name).c.document_id == _document.c.id
    for name in ("item", "intent", "call", "attempt", "surplus", "verdict")
} | {"account": table("account").c.id == _document.c.account_id}
"""The tables whose rows belong to a document, and which of them do."""

_WIDTH: Final = len(_document.columns)
"""So many columns are the document's own; those behind it are the parts, in their order."""

_JSON: Final = {"sqlite": (func.json_group_array, func.json_array)} | {
    "postgresql": (func.json_agg, func.json_build_array)
}
"""What makes one JSON list of many rows, and of one."""


REMEMBERED: Final = 128
"""Documents whose values are kept, each as its row told them."""

REMEMBERED_LENGTH_MAX: Final = 64 * 1024
"""Characters of the parts of one that is kept: about 60 items. All together 8 MB of text."""


@dataclass(frozen=True, slots=True)
class Whole:
    """What one statement gives. `seen_at` None: no worker is known."""

    document: Document
    account: Account
    seen_at: datetime | None


def whole_document(connection: Connection, document_id: str) -> Whole:
    """The document of this id, whole. Raises `UnknownDocument`.

    The database is asked each time. A row that is, to the letter, one that was read before gives
    the very same values: making them anew takes four times as long as the query.
    """
    dialect = connection.dialect
    found = _WHOLE[dialect.name].found(connection, {"the_id": document_id})
    if not found:
        raise UnknownDocument(f"there is no document {document_id}")
    ((*told, seen_at),) = found
    length = sum(len(listed) for listed in told[_WIDTH:] if listed)
    values_of = _values_of if length > REMEMBERED_LENGTH_MAX else _remembered
    document, account = values_of(tuple(told), dialect)
    return Whole(document, account, None if seen_at is None else instant_of(seen_at))


def _values_of(told: Found, dialect: Dialect) -> tuple[Document, Account]:
    row = reader_of(_document, dialect)(told[:_WIDTH])
    parts = {
        name: listed_rows(table(name), dialect).of(listed)
        for name, listed in zip(_PARTS, told[_WIDTH:], strict=True)
    }
    accounts = [account_of(each) for each in parts["account"]]
    account = accounts[0] if accounts else Account(id=row.account_id)
    return _document_of(row, parts), account


_remembered: Final = lru_cache(REMEMBERED)(_values_of)


_number, _position = attrgetter("number"), attrgetter("position")


def _document_of(row: AnyRow, parts: Mapping[str, list[AnyRow]]) -> Document:
    calls: dict[str, list[Call]] = defaultdict(list)
    for each in sorted(parts["call"], key=_number):
        calls[each.key].append(call_of(each))
    intents = {each.key: intent_of(each, calls[each.key]) for each in parts["intent"]}
    items = [item_of(each, intents.get(each.key)) for each in parts["item"]]
    return document_of(
        row,
        items=sorted(items, key=_position),
        attempts=map(attempt_of, sorted(parts["attempt"], key=_number)),
        surplus=map(surplus_of, sorted(parts["surplus"], key=_position)),
        verdicts=map(verdict_of, sorted(parts["verdict"], key=_position)),
    )


# --- how it is asked -----------------------------------------------------------------------------


def _asked(dialect: str) -> Select[Any]:
    seen_at = select(func.max(_worker.c.seen_at)).scalar_subquery().label("seen_at")
    parts = (_listed(table(name), dialect, which) for name, which in _PARTS.items())
    the_id = bindparam("the_id", type_=FreeText)
    return select(_document, *parts, seen_at).where(_document.c.id == the_id)


def _listed(part: Table, dialect: str, which: ColumnElement[bool]) -> ColumnElement[str]:
    """A JSON list of the part's rows, each a list of its columns; null where there is none."""
    of_rows, of_columns = _JSON[dialect]
    listed = select(cast(of_rows(of_columns(*part.columns)), Text)).where(which)
    return listed.correlate(_document).scalar_subquery().label(f"of_{part.name}")


_WHOLE: Final = {dialect: Statement(_asked(dialect)) for dialect in _JSON}
