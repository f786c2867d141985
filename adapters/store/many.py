"""One change of many documents: what `transactions.change` does, table by table for all of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime

from sqlalchemy import Connection

from reconciler.batching import Ask, DecideAll, ManyView
from reconciler.copying import replace
from reconciler.lifecycle import next_step
from reconciler.model import Account, Document
from reconciler.ports import Change, Guard

from . import accounts, guards, reading, writing
from .statement import AnyRow
from .surroundings import surroundings_of_all


def change_all(
    connection: Connection,
    now: datetime,
    account_id: str,
    asked: Mapping[str, Guard],
    *,
    ask: Ask,
    decide: DecideAll,
) -> Mapping[str, Document]:
    """Guard, read, decide, store. The documents whose guard matched, as stored."""
    rows = sorted(_guarded(connection, asked, now), key=lambda row: str(row.id))
    seen = {document.id: document for document in reading.whole(connection, rows)}
    assert all(document.account_id == account_id for document in seen.values()), "another account's"
    account = accounts.known(connection, account_id)
    around = surroundings_of_all(connection, account_id, ask(tuple(seen.values())))
    view = ManyView(documents=seen, account=account, now=now, surroundings=around)
    changes = [_with_next(change, account, now) for change in decide(view)]
    assert sorted(change.document.id for change in changes) == sorted(seen), "not all, or others"
    writing.store_all(connection, [(seen[each.document.id], each.document) for each in changes])
    writing.record_all(connection, changes, now)
    return {change.document.id: change.document for change in changes}


def _guarded(connection: Connection, asked: Mapping[str, Guard], now: datetime) -> Iterable[AnyRow]:
    """Equal guards are one update: of many crashed documents most have the same epoch."""
    alike: dict[Guard, list[str]] = defaultdict(list)
    for document_id, guard in asked.items():
        alike[guard].append(document_id)
    for guard, ids in alike.items():
        yield from guards.matched_all(connection, ids, guard, now)


def _with_next(change: Change, account: Account, now: datetime) -> Change:
    assert change.account is None, "many documents say nothing of their account"
    document = change.document
    return replace(change, document=replace(document, next=next_step(document, account, now)))
