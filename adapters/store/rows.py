"""From values to rows and back: one pair of functions per table, nothing else knows the columns.

A value is read back equal to what was stored; its times come back in UTC, lists in their order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields
from datetime import timedelta
from operator import attrgetter
from typing import Any, Final

from reconciler.mark import Mark
from reconciler.model import (
    Account,
    Attempt,
    Call,
    CallError,
    Container,
    Document,
    Intent,
    Item,
    JudgedItem,
    Lease,
    Next,
    Surplus,
    Timings,
)

from .columns import MICROSECOND
from .statement import AnyRow, Values

_NO_REFS: Final[frozenset[str]] = frozenset()

_ALIKE: Final = (
    "id", "key", "plan_hash", "account_id", "created_at", "since", "origin", "revision", "title",
    "mark_part", "state", "due_at", "began_at", "publish_said_at", "cancel_requested",
    "attempts_used", "recoveries", "backoff_step", "owes_look_from", "lease_epoch",
)  # fmt: skip
"""The columns of a document that are fields of the value under the same name."""
_alike_of = attrgetter(*_ALIKE)


def document_values(document: Document) -> Values:
    """The document's own row; the parts that have tables of their own are not in it."""
    lease, step = document.lease, document.next
    return dict(zip(_ALIKE, _alike_of(document), strict=True)) | {
        "container_kind": document.container.kind,
        "container_id": document.container.id,
        "lease_owner": lease and lease.owner,
        "lease_until": lease and lease.until,
        "lease_purpose": lease and lease.purpose,
        "next_action": step.action,
        "next_until": step.until,
        "next_why": step.why,
    }


def document_of(
    row: AnyRow,
    *,
    items: Iterable[Item] = (),
    attempts: Iterable[Attempt] = (),
    surplus: Iterable[Surplus] = (),
    verdicts: Iterable[JudgedItem] = (),
) -> Document:
    """The value of a document's row and its parts."""
    return Document(
        **dict(zip(_ALIKE, _alike_of(row), strict=True)),
        container=Container(kind=row.container_kind, id=row.container_id),
        lease=_lease_of(row),
        next=Next(action=row.next_action, why=row.next_why, until=row.next_until),
        items=tuple(items),
        attempts=tuple(attempts),
        surplus=tuple(surplus),
        verdicts=tuple(verdicts),
    )


def _lease_of(row: AnyRow) -> Lease | None:
    if row.lease_owner is None:
        return None
    return Lease(
        owner=row.lease_owner,
        epoch=row.lease_epoch,
        until=row.lease_until,
        purpose=row.lease_purpose,
    )


def item_values(document_id: str, item: Item) -> Values:
    """An item's row, without its intent."""
    return {
        "document_id": document_id,
        "key": item.key,
        "position": item.position,
        "kind": item.kind,
        "name": item.name,
        "params": _plain(item.params),
        "parent_kind": item.parent and item.parent.kind,
        "parent_id": item.parent and item.parent.id,
        "parent_ref": item.parent_ref,
        "item_part": item.item_part,
        "is_twin": item.is_twin,
        "refs": sorted(item.refs),
        "state": item.state,
    }


def item_of(row: AnyRow, intent: Intent | None) -> Item:
    """The value of an item's row and its intent."""
    parent = None
    if row.parent_kind is not None:
        parent = Container(kind=row.parent_kind, id=row.parent_id)
    return Item(
        key=row.key,
        position=row.position,
        kind=row.kind,
        name=row.name,
        params=row.params,
        parent=parent,
        parent_ref=row.parent_ref,
        item_part=row.item_part,
        is_twin=row.is_twin,
        state=row.state,
        refs=frozenset(row.refs) if row.refs else _NO_REFS,
        intent=intent,
    )


def intent_values(document: Document, key: str, intent: Intent) -> Values:
    """An intent's row, without its calls."""
    mark = intent.mark
    return {
        "document_id": document.id,
        "key": key,
        "account_id": document.account_id,
        "kind": intent.kind,
        "name": intent.name,
        "container_kind": intent.container.kind,
        "container_id": intent.container.id,
        "fingerprint": intent.fingerprint,
        "mark_document_part": mark and mark.document_part,
        "mark_item_part": mark and mark.item_part,
        "mark_in_name": intent.mark_in_name,
        "facts": intent.facts,
        "reason": intent.reason,
        "external_id": intent.external_id,
        "found_by": intent.found_by,
        "created_time": intent.created_time,
        "effective_status": intent.effective_status,
        "attributes": None if intent.attributes is None else _plain(intent.attributes),
        "warnings": list(intent.warnings),
        "unlisted_since": intent.unlisted_since,
    }


def intent_of(row: AnyRow, calls: Iterable[Call]) -> Intent:
    """The value of an intent's row and its calls."""
    mark = None
    if row.mark_document_part is not None:
        mark = Mark(row.mark_document_part, row.mark_item_part)
    return Intent(
        kind=row.kind,
        name=row.name,
        container=Container(kind=row.container_kind, id=row.container_id),
        fingerprint=row.fingerprint,
        mark=mark,
        mark_in_name=row.mark_in_name,
        facts=row.facts,
        calls=tuple(calls),
        reason=row.reason,
        external_id=row.external_id,
        found_by=row.found_by,
        created_time=row.created_time,
        effective_status=row.effective_status,
        attributes=row.attributes,
        warnings=tuple(row.warnings),
        unlisted_since=row.unlisted_since,
    )


def call_values(document_id: str, key: str, call: Call) -> Values:
    """A call's row."""
    return {
        "document_id": document_id,
        "key": key,
        "number": call.number,
        "attempt": call.attempt,
        "started_at": call.started_at,
        "ended_at": call.ended_at,
        "outcome": call.outcome,
        "external_id": call.external_id,
        "error": None if call.error is None else asdict(call.error),
    }


def call_of(row: AnyRow) -> Call:
    """The value of a call's row."""
    return Call(
        number=row.number,
        attempt=row.attempt,
        started_at=row.started_at,
        ended_at=row.ended_at,
        outcome=row.outcome,
        external_id=row.external_id,
        error=None if row.error is None else CallError(**row.error),
    )


def attempt_values(document_id: str, attempt: Attempt) -> Values:
    """An attempt's row; its timings as microseconds."""
    timings = {
        each.name: getattr(attempt.timings, each.name) // MICROSECOND for each in fields(Timings)
    }
    return _fields(attempt, Attempt) | {"document_id": document_id, "timings": timings}


def attempt_of(row: AnyRow) -> Attempt:
    """The value of an attempt's row."""
    timings = Timings(**{name: timedelta(0, 0, count) for name, count in row.timings.items()})
    return Attempt(
        number=row.number,
        lease_epoch=row.lease_epoch,
        owner=row.owner,
        started_at=row.started_at,
        lease_until=row.lease_until,
        timings=timings,
        finished_at=row.finished_at,
        outcome=row.outcome,
        error=row.error,
    )


def verdict_values(document_id: str, position: int, verdict: JudgedItem) -> Values:
    """The row of an item's latest verdict; `position` keeps the order."""
    return _fields(verdict, JudgedItem) | {"document_id": document_id, "position": position}


def verdict_of(row: AnyRow) -> JudgedItem:
    """The value of a verdict's row."""
    return JudgedItem(**_fields(row, JudgedItem))


def surplus_values(document_id: str, position: int, surplus: Surplus) -> Values:
    """The row of a surplus entity; `position` keeps the order."""
    return _fields(surplus, Surplus) | {"document_id": document_id, "position": position}


def surplus_of(row: AnyRow) -> Surplus:
    """The value of a surplus entity's row."""
    return Surplus(**_fields(row, Surplus))


def account_values(account: Account) -> Values:
    """An account's row."""
    return _fields(account, Account)


def account_of(row: AnyRow) -> Account:
    """The value of an account's row."""
    return Account(**_fields(row, Account))


def _plain(value: Mapping[str, Any]) -> dict[str, Any]:
    return value if isinstance(value, dict) else dict(value)


def _fields(source: AnyRow, kind: type[Account | Attempt | JudgedItem | Surplus]) -> Values:
    """The fields of such a value, out of one, or of its row."""
    return {each.name: getattr(source, each.name) for each in fields(kind)}
