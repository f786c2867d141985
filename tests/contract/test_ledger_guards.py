"""Each guard of a change by each condition of its WHERE: what matches, what does not, what it sets.

One row says one condition. Where a guard does not match, nothing is changed and nothing decided.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Final

import pytest

from reconciler.errors import UnknownDocument
from reconciler.model import (
    Account,
    BlockReason,
    Document,
    DocumentState,
    ItemState,
    Lease,
    Origin,
    Purpose,
)
from reconciler.ports import (
    Anyhow,
    Change,
    Claim,
    Fenced,
    Guard,
    LeaseFree,
    SettleLease,
    Takeover,
    View,
)
from tests.contract.ledger_documents import (
    ACCOUNT,
    MINUTE,
    attempt,
    bound,
    call,
    document,
    intent,
    item,
    leased,
    pending,
    publishing,
    put,
    queued,
    unchanged,
)
from tests.contract.ledgers import NOON, OpenLedger

INSTANT: Final = timedelta(microseconds=1)
THROTTLED: Final = BlockReason.THROTTLED
ACCESS: Final = BlockReason.ACCESS


@dataclass(frozen=True)
class Row:
    """What stands, what is asked, and whether the guard matches."""

    says: str
    given: Document
    guard: Guard
    matches: bool
    account: Account | None = None


def _with_call(state: ItemState, **called: Any) -> Document:
    made = intent(calls=(call(ended_at=NOON, **called),))
    return queued("d1", item("a1", state=state, intent=made))


CLAIM: Final = Claim(owner="me", duration=2 * MINUTE, token_print="t1")
NO_TOKEN: Final = replace(CLAIM, token_print=None)


def _claim(says: str, given: Document, matches: bool) -> Row:
    return Row(says, given, CLAIM, matches)


def _closed(says: str, account: Account, matches: bool, *, guard: Guard = CLAIM) -> Row:
    return Row(says, queued(), guard, matches, account)


CLAIMS: Final = [
    _claim("queued, due now, nothing in its way", queued(), True),
    _claim("due a microsecond from now", queued(due_at=NOON + INSTANT), False),
    _claim("never due", queued(due_at=None), False),
    *(
        _claim(f"state {state}", queued(state=state), False)
        for state in DocumentState
        if state is not DocumentState.QUEUED
    ),
    _claim("imported", queued(origin=Origin.IMPORTED), False),
    _claim("a cancel is requested", queued(cancel_requested=True), False),
    _claim("its lease ends now", queued(**leased(Purpose.SETTLE, NOON)), True),
    _claim("its lease is live", queued(**leased(Purpose.SETTLE, NOON + INSTANT)), False),
    _claim("an item is pending", queued("d1", item("a0"), pending("a1")), False),
    _claim("absent, and an id came late", _with_call(ItemState.ABSENT, external_id="5"), False),
    _claim("held, and an id came late", _with_call(ItemState.HELD, external_id="5"), False),
    _claim("absent, no id known", _with_call(ItemState.ABSENT), True),
    _claim("held, no id known", _with_call(ItemState.HELD), True),
    _claim("confirmed with its id", _with_call(ItemState.CONFIRMED, external_id="5"), True),
    _closed(
        "throttled until later", Account(id=ACCOUNT, reason=THROTTLED, until=NOON + INSTANT), False
    ),
    _closed("throttled until now", Account(id=ACCOUNT, reason=THROTTLED, until=NOON), True),
    _closed("throttled without an end", Account(id=ACCOUNT, reason=THROTTLED), True),
    _closed(
        "access lost by this token", Account(id=ACCOUNT, reason=ACCESS, token_print="t1"), False
    ),
    _closed(
        "access lost by another token", Account(id=ACCOUNT, reason=ACCESS, token_print="t0"), True
    ),
    _closed("access lost without a token", Account(id=ACCOUNT, reason=ACCESS), True),
    _closed(
        "access lost, still no token", Account(id=ACCOUNT, reason=ACCESS), False, guard=NO_TOKEN
    ),
    _closed("opened again", Account(id=ACCOUNT, token_print="t1", failures=3), True),
    _closed(
        "another account is closed", Account(id="act_2", reason=ACCESS, token_print="t1"), True
    ),
]

AT_REST: Final = replace(CLAIM, at_rest=True)
BY_A_PROGRAM: Final = {
    DocumentState.QUEUED,
    DocumentState.DRAFT,
    DocumentState.PARTLY_PUBLISHED,
    DocumentState.FAILED,
}
CLAIMS_AT_REST: Final = [
    *(
        Row(f"by a program, state {state}", queued(state=state), AT_REST, state in BY_A_PROGRAM)
        for state in DocumentState
    ),
    Row("a draft, never due", document(), AT_REST, True),
    Row("queued, due later", queued(due_at=NOON + INSTANT), AT_REST, False),
    Row("a draft, imported", document(origin=Origin.IMPORTED), AT_REST, False),
    Row("a draft, a cancel is requested", document(cancel_requested=True), AT_REST, False),
    Row("a draft, its lease is live", document(**leased(Purpose.SETTLE)), AT_REST, False),
    Row("a draft, an item is pending", document("d1", pending("a1")), AT_REST, False),
    _closed(
        "by a program, throttled",
        Account(id=ACCOUNT, reason=THROTTLED, until=NOON + INSTANT),
        False,
        guard=AT_REST,
    ),
]

SETTLE: Final = SettleLease(owner="me", duration=MINUTE)
SETTLES: Final = [
    *(
        Row(f"state {state}", document(state=state), SETTLE, True)
        for state in DocumentState
        if state is not DocumentState.PUBLISHING
    ),
    Row("publishing, its lease live", publishing(), SETTLE, False),
    Row("publishing, its lease ended", publishing(**leased(until=NOON)), SETTLE, False),
    Row("leased until now", document(**leased(Purpose.SETTLE, NOON)), SETTLE, True),
    Row("leased for longer", document(**leased(Purpose.SETTLE, NOON + INSTANT)), SETTLE, False),
]

TAKEOVERS: Final = [
    Row("its lease ends now", publishing(**leased(until=NOON)), Takeover(epoch=1), True),
    Row("its lease is live", publishing(**leased(until=NOON + INSTANT)), Takeover(epoch=1), False),
    Row(
        "another took it since", publishing(**leased(until=NOON, epoch=2)), Takeover(epoch=1), False
    ),
    Row("publishing without a lease", publishing(lease=None), Takeover(epoch=1), False),
    *(
        Row(f"state {state}", document(state=state, **leased(until=NOON)), Takeover(epoch=1), False)
        for state in DocumentState
        if state is not DocumentState.PUBLISHING
    ),
]

MINE: Final = Fenced(owner="worker", epoch=1)
FENCES: Final = [
    Row("mine, live", publishing(), MINE, True),
    Row("mine, ended, nobody took it", publishing(**leased(until=NOON - MINUTE)), MINE, True),
    Row("another owner", publishing(**leased(owner="other")), MINE, False),
    Row("a later epoch of mine", publishing(**leased(epoch=2)), MINE, False),
    Row("given back", publishing(lease=None), MINE, False),
    Row("mine, for settling", document(**leased(Purpose.SETTLE)), MINE, True),
    Row("more left than asked", publishing(), replace(MINE, left=2 * MINUTE - INSTANT), True),
    Row("just as much left", publishing(), replace(MINE, left=2 * MINUTE), False),
    Row("nothing left", publishing(**leased(until=NOON)), replace(MINE, left=timedelta(0)), False),
]

FREE: Final = [
    Row("no lease", document(), LeaseFree(), True),
    Row("a lease that ends now", document(**leased(Purpose.SETTLE, NOON)), LeaseFree(), True),
    Row("a live settle lease", document(**leased(Purpose.SETTLE)), LeaseFree(), False),
    Row("a live publish lease", publishing(), LeaseFree(), False),
    Row("anyhow, leased", publishing(), Anyhow(), True),
    Row("anyhow, cancelled", document(state=DocumentState.CANCELLED), Anyhow(), True),
]


@pytest.mark.parametrize(
    "row",
    [*CLAIMS, *CLAIMS_AT_REST, *SETTLES, *TAKEOVERS, *FENCES, *FREE],
    ids=lambda row: f"{type(row.guard).__name__}: {row.says}",
)
async def test_a_guard_matches_on_its_conditions_alone(ledger: OpenLedger, row: Row) -> None:
    await put(ledger, row.given)
    if row.account is not None:
        assert await ledger.set_account(row.account, Account(id=row.account.id))
    before = await ledger.read("d1")
    decided: list[View] = []

    def decide(view: View) -> Change:
        decided.append(view)
        return unchanged(view)

    view = await ledger.change("d1", row.guard, decide)

    assert (view is not None, len(decided)) == (row.matches, int(row.matches))
    if view is None:
        assert await ledger.read("d1") == before
    else:
        assert await ledger.read("d1") == replace(view, surroundings=before.surroundings)


async def test_a_claim_gives_the_epoch_to_present_and_begins_publishing(
    ledger: OpenLedger,
) -> None:
    """R066: the fence value is returned by the claim itself."""
    await put(ledger, queued(lease_epoch=6))

    view = await ledger.change("d1", CLAIM, unchanged)

    assert view is not None
    wanted = Lease(owner="me", epoch=7, until=NOON + 2 * MINUTE, purpose=Purpose.PUBLISH)
    assert (view.document.lease, view.document.lease_epoch) == (wanted, 7)
    assert view.document.state is DocumentState.PUBLISHING
    assert view.document.since == view.document.began_at == NOON
    fenced = await ledger.change("d1", Fenced(owner="me", epoch=7), unchanged)
    assert fenced is not None


async def test_a_second_claim_keeps_when_publishing_first_began(ledger: OpenLedger) -> None:
    earlier = NOON - MINUTE
    await put(ledger, queued(began_at=earlier, since=earlier))

    view = await ledger.change("d1", CLAIM, unchanged)

    assert view is not None
    assert (view.document.began_at, view.document.since) == (earlier, NOON)


async def test_a_settle_lease_counts_a_recovery_and_moves_no_state(ledger: OpenLedger) -> None:
    given = document(state=DocumentState.HELD, recoveries=2, since=NOON - MINUTE)
    await put(ledger, replace(given, **leased(Purpose.SETTLE, NOON, epoch=4)))

    view = await ledger.change("d1", SETTLE, unchanged)

    assert view is not None
    wanted = Lease(owner="me", epoch=5, until=NOON + MINUTE, purpose=Purpose.SETTLE)
    assert (view.document.lease, view.document.recoveries) == (wanted, 3)
    assert (view.document.state, view.document.since) == (given.state, given.since)


async def test_a_takeover_fences_out_the_worker_that_slept(ledger: OpenLedger) -> None:
    """R065: whatever the old worker writes after it wakes changes no row."""
    await put(ledger, publishing(**leased(until=NOON)))

    view = await ledger.change("d1", Takeover(epoch=1), unchanged)

    assert view is not None
    assert (view.document.lease, view.document.lease_epoch) == (None, 2)
    assert view.document.attempts == (attempt(),)
    assert await ledger.change("d1", MINE, unchanged) is None
    assert await ledger.renew("d1", "worker", 1, MINUTE) is None
    assert (await ledger.read("d1")).document == view.document


async def test_an_end_that_came_first_is_not_written_over(ledger: OpenLedger) -> None:
    """R058: the sweep saw it expired; the worker ended it before the sweep's update."""
    await put(ledger, publishing("d1", bound("a1", "5"), **leased(until=NOON)))
    finished = replace(
        (await ledger.read("d1")).document, state=DocumentState.PUBLISHED, lease=None
    )
    assert await ledger.change("d1", MINE, lambda _: Change(document=finished))
    ended = await ledger.read("d1")

    assert await ledger.change("d1", Takeover(epoch=1), unchanged) is None

    assert await ledger.read("d1") == ended


async def test_of_two_that_saw_it_stranded_only_one_takes_it(ledger: OpenLedger) -> None:
    """R067: the second works from an old list; its update matches nothing and says so."""
    await put(ledger, publishing(**leased(until=NOON)))
    seen = Takeover(epoch=(await ledger.read("d1")).document.lease_epoch)

    assert await ledger.change("d1", seen, unchanged) is not None
    assert await ledger.change("d1", seen, unchanged) is None


@pytest.mark.parametrize("guard", [CLAIM, SETTLE, Takeover(epoch=0), MINE, LeaseFree(), Anyhow()])
async def test_an_unknown_document_is_told_from_a_guard_that_does_not_match(
    ledger: OpenLedger, guard: Guard
) -> None:
    with pytest.raises(UnknownDocument):
        await ledger.change("nobody", guard, unchanged)


async def test_a_pending_item_of_another_document_is_in_nobodys_way(ledger: OpenLedger) -> None:
    await put(ledger, queued("d1"), queued("d2", pending("a1")))

    assert await ledger.change("d1", CLAIM, unchanged) is not None
    assert await ledger.change("d2", CLAIM, unchanged) is None


async def test_leases_end_by_the_number_not_by_the_letter(ledger: OpenLedger) -> None:
    """R057: ends with a fraction and without, on one day."""
    now = NOON.replace(microsecond=500_000)
    ends = {"d1": now.replace(hour=11, microsecond=0), "d2": now.replace(microsecond=0)}
    ends["d3"] = now.replace(hour=13, microsecond=0)
    await put(ledger, *(publishing(each, **leased(until=until)) for each, until in ends.items()))

    taken = [each for each in ends if await ledger.change(each, Takeover(epoch=1), unchanged)]

    assert taken == ["d1", "d2"]
