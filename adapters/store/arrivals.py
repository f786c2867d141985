"""Many new documents in one transaction, and all documents page by page: import and export.

What a document alone would take a dozen statements for is written table by table for all of them;
that is the difference between minutes and an evening.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from typing import Final

from sqlalchemy import BigInteger, Connection, Text, bindparam, select

from reconciler.arriving import AccountAndId, Admit, Standing
from reconciler.copying import replace
from reconciler.lifecycle import next_step
from reconciler.model import Account, Document, Item, Origin
from reconciler.ports import Binding, Change

from . import accounts, writing
from .one_of import OneOf
from .rows import document_of, intent_of, item_of
from .statement import Statement, Values
from .surroundings import bindings_of, write_beside
from .tables import table

_document, _item, _intent, _complete = map(
    table, ("document", "item", "intent", "complete_account")
)
_BY_ID: Final = OneOf(select(_document), _document.c.id)
_BY_KEY: Final = OneOf(select(_document), _document.c.key)

_IS_COMPLETE: Final = Statement(
    select(_complete.c.account_id).where(
        _complete.c.account_id == bindparam("the_account", type_=Text)
    )
)
_SAY: Final = Statement(_complete.insert())


def admit(
    connection: Connection,
    now: datetime,
    names: Collection[str],
    ids: Collection[AccountAndId],
    decide: Admit,
) -> None:
    """Store what is decided on what stands. Raises `BindingTaken`."""
    for account_id in sorted({account_id for account_id, _ in ids}):
        write_beside(connection, account_id)
    standing = Standing(
        now=now,
        documents=dict(_documents(connection, names)),
        bindings=dict(_bindings(connection, ids)),
    )
    admission = decide(standing)
    known = {
        account_id: accounts.known(connection, account_id)
        for account_id in {change.document.account_id for change in admission.changes}
    }
    changes = [_with_next(change, known, now) for change in admission.changes]
    writing.store_new(connection, [change.document for change in changes])
    for change in changes:
        assert change.account is None, "a new document says nothing of its account"
    writing.record_new(connection, changes, now)
    for account_id in sorted(admission.complete):
        say_complete(connection, now, account_id)


def _documents(connection: Connection, names: Collection[str]) -> Iterator[tuple[str, Document]]:
    for row in _BY_KEY.rows(connection, names, {}):
        yield row.key, document_of(row)
    for row in _BY_ID.rows(connection, names, {}):
        yield row.id, document_of(row)


def _bindings(
    connection: Connection, ids: Collection[AccountAndId]
) -> Iterator[tuple[AccountAndId, Binding]]:
    by_account: dict[str, list[str]] = defaultdict(list)
    for account_id, external_id in ids:
        by_account[account_id].append(external_id)
    for account_id, asked in by_account.items():
        for external_id, binding in bindings_of(connection, account_id, asked):
            yield (account_id, external_id), binding


def _with_next(change: Change, known: Mapping[str, Account], now: datetime) -> Change:
    document = change.document
    step = next_step(document, known[document.account_id], now)
    return replace(change, document=replace(document, next=step))


# --- accounts of which finished documents are known -----------------------------------------------


def is_complete(connection: Connection, account_id: str) -> bool:
    """Whether finished documents of it are known, or none is said to be missing."""
    return _IS_COMPLETE.row(connection, {"the_account": account_id}) is not None


def say_complete(connection: Connection, now: datetime, account_id: str) -> None:
    """Record it; the first time counts."""
    if not is_complete(connection, account_id):
        _SAY.run(connection, [{"account_id": account_id, "said_at": now}])


# --- handing back ---------------------------------------------------------------------------------


def _page(*narrowed: str) -> Statement:
    conditions = {
        "account": _document.c.account_id == bindparam("the_account", type_=Text),
        "origin": _document.c.origin == bindparam("the_origin", type_=_document.c.origin.type),
    }
    return Statement(
        select(_document)
        .where(
            _document.c.id > bindparam("after_id", type_=Text),
            *(conditions[name] for name in narrowed),
        )
        .order_by(_document.c.id)
        .limit(bindparam("the_most", type_=BigInteger))
    )


_PAGES: Final[Mapping[tuple[str, ...], Statement]] = {
    narrowed: _page(*narrowed)
    for narrowed in ((), ("account",), ("origin",), ("account", "origin"))
}
_ITEMS: Final = OneOf(select(_item), _item.c.document_id)
_INTENTS: Final = OneOf(select(_intent), _intent.c.document_id)


def exported(
    connection: Connection,
    *,
    limit: int,
    after: str,
    account_id: str | None,
    origin: Origin | None,
) -> tuple[Document, ...]:
    """One page of documents by id, with items and intents, without calls and all other parts."""
    values: Values = {"the_most": limit, "after_id": after}
    values |= {"the_account": account_id, "the_origin": origin}
    asked = (("account", account_id), ("origin", origin))
    narrowed = tuple(name for name, value in asked if value is not None)
    rows = _PAGES[narrowed].rows(connection, values)
    items = _items(connection, [row.id for row in rows])
    return tuple(document_of(row, items=items.get(row.id, ())) for row in rows)


def _items(connection: Connection, documents: list[str]) -> dict[str, list[Item]]:
    if not documents:
        return {}
    intents = {
        (row.document_id, row.key): intent_of(row, ())
        for row in _INTENTS.rows(connection, documents, {})
    }
    found: dict[str, list[Item]] = defaultdict(list)
    rows = list(_ITEMS.rows(connection, documents, {}))
    for row in sorted(rows, key=lambda row: row.position):
        found[row.document_id].append(item_of(row, intents.get((row.document_id, row.key))))
    return found
