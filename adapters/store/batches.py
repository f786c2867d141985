"""The questions of batches: what is broken in each account, and what a run changed."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Final

from sqlalchemy import (
    BigInteger,
    Connection,
    Text,
    and_,
    bindparam,
    exists,
    func,
    or_,
    select,
)

from reconciler.batching import Broken
from reconciler.model import Document, DocumentState, ItemState

from . import reading
from .guards import NOW, UNSETTLED
from .one_of import OneOf
from .statement import Statement
from .tables import table

_document, _item, _change = map(table, ("document", "item", "batch_change"))
_c = _document.c

_CRASHED: Final = and_(_c.state == DocumentState.PUBLISHING, _c.lease_until <= NOW)
_UNSETTLED: Final = and_(
    or_(_c.state == DocumentState.QUEUED, _c.state == DocumentState.HELD), UNSETTLED
)
_HAS_HELD: Final = and_(
    or_(_c.state == DocumentState.QUEUED, _c.state == DocumentState.HELD),
    exists().where(_item.c.document_id == _c.id, _item.c.state == ItemState.HELD),
)
_BROKEN: Final = {
    False: or_(_CRASHED, _UNSETTLED),
    True: or_(_CRASHED, _UNSETTLED, _HAS_HELD),
}
"""By whether those that wait for a person are asked for too."""

_COUNTED: Final = {
    held: Statement(
        select(_c.account_id, func.count().label("broken"))
        .where(broken)
        .group_by(_c.account_id)
        .order_by(_c.account_id)
    )
    for held, broken in _BROKEN.items()
}
_DOCUMENTS: Final = Statement(
    select(func.count().label("documents")).where(
        _c.account_id == bindparam("the_account", type_=Text)
    )
)
_MOST: Final = bindparam("the_most", type_=BigInteger)
_PAGES: Final = {
    held: Statement(
        select(_document)
        .where(
            _c.account_id == bindparam("the_account", type_=Text),
            broken,
            _c.id > bindparam("after_id", type_=Text),
        )
        .order_by(_c.id)
        .limit(_MOST)
    )
    for held, broken in _BROKEN.items()
}
_BY_ID: Final = OneOf(select(_document), _c.id)
_CHANGED_BY: Final = OneOf(
    select(_change.c.document_id).where(_change.c.run == bindparam("the_run", type_=Text)),
    _change.c.document_id,
)
_OF_RUN: Final = Statement(
    select(_change.c.document_id)
    .where(
        _change.c.run == bindparam("the_run", type_=Text),
        _change.c.document_id > bindparam("after_id", type_=Text),
    )
    .order_by(_change.c.document_id)
    .limit(_MOST)
)


def broken_accounts(connection: Connection, now: datetime, *, held: bool) -> tuple[Broken, ...]:
    """Accounts with broken documents, and how many."""
    rows = list(_COUNTED[held].rows(connection, {"the_time": now}))
    return tuple(
        Broken(
            account_id=row.account_id,
            broken=row.broken,
            documents=_documents(connection, row.account_id),
        )
        for row in rows
    )


def _documents(connection: Connection, account_id: str) -> int:
    [row] = _DOCUMENTS.rows(connection, {"the_account": account_id})
    return int(row.documents)


def broken(
    connection: Connection, now: datetime, account_id: str, *, held: bool, limit: int, after: str
) -> tuple[Document, ...]:
    """One page of an account's broken documents."""
    values = {"the_account": account_id, "the_time": now, "the_most": limit, "after_id": after}
    return reading.whole(connection, _PAGES[held].rows(connection, values))


def whole(connection: Connection, ids: Collection[str]) -> tuple[Document, ...]:
    """The documents with these ids, those that are unknown left out."""
    rows = sorted(_BY_ID.rows(connection, ids, {}), key=lambda row: str(row.id))
    return reading.whole(connection, rows)


def of_run(connection: Connection, run: str, *, limit: int, after: str) -> tuple[str, ...]:
    """One page of the documents that a run changed."""
    values = {"the_run": run, "after_id": after, "the_most": limit}
    return tuple(row.document_id for row in _OF_RUN.rows(connection, values))


def changed_by(connection: Connection, run: str, ids: Collection[str]) -> frozenset[str]:
    """Those of these documents that a run changed."""
    rows = _CHANGED_BY.rows(connection, ids, {"the_run": run})
    return frozenset(row.document_id for row in rows)
