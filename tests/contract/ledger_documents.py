"""Documents for the ledger's tests: small ones, and parts to fill them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from reconciler.mark import Mark
from reconciler.model import (
    Attempt,
    Call,
    Container,
    ContainerKind,
    Document,
    DocumentState,
    Grade,
    Intent,
    Item,
    ItemState,
    Kind,
    Lease,
    Purpose,
    Surplus,
    Timings,
)
from reconciler.ports import Change, Decide, View
from tests.contract.ledgers import NOON, OpenLedger

ACCOUNT: Final = "act_1001"
ADSET: Final = Container(kind=ContainerKind.ADSET, id="2001")
MINUTE: Final = timedelta(minutes=1)
TIMINGS: Final = Timings(
    lease=2 * MINUTE,
    lease_margin=timedelta(seconds=12),
    call_timeout=timedelta(seconds=30),
    late_landing=2 * MINUTE,
    listing_lag=MINUTE,
    clock_skew=timedelta(seconds=5, microseconds=1),
)


def item(key: str, **changed: Any) -> Item:
    """An ad that waits to be made."""
    position = changed.pop("position", int("".join(c for c in key if c.isdigit()) or 0))
    plain = Item(
        key=key,
        position=position,
        kind=Kind.AD,
        name=f"Spring / {key}",
        params={"status": "PAUSED", "creative": {"creative_id": "3001"}},
        parent=ADSET,
        parent_ref=None,
        item_part="abcdef",
    )
    return replace(plain, **changed)


def intent(name: str = "Spring / a1", **changed: Any) -> Intent:
    """An intent of such an ad, without calls."""
    plain = Intent(
        kind=Kind.AD,
        name=name,
        container=ADSET,
        fingerprint="f" * 64,
        mark=Mark("rc1-" + "a" * 16, "abcdef"),
    )
    return replace(plain, **changed)


def call(number: int = 1, **changed: Any) -> Call:
    """A call that was written and not answered."""
    return replace(Call(number=number, attempt=1, started_at=NOON), **changed)


def pending(key: str, **changed: Any) -> Item:
    """An item that was sent, or perhaps sent."""
    sent = intent(name=f"Spring / {key}", calls=(call(),))
    return item(key, state=ItemState.PENDING, intent=sent, **changed)


def bound(key: str, external_id: str, grade: Grade = Grade.REPLY, **changed: Any) -> Item:
    """An item bound to an external id."""
    intent_changed = {"name": f"Spring / {key}", **changed}
    made = intent(external_id=external_id, found_by=grade, **intent_changed)
    return item(key, state=ItemState.CONFIRMED, kind=made.kind, intent=made)


def attempt(number: int = 1, **changed: Any) -> Attempt:
    """An attempt that runs, with the lease of epoch 1."""
    plain = Attempt(
        number=number,
        lease_epoch=1,
        owner="worker",
        started_at=NOON,
        lease_until=NOON + 2 * MINUTE,
        timings=TIMINGS,
    )
    return replace(plain, **changed)


def document(key: str = "d1", *items: Item, **changed: Any) -> Document:
    """A draft of one waiting item, unless told otherwise. `key` is its id as well."""
    plain = Document(
        id=key,
        key=key,
        plan_hash="p" * 64,
        account_id=ACCOUNT,
        container=ADSET,
        created_at=NOON,
        since=NOON,
        mark_part="rc1-" + "a" * 16,
        items=items or (item("a1"),),
    )
    return replace(plain, **changed)


def queued(key: str = "d1", *items: Item, **changed: Any) -> Document:
    """A document that a worker may claim at noon."""
    return document(key, *items, **{"state": DocumentState.QUEUED, "due_at": NOON} | changed)


def leased(
    purpose: Purpose = Purpose.PUBLISH,
    until: datetime = NOON + 2 * MINUTE,
    owner: str = "worker",
    epoch: int = 1,
) -> dict[str, Any]:
    """The fields of a document that is leased."""
    lease = Lease(owner=owner, epoch=epoch, until=until, purpose=purpose)
    return {"lease": lease, "lease_epoch": epoch}


def publishing(key: str = "d1", *items: Item, **changed: Any) -> Document:
    """A document that a worker publishes, until two minutes past noon."""
    state = {"state": DocumentState.PUBLISHING, "began_at": NOON, "attempts": (attempt(),)}
    return document(key, *items, **state | leased() | changed)


def accepting(given: Document) -> Callable[[Document | None, datetime], Change]:
    """What `submit` asks: this document, whatever stands."""
    return lambda _, __: Change(document=given)


def extra(external_id: str) -> Surplus:
    """An ad beyond what the document wants."""
    return Surplus(external_id=external_id, kind=Kind.AD)


async def put(ledger: OpenLedger, *documents: Document) -> None:
    """Store these documents as they are."""
    for each in documents:
        stored, is_new = await ledger.submit(each.key, accepting(each))
        assert is_new
        assert stored == replace(each, next=stored.next)


def unchanged(view: View) -> Change:
    """A decision for nothing."""
    return Change(document=view.document)


def setting(**changed: Any) -> Decide:
    """A decision that sets fields of the document."""
    return lambda view: Change(document=replace(view.document, **changed))


def with_items(*items: Item) -> Decide:
    """A decision that puts these items in the place of those with their keys."""
    by_key = {each.key: each for each in items}

    def decide(view: View) -> Change:
        kept = tuple(by_key.get(each.key, each) for each in view.document.items)
        return Change(document=replace(view.document, items=kept))

    return decide
