"""A claim that is no proof gives way to one that is, and nothing else does."""

from __future__ import annotations

import pytest

from fixtures.samples import LIMITS, at, document, ended, intent, item, lease
from reconciler.contesting import contested
from reconciler.model import (
    Account,
    Document,
    DocumentState,
    Grade,
    Item,
    ItemState,
    Outcome,
    Purpose,
    Reason,
)
from reconciler.ports import Binding, View

D = DocumentState


def claimed(grade: Grade) -> Item:
    sent = ended(Outcome.UNKNOWN)
    made = intent(sent, mark=None, external_id="901", found_by=grade, attributes={"id": "901"})
    return item("a", ItemState.CONFIRMED, intent=made)


def after(before: Document, key: str = "a", external_id: str = "901") -> Document:
    binding = Binding(
        external_id=external_id, document_id=before.id, item=key, grade=Grade.NAME_AND_TIME
    )
    view = View(document=before, account=Account(id=before.account_id), now=at(500))
    return contested(before, binding, view, LIMITS)


@pytest.mark.parametrize("grade", [grade for grade in Grade if not grade.is_proof])
@pytest.mark.parametrize("state", [D.PUBLISHED, D.PARTLY_PUBLISHED, D.QUEUED])
def test_it_becomes_held_and_its_document_with_it(grade: Grade, state: DocumentState) -> None:
    left = after(document([claimed(grade)], state, due_at=at(1)))

    (lost,) = left.items
    assert (left.state, left.since, left.due_at) == (D.HELD, at(500), None)
    assert lost.intent is not None
    assert (lost.state, lost.intent.reason) == (ItemState.HELD, Reason.CONTESTED)
    assert (lost.intent.external_id, lost.intent.found_by, lost.intent.attributes) == (None,) * 3
    assert lost.intent.facts == 2, "a decision on what stood before is stale"


@pytest.mark.parametrize("grade", [grade for grade in Grade if grade.is_proof])
def test_what_was_proven_since_gives_way_to_nobody(grade: Grade) -> None:
    stands = document([claimed(grade)], D.PUBLISHED)

    assert after(stands) is stands


def test_what_let_go_already_is_left_alone() -> None:
    stands = document([claimed(Grade.NAME_AND_TIME)], D.PUBLISHED)

    assert after(stands, external_id="902") is stands
    assert after(stands, key="b") is stands


@pytest.mark.parametrize(
    ("state", "purpose"), [(D.HELD, Purpose.SETTLE), (D.QUEUED, Purpose.SETTLE)]
)
def test_whoever_holds_the_lease_ends_it(state: DocumentState, purpose: Purpose) -> None:
    live = lease(until=600, purpose=purpose)

    left = after(document([claimed(Grade.NAME_AND_TIME)], state, lease=live, lease_epoch=1))

    assert (left.state, left.lease) == (state, live)
    assert left.items[0].state is ItemState.HELD


def test_a_cancelled_document_stays_cancelled() -> None:
    left = after(document([claimed(Grade.NAME_AND_TIME)], D.CANCELLED))

    assert (left.state, left.items[0].state) == (D.CANCELLED, ItemState.HELD)


def test_what_is_still_pending_keeps_it_queued() -> None:
    open_ = item("b", ItemState.PENDING)

    left = after(document([claimed(Grade.NAME_AND_TIME), open_], D.QUEUED, due_at=at(1)))

    assert (left.state, left.due_at) == (D.QUEUED, at(1))
