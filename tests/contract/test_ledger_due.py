"""What is due: each kind of work by each of its conditions, paged, and never behind what waits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

import pytest

from reconciler.due import Due, DueDocument
from reconciler.model import (
    Account,
    BlockReason,
    Document,
    DocumentState,
    ItemState,
    Origin,
    Purpose,
)
from reconciler.ports import Claim
from tests.contract.ledger_documents import (
    ACCOUNT,
    MINUTE,
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
from tests.contract.ledgers import NOON, OpenLedger, StandingClock

INSTANT: Final = timedelta(microseconds=1)
DAY: Final = timedelta(days=1)
LATE_ID: Final = intent(calls=(call(ended_at=NOON, external_id="5"),))
THROTTLED: Final = Account(id=ACCOUNT, reason=BlockReason.THROTTLED, until=NOON + MINUTE)
REFUSED: Final = replace(THROTTLED, reason=BlockReason.ACCESS, token_print="t1")


@dataclass(frozen=True)
class Row:
    """What stands, and as which kinds of work it is told."""

    says: str
    given: Document
    kinds: tuple[Due, ...] = ()
    account: Account | None = None


def _owing(state: DocumentState, **changed: object) -> Document:
    owed = {"state": state, "owes_look_from": NOON, "due_at": NOON}
    return document("d1", **owed | changed)


LATER: Final = NOON + INSTANT
UNSETTLED: Final = queued("d1", item("a0"), pending("a1"))
ROWS: Final = [
    Row("queued, due now, nothing in its way", queued(), (Due.CLAIM,)),
    Row("due a microsecond from now", queued(due_at=LATER)),
    Row("a live lease", queued(**leased(Purpose.SETTLE, LATER))),
    Row("a lease that ends now", queued(**leased(Purpose.SETTLE, NOON)), (Due.CLAIM,)),
    Row("imported and queued", queued(origin=Origin.IMPORTED)),
    Row("throttled", queued(), account=THROTTLED),
    Row("throttled until now", queued(), (Due.CLAIM,), replace(THROTTLED, until=NOON)),
    Row("without access until later", queued(), account=REFUSED),
    Row("to be probed now", queued(), (Due.CLAIM,), replace(REFUSED, until=NOON)),
    Row("another account is throttled", queued(), (Due.CLAIM,), replace(THROTTLED, id="act_2")),
    Row("never due", queued(due_at=None), (Due.STRANDED,)),
    Row("never due, in somebody's hands", queued(due_at=None, **leased(Purpose.SETTLE, LATER))),
    Row("never due and imported", queued(due_at=None, origin=Origin.IMPORTED)),
    Row("unsettled and due", UNSETTLED, (Due.LOOK,)),
    Row("unsettled, due later", replace(UNSETTLED, due_at=LATER)),
    Row("unsettled, in a settler's hands", replace(UNSETTLED, **leased(Purpose.SETTLE, LATER))),
    Row(
        "unsettled, its settler died",
        replace(UNSETTLED, **leased(Purpose.SETTLE, NOON)),
        (Due.LOOK,),
    ),
    Row("unsettled and imported", replace(UNSETTLED, origin=Origin.IMPORTED)),
    Row("unsettled and throttled", UNSETTLED, account=THROTTLED),
    Row("unsettled, without access", UNSETTLED, account=REFUSED),
    Row(
        "unsettled, without access for a day",
        replace(UNSETTLED, due_at=NOON - DAY),
        (Due.LOOK,),
        REFUSED,
    ),
    Row(
        "an id came late for what was given up",
        queued("d1", item("a1", state=ItemState.ABSENT, intent=LATE_ID)),
        (Due.LOOK,),
    ),
    Row("unsettled, to be cancelled", replace(UNSETTLED, cancel_requested=True), (Due.LOOK,)),
    Row("publishing, its lease live", publishing(**leased(until=LATER))),
    Row("publishing, its lease ends now", publishing(**leased(until=NOON)), (Due.TAKEOVER,)),
    Row("crashed and throttled", publishing(**leased(until=NOON)), (Due.TAKEOVER,), THROTTLED),
    Row("publishing without a lease", publishing(lease=None)),
    Row("crashed and imported", publishing(**leased(until=NOON), origin=Origin.IMPORTED)),
    Row(
        "crashed, to be cancelled",
        publishing(**leased(until=NOON), cancel_requested=True),
        (Due.TAKEOVER,),
    ),
    *(
        Row(f"owes a look, {state}", _owing(state), (Due.OWED_LOOK,))
        for state in DocumentState
        if state not in (DocumentState.QUEUED, DocumentState.PUBLISHING)
    ),
    Row("owes a look, queued", _owing(DocumentState.QUEUED), (Due.CLAIM, Due.OWED_LOOK)),
    Row("owes a look later", _owing(DocumentState.FAILED, owes_look_from=LATER)),
    Row("owes a look, put off", _owing(DocumentState.FAILED, due_at=LATER)),
    Row("owes a look, throttled", _owing(DocumentState.FAILED), account=THROTTLED),
    Row("owes a look, imported", _owing(DocumentState.FAILED, origin=Origin.IMPORTED)),
    Row("owes a look, leased", _owing(DocumentState.FAILED, **leased(Purpose.SETTLE, LATER))),
    *(
        Row(
            f"to be cancelled, {state}", document(state=state, cancel_requested=True), (Due.CANCEL,)
        )
        for state in DocumentState
        if state not in (DocumentState.CANCELLED, DocumentState.PUBLISHED, DocumentState.PUBLISHING)
        and state is not DocumentState.QUEUED
    ),
    Row("to be cancelled, queued", queued(cancel_requested=True), (Due.CANCEL,)),
    Row("to be cancelled, leased", queued(cancel_requested=True, **leased(Purpose.SETTLE, LATER))),
    Row("cancelled", document(state=DocumentState.CANCELLED, cancel_requested=True)),
    Row("cancelled too late", document(state=DocumentState.PUBLISHED, cancel_requested=True)),
    Row("a draft", document()),
    Row("held", document("d1", pending("a1"), state=DocumentState.HELD)),
    Row("published", document(state=DocumentState.PUBLISHED)),
]


async def _kinds(ledger: OpenLedger) -> tuple[Due, ...]:
    return tuple([kind for kind in Due if await ledger.due(kind, limit=9, passing_max=DAY)])


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.says)
async def test_a_document_is_due_on_its_conditions_alone(ledger: OpenLedger, row: Row) -> None:
    await put(ledger, row.given)
    if row.account is not None:
        assert await ledger.set_account(row.account, Account(id=row.account.id))

    assert await _kinds(ledger) == row.kinds


async def test_the_longest_due_come_first_and_pages_lose_none(ledger: OpenLedger) -> None:
    """Three at one moment: the id decides, so that a page may end between them."""
    moments = [3, 1, 2, 2, 2, 0]
    every = [queued(f"d{n}", due_at=NOON - at * MINUTE) for n, at in enumerate(moments)]
    await put(ledger, *every)

    pages: list[list[str]] = []
    after = None
    while page := await ledger.due(Due.CLAIM, limit=2, passing_max=DAY, after=after):
        pages.append([row.document_id for row in page])
        after = page[-1]

    assert pages == [["d0", "d2"], ["d3", "d4"], ["d1", "d5"]]


@pytest.mark.parametrize("kind", Due)
async def test_every_kind_is_paged(ledger: OpenLedger, kind: Due) -> None:
    given = next(row.given for row in ROWS if row.kinds == (kind,))
    await put(ledger, *(replace(given, id=f"d{n}", key=f"d{n}") for n in range(3)))

    first = await ledger.due(kind, limit=2, passing_max=DAY)
    second = await ledger.due(kind, limit=2, passing_max=DAY, after=first[-1])

    assert [row.document_id for row in (*first, *second)] == ["d0", "d1", "d2"]
    assert {row.account_id for row in first} == {ACCOUNT}


async def test_what_cannot_be_served_now_takes_no_place_from_the_rest(ledger: OpenLedger) -> None:
    """A hundred of a throttled account, all due longer than the one that can be claimed."""
    blocked = [queued(f"b{n}", account_id="act_7", due_at=NOON - MINUTE) for n in range(100)]
    await put(ledger, *blocked, queued("d1"))
    closed = replace(THROTTLED, id="act_7")
    assert await ledger.set_account(closed, Account(id="act_7"))

    told = await ledger.due(Due.CLAIM, limit=10, passing_max=DAY)

    assert [row.document_id for row in told] == ["d1"]


async def test_accounts_without_access_are_told_until_they_are_to_be_asked_again(
    ledger: OpenLedger, clock: StandingClock
) -> None:
    assert await ledger.set_account(REFUSED, Account(id=ACCOUNT))
    assert await ledger.set_account(replace(THROTTLED, id="act_2"), Account(id="act_2"))

    assert await ledger.closed_accounts() == (REFUSED,)
    clock.pass_by(MINUTE)
    assert await ledger.closed_accounts() == ()


async def test_how_many_settlers_never_came_back_is_told(ledger: OpenLedger) -> None:
    """Whoever looks next may want to be alone with it."""
    await put(ledger, replace(UNSETTLED, recoveries=2))

    [told] = await ledger.due(Due.LOOK, limit=1, passing_max=DAY)

    assert told.recoveries == 2


async def test_never_more_is_told_or_claimed_than_was_asked_for(ledger: OpenLedger) -> None:
    """R075: a claim names its one document, so that no plan of the database can make it more."""
    await put(ledger, *(queued(f"d{number:02}") for number in range(40)))
    claim = Claim(owner="me", duration=MINUTE, token_print=None)

    [told] = await ledger.due(Due.CLAIM, limit=1, passing_max=DAY)
    assert await ledger.change(told.document_id, claim, unchanged)

    counts, _ = await ledger.summaries()
    assert counts == {DocumentState.QUEUED: 39, DocumentState.PUBLISHING: 1}
    left = await ledger.due(Due.CLAIM, limit=100, passing_max=DAY)
    assert told not in left
    assert len(left) == 39


# --- accounts in turn ---------------------------------------------------------------------------


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.says)
async def test_an_account_has_its_turn_where_something_of_it_can_be_claimed(
    ledger: OpenLedger, row: Row
) -> None:
    await put(ledger, row.given)
    if row.account is not None:
        assert await ledger.set_account(row.account, Account(id=row.account.id))

    mine = DueDocument(document_id=row.given.id, account_id=ACCOUNT, at=None)
    assert await ledger.turns(limit=9) == ((mine,) if Due.CLAIM in row.kinds else ())


async def test_accounts_are_told_once_each_with_what_is_due_the_longest_page_by_page(
    ledger: OpenLedger,
) -> None:
    accounts = ["act_1", "act_2", "act_2", "act_3", "act_4", "act_5"]
    every = [
        queued(f"d{n}", account_id=account, due_at=NOON - n * MINUTE)
        for n, account in enumerate(accounts)
    ]
    await put(ledger, *every, queued("later", account_id="act_6", due_at=LATER))

    pages: list[list[str]] = []
    after = ""
    while page := await ledger.turns(limit=2, after=after):
        pages.append([row.document_id for row in page])
        after = page[-1].account_id

    assert pages == [["d0", "d2"], ["d3", "d4"], ["d5"]]


async def test_the_claims_of_one_account_are_paged_like_all(ledger: OpenLedger) -> None:
    mine = [queued(f"d{n}", due_at=NOON - n * MINUTE) for n in range(5)]
    await put(ledger, *mine, *(queued(f"e{n}", account_id="act_7") for n in range(5)))

    told: list[str] = []
    after = None
    while page := await ledger.due(
        Due.CLAIM, limit=2, passing_max=DAY, after=after, account_id=ACCOUNT
    ):
        told += [row.document_id for row in page]
        after = page[-1]

    assert told == ["d4", "d3", "d2", "d1", "d0"]
