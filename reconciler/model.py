"""The words of the product as frozen values: documents, items, intents, calls, attempts, leases.

Nothing here decides: `lifecycle` moves states, `funnel` judges, `settling` knows the times. Every
time is an aware UTC `datetime` read from the ledger's clock; every id of the API is a string
of digits (facts 5.14); lists marked *closed* are tested on by other programs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from .copying import quick
from .mark import Mark
from .words import (
    PASSING,
    AttemptOutcome,
    BlockReason,
    ContainerKind,
    DocumentState,
    Echo,
    Grade,
    ItemState,
    Kind,
    NextAction,
    Origin,
    Outcome,
    Purpose,
    Reason,
)

__all__ = [
    "PASSING",
    "Account",
    "Attempt",
    "AttemptOutcome",
    "BlockReason",
    "Call",
    "CallError",
    "Container",
    "ContainerKind",
    "Document",
    "DocumentState",
    "Echo",
    "Grade",
    "Intent",
    "Item",
    "ItemState",
    "JudgedItem",
    "Kind",
    "Lease",
    "Next",
    "NextAction",
    "Origin",
    "Outcome",
    "Purpose",
    "Reason",
    "Surplus",
    "Timings",
]


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Container:
    """The external parent whose children are listed. An account's id carries its `act_`."""

    kind: ContainerKind
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CallError:
    """What the API, or the network, said; redacted. `row` names the line of the outcome table."""

    row: str
    message: str
    http_status: int | None = None
    code: int | None = None
    subcode: int | None = None
    trace_id: str | None = None


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One create request under an intent, numbered from 1. Written before it is sent.

    `started_at` and `ended_at` are ledger times of the transactions that recorded them, never a
    worker's clock. A call without `ended_at` counts as sent.
    """

    number: int
    attempt: int
    started_at: datetime
    ended_at: datetime | None = None
    outcome: Outcome | None = None
    external_id: str | None = None
    error: CallError | None = None

    @property
    def is_final(self) -> bool:
        """Whether the answer leaves nothing to find out."""
        return self.outcome in (Outcome.CREATED, Outcome.REJECTED, Outcome.NOT_SENT)


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """The durable record, written before the call, that we may be about to create this item.

    Everything a row must bear to be ours stands here as it was sent, and is kept for all calls of
    the intent. `facts` counts what became known and what was decided: a decision made on an older
    count is refused.
    """

    kind: Kind
    name: str  # canonical, without the name mark
    container: Container
    fingerprint: str  # of the request as it was sent, mark apart
    mark: Mark | None  # None: sent without one
    mark_in_name: bool = False
    facts: int = 0
    calls: tuple[Call, ...] = ()
    reason: Reason | None = None  # why it is held; None in every other state
    external_id: str | None = None
    found_by: Grade | None = None
    created_time: datetime | None = None
    effective_status: str | None = None
    attributes: Mapping[str, Any] | None = None  # the row as the API gave it
    warnings: tuple[str, ...] = ()
    unlisted_since: datetime | None = None  # of the first complete listing that lacked it

    @property
    def name_sent(self) -> str:
        """The name as it goes over the wire."""
        if self.mark is None or not self.mark_in_name:
            return self.name
        return self.name + self.mark.as_name_suffix()

    @property
    def is_unlisted(self) -> bool:
        """Whether a complete listing lacked it, and none has shown it since."""
        return self.unlisted_since is not None

    @property
    def has_created_fact(self) -> bool:
        """Whether any call was answered with an id: then the intent is settled, whatever else."""
        return any(call.external_id is not None for call in self.calls)


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One entity the document wants. `key` is unique in the document and never shown outside."""

    key: str
    position: int
    kind: Kind
    name: str  # canonical
    params: Mapping[str, Any]  # as accepted; may hold {"$ref": key}
    parent: Container | None  # None: a reference, known once that item is confirmed
    parent_ref: str | None
    item_part: str  # of the mark; used where the mark rides in the name
    is_twin: bool = False
    state: ItemState = ItemState.WAITING
    refs: frozenset[str] = frozenset()  # keys of the items it refers to
    intent: Intent | None = None


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Timings:
    """The durations an attempt ran under. Kept with it, for later settings may differ."""

    lease: timedelta
    lease_margin: timedelta
    call_timeout: timedelta
    late_landing: timedelta
    listing_lag: timedelta
    clock_skew: timedelta


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One execution of a document by one worker, counted at the claim.

    `lease_until` is the last one granted to it by claim or renewal; no settle lease writes there.
    """

    number: int
    lease_epoch: int
    owner: str
    started_at: datetime
    lease_until: datetime
    timings: Timings
    finished_at: datetime | None = None
    outcome: AttemptOutcome | None = None
    error: str | None = None


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """Time-bounded sole right to act on a document. `until` is by the ledger's clock."""

    owner: str
    epoch: int
    until: datetime
    purpose: Purpose


@dataclass(frozen=True, slots=True, kw_only=True)
class Surplus:
    """An entity beyond what the document wants. `item` is None where none fits.

    `next` is silent about it once a person recorded it as `known`, and while no listing shows it.
    """

    external_id: str
    kind: Kind
    item: str | None = None
    known: bool = False
    unlisted_since: datetime | None = None  # as of an intent

    @property
    def is_open(self) -> bool:
        """Whether somebody should know of it who does not yet."""
        return not self.known and self.unlisted_since is None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedItem:
    """The latest verdict about one item, as it is shown."""

    item: str
    verdict: str  # found, absent, inconclusive
    reason: Reason | None
    judged_at: datetime
    evidence_id: str
    evidence_hash: str


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Next:
    """The next safe action and why. `until` is None where no time is known or none matters."""

    action: NextAction
    why: str
    until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """What the ledger knows of one ad account: whether it is closed, for whom and until when.

    `token_print` is a digest that tells a changed token from the same one; never the token.
    `failures` counts probes since it closed and drives their backoff. `paused` is a person's reason
    to have nothing created there; None: it is not paused. Looking goes on.
    """

    id: str
    reason: BlockReason | None = None
    until: datetime | None = None
    token_print: str | None = None
    failures: int = 0
    paused: str | None = None

    def may_create(self, token_print: str | None, now: datetime) -> bool:
        """Whether creates may go out: it is open, and no person paused it."""
        return self.paused is None and self.is_open(token_print, now)

    def opened(self) -> Account:
        """Without its block; a pause is a person's, and stays."""
        return Account(id=self.id, paused=self.paused)

    def is_open(self, token_print: str | None, now: datetime) -> bool:
        """Whether calls may go out: a throttle ends by time, lost access by a new token."""
        if self.reason is None:
            return True
        if self.reason is BlockReason.THROTTLED:
            return self.until is None or now >= self.until
        return token_print != self.token_print


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """What a user wants published, and everything known about it.

    `mark_part` is the document part of every mark it sends; None for a document without a mark.
    `attempts_used` counts toward `max_attempts`; `recoveries` counts settle leases taken and not
    given back in order. `owes_look_from` is the time after which one complete listing is still
    owed, None when none is. `publish_said_at` is the last time a person said `publish`.
    """

    id: str
    key: str
    plan_hash: str
    account_id: str
    container: Container
    created_at: datetime
    since: datetime
    origin: Origin = Origin.OURS
    revision: int = 1
    title: str | None = None
    mark_part: str | None = None
    state: DocumentState = DocumentState.DRAFT
    due_at: datetime | None = None
    began_at: datetime | None = None
    publish_said_at: datetime | None = None
    cancel_requested: bool = False
    attempts_used: int = 0
    recoveries: int = 0
    backoff_step: int = 0
    owes_look_from: datetime | None = None
    lease: Lease | None = None
    lease_epoch: int = 0
    items: tuple[Item, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    surplus: tuple[Surplus, ...] = ()
    verdicts: tuple[JudgedItem, ...] = ()
    next: Next = field(default=Next(action=NextAction.PUBLISH, why="accepted, not yet published"))

    def item(self, key: str) -> Item:
        """The item with this key. Raises KeyError if the document has none."""
        for item in self.items:
            if item.key == key:
                return item
        raise KeyError(key)
