"""Renewals: only while the lease is ours and ahead of now, and never for an attempt not running."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Final

import pytest

from reconciler.errors import UnknownDocument
from reconciler.model import AttemptOutcome, Document, DocumentState, NextAction, Purpose
from tests.contract.ledger_documents import (
    MINUTE,
    attempt,
    document,
    leased,
    pending,
    publishing,
    put,
)
from tests.contract.ledgers import NOON, OpenLedger, StandingClock

INSTANT: Final = timedelta(microseconds=1)


async def test_a_renewal_moves_the_lease_and_its_attempt(
    ledger: OpenLedger, clock: StandingClock
) -> None:
    first = attempt(1, lease_epoch=1)  # of an earlier lease, its end never written
    second = attempt(2, lease_epoch=3)
    await put(ledger, publishing("d1", attempts=(first, second), **leased(epoch=3)))
    now = clock.pass_by(MINUTE)

    until = await ledger.renew("d1", "worker", 3, 2 * MINUTE)

    stored = (await ledger.read("d1")).document
    assert until == now + 2 * MINUTE
    assert stored.lease is not None
    assert (stored.lease.until, stored.lease_epoch) == (until, 3)
    assert stored.attempts == (first, replace(second, lease_until=until))
    assert (stored.next.action, stored.next.until) == (NextAction.WAIT, until)


async def test_an_attempt_that_ended_keeps_the_last_lease_it_was_granted(
    ledger: OpenLedger,
) -> None:
    ended = attempt(finished_at=NOON, outcome=AttemptOutcome.UNRESOLVED)
    await put(ledger, publishing(attempts=(ended,)))

    assert await ledger.renew("d1", "worker", 1, 5 * MINUTE) == NOON + 5 * MINUTE

    assert (await ledger.read("d1")).document.attempts == (ended,)


async def test_a_settle_lease_never_touches_an_attempt(ledger: OpenLedger) -> None:
    running = attempt()
    given = document(
        "d1",
        pending("a1"),
        state=DocumentState.QUEUED,
        attempts=(running,),
        **leased(Purpose.SETTLE),
    )
    await put(ledger, given)

    assert await ledger.renew("d1", "worker", 1, 5 * MINUTE) == NOON + 5 * MINUTE

    stored = (await ledger.read("d1")).document
    assert stored.attempts == (running,)
    assert stored.items == given.items


@pytest.mark.parametrize(
    ("given", "owner", "epoch", "why"),
    [
        (publishing(**leased(until=NOON)), "worker", 1, "it ended just now"),
        (publishing(**leased(until=NOON - MINUTE)), "worker", 1, "it ended long ago"),
        (publishing(), "other", 1, "it is another's"),
        (publishing(**leased(epoch=2)), "worker", 1, "it was taken again since"),
        (publishing(lease=None), "worker", 1, "it was given back"),
    ],
    ids=lambda value: value if isinstance(value, str) and " " in value else "",
)
async def test_a_lease_that_is_not_ours_or_has_ended_is_not_renewed(
    ledger: OpenLedger, given: Document, owner: str, epoch: int, why: str
) -> None:
    """R065: a worker that slept past its end gets nothing back, though nobody took it."""
    await put(ledger, given)
    before = await ledger.read("d1")

    assert await ledger.renew("d1", owner, epoch, MINUTE) is None, why

    assert await ledger.read("d1") == before


async def test_a_lease_is_renewed_up_to_its_last_instant(ledger: OpenLedger) -> None:
    await put(ledger, publishing(**leased(until=NOON + INSTANT)))

    assert await ledger.renew("d1", "worker", 1, MINUTE) == NOON + MINUTE


async def test_renewing_an_unknown_document_says_so(ledger: OpenLedger) -> None:
    with pytest.raises(UnknownDocument):
        await ledger.renew("nobody", "worker", 1, MINUTE)
