"""Documents built by hand, in every state that a printed shape must tell apart."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from reconciler.mark import Mark
from reconciler.model import (
    Account,
    Attempt,
    AttemptOutcome,
    Call,
    CallError,
    Container,
    ContainerKind,
    Document,
    DocumentState,
    Grade,
    Intent,
    Item,
    ItemState,
    JudgedItem,
    Kind,
    Lease,
    Outcome,
    Purpose,
    Reason,
    Surplus,
    Timings,
)
from reconciler.next_step import next_step
from reconciler.ports import View

NOW = datetime(2026, 3, 10, 12, 5, 4, 250_000, tzinfo=UTC)
STARTED = NOW - timedelta(minutes=3)
ADSET = Container(kind=ContainerKind.ADSET, id="2001")
MARK = Mark("rc1-" + "a" * 16, "bbbbbb")
TIMINGS = Timings(
    lease=timedelta(seconds=120),
    lease_margin=timedelta(seconds=12),
    call_timeout=timedelta(seconds=30),
    late_landing=timedelta(seconds=120),
    listing_lag=timedelta(seconds=60),
    clock_skew=timedelta(seconds=5),
)


def intent(outcome: Outcome | None = Outcome.CREATED, **changed: Any) -> Intent:
    """An intent with one call that ended like this; None: no end is recorded."""
    made = outcome is Outcome.CREATED
    call = Call(
        number=1,
        attempt=1,
        started_at=STARTED,
        ended_at=STARTED + timedelta(seconds=1) if outcome else None,
        outcome=outcome,
        external_id="23851" if made else None,
        error=None if made or not outcome else CallError(row="E30", message="Invalid parameter"),
    )
    sent = Intent(
        kind=Kind.AD,
        name="Spring / 1",
        container=ADSET,
        fingerprint="f" * 64,
        mark=MARK,
        calls=(call,),
        external_id=call.external_id,
        found_by=Grade.REPLY if made else None,
    )
    return replace(sent, **changed)


def item(state: ItemState, sent: Intent | None = None, *, key: str = "a1") -> Item:
    """An ad with this intent."""
    return Item(
        key=key,
        position=0,
        kind=Kind.AD,
        name="Spring / 1",
        params={"creative": {"creative_id": "3001"}},
        parent=ADSET,
        parent_ref=None,
        item_part="bbbbbb",
        state=state,
        intent=sent,
    )


def attempt(outcome: AttemptOutcome | None = AttemptOutcome.SUCCEEDED, **changed: Any) -> Attempt:
    """The first attempt, begun three minutes ago."""
    first = Attempt(
        number=1,
        lease_epoch=1,
        owner="host-17-abc",
        started_at=STARTED,
        lease_until=STARTED + timedelta(seconds=120),
        timings=TIMINGS,
        finished_at=STARTED + timedelta(seconds=2) if outcome else None,
        outcome=outcome,
    )
    return replace(first, **changed)


def view(
    state: DocumentState, *items: Item, account: Account | None = None, **changed: Any
) -> View:
    """A document in this state, read at NOW; its next action is the one the core computes."""
    document = Document(
        id="01KKBXJ7XTPJ3S7TQ4W0DYVWGA",
        key="spring",
        plan_hash="0" * 64,
        account_id="act_1001",
        container=ADSET,
        created_at=STARTED - timedelta(minutes=1),
        since=STARTED,
        state=state,
        mark_part=MARK.document_part,
        items=items or (item(ItemState.WAITING),),
    )
    document = replace(document, **changed)
    known = account or Account(id="act_1001")
    if "next" not in changed:
        document = replace(document, next=next_step(document, known, NOW))
    return View(document=document, account=known, now=NOW)


def published() -> View:
    """One ad, made at the first try."""
    return view(DocumentState.PUBLISHED, item(ItemState.CONFIRMED, intent()), attempts=(attempt(),))


def rescued() -> View:
    """One ad, found by its mark after a crash, with the row the API gave."""
    row: Mapping[str, Any] = {"id": "23851", "name": "Spring / 1", "status": "PAUSED"}
    found = intent(
        Outcome.UNKNOWN,
        external_id="23851",
        found_by=Grade.MARK,
        created_time=STARTED + timedelta(seconds=1),
        effective_status="PAUSED",
        attributes=row,
        warnings=("status is PAUSED, sent was ACTIVE",),
    )
    judged = JudgedItem(
        item="a1",
        verdict="found",
        reason=None,
        judged_at=NOW,
        evidence_id="ev_1",
        evidence_hash="e" * 64,
    )
    return view(
        DocumentState.PUBLISHED,
        item(ItemState.CONFIRMED, found),
        attempts=(attempt(AttemptOutcome.ORPHANED, error="the lease ended, no result"),),
        verdicts=(judged,),
    )


def crashed() -> View:
    """Publishing, its lease over, one call without an end."""
    lease = Lease(
        owner="host-17-abc",
        epoch=1,
        until=STARTED + timedelta(seconds=120),
        purpose=Purpose.PUBLISH,
    )
    return view(
        DocumentState.PUBLISHING,
        item(ItemState.PENDING, intent(None)),
        attempts=(attempt(None),),
        lease=lease,
        lease_epoch=1,
    )


def publishing() -> View:
    """Publishing, its lease live."""
    before = crashed()
    assert before.document.lease is not None
    lease = replace(before.document.lease, until=NOW + timedelta(seconds=60))
    return replace(before, document=replace(before.document, lease=lease))


def unsettled(due_in_seconds: float = 60) -> View:
    """Queued with an unanswered call, to be looked at then."""
    return view(
        DocumentState.QUEUED,
        item(ItemState.PENDING, intent(Outcome.UNKNOWN)),
        attempts=(attempt(AttemptOutcome.UNRESOLVED),),
        due_at=NOW + timedelta(seconds=due_in_seconds),
    )


def held(reason: Reason = Reason.AMBIGUOUS) -> View:
    """One item that a person must decide about."""
    return view(DocumentState.HELD, item(ItemState.HELD, intent(Outcome.UNKNOWN, reason=reason)))


def failed() -> View:
    """Its only item was refused by the API."""
    return view(
        DocumentState.FAILED,
        item(ItemState.REJECTED, intent(Outcome.REJECTED)),
        attempts=(attempt(),),
    )


def with_surplus(known: bool = False) -> View:
    """Published, and one more exists outside."""
    extra = Surplus(external_id="23852", kind=Kind.AD, item="a1", known=known)
    return view(DocumentState.PUBLISHED, item(ItemState.CONFIRMED, intent()), surplus=(extra,))
