"""Each method of the ledger port as one plain function over a connection inside a transaction.

The same functions run on every database. They begin and end nothing: whoever calls them commits
what they return normally from and rolls back what they raise from. `now` is read once per
transaction by the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime, timedelta

from sqlalchemy import Connection

from reconciler.copying import replace
from reconciler.lifecycle import next_step
from reconciler.model import Account, Attempt, Document, DocumentState, Purpose
from reconciler.next_step import is_seen
from reconciler.ports import Anyhow, Around, Change, Decide, Fenced, Guard, Surroundings, View

from . import accounts, guards, reading, writing
from .surroundings import surroundings, write_beside
from .whole_document import whole_document

Accept = Callable[[Document | None, datetime], Change | None]


def submit(
    connection: Connection, now: datetime, key: str, accept: Accept
) -> tuple[Document, bool]:
    """Store a new document or change the one of this key; `accept` refuses what it must."""
    present = _present(connection, now, key)
    change = accept(present, now)
    if change is None:
        assert present is not None, "a new key needs a document"
        return present, False
    assert change.document.key == key, "a document under another key"
    if present is None:
        write_beside(connection, change.document.account_id)
    account = accounts.known(connection, change.document.account_id)
    view = _stored(connection, now, present, change, account=account, only=None)
    return view.document, True


def _present(connection: Connection, now: datetime, key: str) -> Document | None:
    row = reading.row_by_key(connection, key)
    if row is None:
        return None
    locked = guards.matched(connection, row.id, Anyhow(), now)
    assert locked is not None, "a document is never deleted"
    return reading.document_with_parts(connection, locked)


def read(connection: Connection, now: datetime, document_id: str) -> View:
    """The document whole. Raises `UnknownDocument`."""
    found = whole_document(connection, document_id)
    return View(
        document=found.document,
        account=found.account,
        now=now,
        worker_seen=is_seen(found.seen_at, now),
    )


def around(connection: Connection, document_id: str, asked: Around) -> Surroundings:
    """Bindings and rivals around a document. Raises `UnknownDocument`."""
    row = reading.document_row(connection, document_id)
    return surroundings(connection, document_id, row.account_id, asked)


def change(
    connection: Connection,
    now: datetime,
    document_id: str,
    guard: Guard,
    decide: Decide,
    *,
    asked: Around | None,
    only: Collection[str] | None,
) -> View | None:
    """Guard, read, decide, store. None where the guard did not match. Raises `UnknownDocument`."""
    row = guards.matched(connection, document_id, guard, now)
    if row is None:
        reading.document_row(connection, document_id)
        return None
    view = View(
        document=reading.document_with_parts(connection, row, only),
        account=accounts.known(connection, row.account_id),
        now=now,
        surroundings=(
            surroundings(connection, document_id, row.account_id, asked)
            if asked is not None
            else Surroundings()
        ),
    )
    decided = decide(view)
    stored = _stored(connection, now, view.document, decided, account=view.account, only=only)
    return replace(stored, surroundings=view.surroundings)


def renew(
    connection: Connection, now: datetime, document_id: str, holder: Fenced, lease: timedelta
) -> datetime | None:
    """Move the lease's end, and its running attempt's if it publishes. None where it was lost."""
    until = now + lease
    row = guards.renewed(connection, document_id, holder, now, until)
    if row is None:
        reading.document_row(connection, document_id)
        return None
    seen = reading.document_with_parts(connection, row, only=())
    _stored(
        connection,
        now,
        seen,
        Change(document=_prolonged(seen, until)),
        account=accounts.known(connection, seen.account_id),
        only=(),
    )
    return until


def _prolonged(document: Document, until: datetime) -> Document:
    lease = document.lease
    if lease is None or lease.purpose is not Purpose.PUBLISH:
        return document
    attempts = tuple(
        replace(attempt, lease_until=until) if _runs(attempt, lease.epoch) else attempt
        for attempt in document.attempts
    )
    return replace(document, attempts=attempts)


def _runs(attempt: Attempt, epoch: int) -> bool:
    return attempt.lease_epoch == epoch and attempt.finished_at is None


def _stored(
    connection: Connection,
    now: datetime,
    seen: Document | None,
    decided: Change,
    *,
    account: Account,
    only: Collection[str] | None,
) -> View:
    seen_account, account = account, decided.account or account
    whole = _whole(connection, decided.document, only)
    document = decided.document
    if (step := next_step(whole, account, now)) != document.next:
        document = replace(document, next=step)
    if only is not None and seen is not None:
        _check_same_items(seen, document)
    writing.store(connection, seen, document)
    writing.record(connection, replace(decided, document=document), now, seen_account)
    return View(document=document, account=account, now=now)


def _whole(connection: Connection, document: Document, only: Collection[str] | None) -> Document:
    """The document with what its next step depends on of the items that were not read.

    While it is being published that is to wait for the lease, whatever its items are: the hot path,
    recording ids of a large document, reads no others. While it is queued those matter that are
    unsettled.
    """
    if only is None or document.state is DocumentState.PUBLISHING:
        return document
    wanted = None
    if document.state is DocumentState.QUEUED:
        wanted = reading.unsettled_keys(connection, document.id)
    there = {item.key: item for item in reading.items(connection, document.id, wanted)}
    decided = {item.key: item for item in document.items}
    return replace(document, items=tuple((there | decided).values()))


def _check_same_items(seen: Document, decided: Document) -> None:
    """A decision about some items adds and drops none: it does not see what it would clash with."""
    keys = {item.key for item in seen.items}
    assert keys == {item.key for item in decided.items}, "items it was not shown"
