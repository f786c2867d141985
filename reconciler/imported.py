"""A document from elsewhere: its adjacent lines as one record, and the state that they tell of.

Nothing of it has a mark, for its calls were sent before any intent of ours. What was recorded is
bound by reply; what was tried and not recorded is pending, and may exist.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from .canonical_json import digest
from .imported_items import items_of
from .imported_line import Line
from .imported_part import Part
from .imported_times import FIELDS, Times
from .limits import Limits
from .model import (
    Attempt,
    AttemptOutcome,
    Container,
    ContainerKind,
    Document,
    DocumentState,
    Kind,
    Lease,
    Origin,
    Purpose,
)

OWNER: Final = "elsewhere"
"""Stands where a worker of ours would: of the lease and of the attempt."""

NO_END_KNOWN: Final = datetime(9999, 1, 1, tzinfo=UTC)
"""The lease's end of an attempt that may still run: it may make something at any time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """What the person who imports says: no worker last seen before `gone_before` lives.

    `complete` are accounts of which no finished document is missing in what is imported.
    """

    gone_before: datetime
    complete: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """All lines of one document. `number` is that of the first, `hash` that of its content."""

    number: int
    document_id: str
    account_id: str
    times: Times
    parts: tuple[Part, ...]
    is_begun: bool
    hash: str

    @property
    def is_finished(self) -> bool:
        """Whether its end was recorded: the calls were answered, whatever the answers were."""
        return self.times.publish_finished_at is not None

    def gone_at(self, stated: Stated) -> datetime | None:
        """From when on its worker is gone; None where it may still live."""
        times = self.times
        if times.worker_gone_at is not None:
            return times.worker_gone_at
        is_covered = times.seen_at is not None and times.seen_at < stated.gone_before
        return stated.gone_before if is_covered else None

    def external_ids(self) -> Iterator[str]:
        """Every recorded id that no other intent may be bound to; creatives may share one."""
        for part in self.parts:
            if part.kind is not Kind.ADCREATIVE:
                yield from (found for found in part.external_ids if found is not None)


def record_of(number: int, lines: tuple[Line, ...]) -> Record:
    """The record of these lines, which agree on everything but their parts."""
    first = lines[0]
    return Record(
        number=number,
        document_id=first.document_id,
        account_id=first.account_id,
        times=first.times,
        parts=tuple(line.part for line in lines),
        is_begun=any(line.is_begun for line in lines),
        hash=_hash(first, lines),
    )


def document_of(record: Record, stated: Stated, now: datetime, limits: Limits) -> Document:
    """The document in the state that its record tells of."""
    state = _state(record)
    gone_at = record.gone_at(stated) if state is DocumentState.PUBLISHING else None
    lease = None
    if gone_at is not None:
        lease = Lease(owner=OWNER, epoch=1, until=gone_at, purpose=Purpose.PUBLISH)
    attempt = _attempt(record, gone_at, limits)
    return Document(
        id=record.document_id,
        key=record.document_id,
        plan_hash=record.hash,
        account_id=record.account_id,
        container=_container(record),
        created_at=record.times.created_at,
        since=now,
        origin=Origin.IMPORTED,
        state=state,
        began_at=record.times.began_at if record.is_begun else None,
        attempts_used=1 if record.is_begun else 0,
        lease=lease,
        lease_epoch=1 if record.is_begun else 0,
        items=tuple(items_of(record.parts, record.times, is_begun=record.is_begun)),
        attempts=(attempt,) if record.is_begun else (),
    )


def _state(record: Record) -> DocumentState:
    if not record.is_begun:
        return DocumentState.DRAFT
    if not record.is_finished:
        return DocumentState.PUBLISHING
    recorded = [found is not None for part in record.parts for found in part.external_ids]
    if all(recorded):
        return DocumentState.PUBLISHED
    return DocumentState.PARTLY_PUBLISHED if any(recorded) else DocumentState.FAILED


def _container(record: Record) -> Container:
    """Of a tree, the account: no one container holds all of it."""
    containers = {part.container for part in record.parts}
    if len(containers) == 1:
        return containers.pop()
    return Container(kind=ContainerKind.ACCOUNT, id=record.account_id)


def _attempt(record: Record, gone_at: datetime | None, limits: Limits) -> Attempt:
    """The one execution that is told of; made here, for nobody recorded it as such."""
    finished_at = record.times.publish_finished_at
    return Attempt(
        number=1,
        lease_epoch=1,
        owner=OWNER,
        started_at=record.times.began_at,
        lease_until=finished_at or gone_at or NO_END_KNOWN,
        timings=limits.timings(),
        finished_at=finished_at,
        outcome=_outcome(record),
    )


def _outcome(record: Record) -> AttemptOutcome | None:
    if not record.is_finished:
        return None
    is_whole = _state(record) is DocumentState.PUBLISHED
    return AttemptOutcome.SUCCEEDED if is_whole else AttemptOutcome.UNRESOLVED


def _hash(first: Line, lines: tuple[Line, ...]) -> str:
    """Of what the lines say, however they spell it: the order of keys, a zone, `act_`."""
    moments = {name: getattr(first.times, name) for name in FIELDS}
    return digest(
        {
            "document_id": first.document_id,
            "account_id": first.account_id,
            "times": {name: at and at.isoformat() for name, at in moments.items()},
            "parts": [
                {
                    "container": {"kind": part.container.kind.value, "id": part.container.id},
                    "kind": part.kind.value,
                    "names": list(part.names),
                    "external_ids": list(part.external_ids),
                }
                for part in (line.part for line in lines)
            ],
        }
    )
