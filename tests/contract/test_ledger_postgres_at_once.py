"""Transactions that run at the same time on PostgreSQL decide as if one came after the other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any, Final

import psycopg
import pytest
import pytest_asyncio

from adapters.store.postgres import PostgresLedger
from reconciler.errors import BindingTaken, LedgerUnavailable
from reconciler.model import BlockReason, Document, Grade, ItemState, Kind
from reconciler.ports import Anyhow, Around, Change, Claim, View
from tests.contract.ledger_documents import (
    ACCOUNT,
    MINUTE,
    accepting,
    bound,
    call,
    document,
    intent,
    item,
    pending,
    put,
    queued,
    setting,
    unchanged,
    with_items,
)
from tests.contract.ledgers import NOON, StandingClock
from tests.contract.postgres_hand import Hand, Standing
from tests.postgres import Postgres

ROUNDS: Final = 100
NAME: Final = "Spring / 1"
ASKED: Final = Around(names=frozenset({(Kind.AD, "2001", NAME)}))
BIND: Final = "UPDATE intent SET external_id = '{}', found_by = 'reply' WHERE document_id = 'd1'"
CLAIM: Final = Claim(owner="me", duration=MINUTE, token_print=None)


@pytest.fixture
def hand(postgres: Postgres) -> Hand:
    """A new ledger, by hand."""
    return Hand(postgres.migrated())


@pytest_asyncio.fixture
async def ledger(hand: Hand, clock: StandingClock) -> AsyncIterator[PostgresLedger]:
    """Ours."""
    opened = hand.ledger(clock)
    yield opened
    await opened.aclose()


# --- one document ----------------------------------------------------------------------------


async def test_of_two_workers_one_claims_each_document(ledger: PostgresLedger, hand: Hand) -> None:
    """R087."""
    other = hand.ledger(StandingClock())
    await put(ledger, *(queued(f"d{number}") for number in range(ROUNDS)))

    for number in range(ROUNDS):
        won = await asyncio.gather(
            *(
                each.change(f"d{number}", replace(CLAIM, owner=owner), unchanged)
                for each, owner in ((ledger, "me"), (other, "you"))
            )
        )
        assert [view is None for view in won].count(True) == 1

    await other.aclose()


async def test_a_claim_that_waited_sees_what_it_waited_for(
    ledger: PostgresLedger, hand: Hand
) -> None:
    """An id came late for what was given up: the document is unsettled, and nothing is created.

    The `UPDATE` alone would look at the document again, but at its calls as they were before.
    """
    absent = item("a1", state=ItemState.ABSENT, intent=intent(calls=(call(ended_at=NOON),)))
    came = intent(calls=(call(ended_at=NOON, external_id="5"),), facts=1)
    await put(ledger, queued("d1", absent))
    fact = with_items(replace(absent, intent=came))

    async with Standing().changing(hand, "d1", Anyhow(), fact):
        claiming = asyncio.create_task(ledger.change("d1", CLAIM, unchanged))
        await hand.until_somebody_waits()

    assert await claiming is None


async def test_the_time_is_read_after_what_had_to_be_waited_for(
    postgres: Postgres, hand: Hand
) -> None:
    """A lease that ended while somebody waited is not still live to him."""
    ledger = hand.ledger()
    await put(ledger, document("d1"))

    async with Standing().changing(hand, "d1", Anyhow(), unchanged):
        changing = asyncio.create_task(ledger.change("d1", Anyhow(), unchanged))
        await hand.until_somebody_waits()
        [(waited_until,)] = hand.ask("SELECT clock_timestamp()")

    view = await changing
    assert view is not None
    assert view.now > waited_until
    await ledger.aclose()


async def test_two_who_submit_one_new_key_make_one_document(
    ledger: PostgresLedger, hand: Hand
) -> None:
    other = hand.ledger(StandingClock())

    for number in range(ROUNDS):
        key = f"k{number}"
        offered = [replace(document(f"{each}{number}"), key=key) for each in ("d", "e")]
        told = await asyncio.gather(
            *(
                each.submit(key, _known_or(one))
                for each, one in zip((ledger, other), offered, strict=True)
            )
        )
        assert sorted(is_new for _, is_new in told) == [False, True]
        assert told[0][0] == told[1][0]

    await other.aclose()


def _known_or(new: Document) -> Any:
    return lambda present, now: None if present is not None else accepting(new)(None, now)


# --- documents of one account ----------------------------------------------------------------


def _bind_unless_contested(external_id: str) -> Any:
    """Binds an id by name and time, unless another document may own it."""

    def decide(view: View) -> Change:
        if view.surroundings.rivals:
            return unchanged(view)
        found = intent(
            name=NAME, calls=(call(),), external_id=external_id, found_by=Grade.NAME_AND_TIME
        )
        return with_items(item("a1", state=ItemState.CONFIRMED, intent=found))(view)

    return decide


async def _put_two_of_one_name(ledger: PostgresLedger) -> None:
    """Neither contests: both were given up."""
    given_up = item("a1", state=ItemState.ABSENT, intent=intent(name=NAME, calls=(call(),)))
    await put(
        ledger,
        *(document(each, given_up, began_at=NOON) for each in ("d1", "d2")),
    )


async def test_of_two_that_decide_on_one_name_at_once_the_later_sees_the_other(
    ledger: PostgresLedger, hand: Hand
) -> None:
    """Each would take the other for somebody who lacks nothing, and both bind on name and time."""
    await _put_two_of_one_name(ledger)
    first = Standing()

    async with first.changing(hand, "d1", Anyhow(), _bind_unless_contested("5"), around=ASKED):
        second = asyncio.create_task(
            ledger.change("d2", Anyhow(), _bind_unless_contested("6"), around=ASKED)
        )
        await hand.until_somebody_waits()

    view = await second
    assert view is not None
    assert [rival.document_id for rival in view.surroundings.rivals] == ["d1"]
    assert view.document.items[0].state is ItemState.ABSENT


async def test_surroundings_stand_still_while_somebody_decides_on_them(
    ledger: PostgresLedger, hand: Hand
) -> None:
    """Bindings and rivals are read one after the other and are one value all the same."""
    await _put_two_of_one_name(ledger)

    async with Standing().changing(hand, "d1", Anyhow(), unchanged, around=ASKED):
        fact = asyncio.create_task(ledger.change("d2", Anyhow(), setting(title="a fact")))
        new = asyncio.create_task(ledger.submit("d3", accepting(document("d3"))))
        renewal = asyncio.create_task(ledger.renew("d2", "me", 0, MINUTE))
        elsewhere = document("d9", account_id="act_2")
        assert (await ledger.submit("d9", accepting(elsewhere)))[1]  # another account's
        await hand.until_somebody_waits(3)

    assert await fact is not None
    assert (await new)[1]
    assert await renewal is None


async def test_documents_of_one_account_are_written_side_by_side(
    ledger: PostgresLedger, hand: Hand
) -> None:
    """Only a decision on the surroundings is alone."""
    await put(ledger, document("d1"), document("d2"))

    async with Standing().changing(hand, "d1", Anyhow(), unchanged):
        assert await ledger.change("d2", Anyhow(), setting(title="beside")) is not None


async def test_of_two_that_bind_one_id_at_once_the_later_is_refused_by_name(
    ledger: PostgresLedger, hand: Hand
) -> None:
    """The index has the last word: who has written and not committed is not seen by a question."""
    await put(ledger, document("d1", pending("a1")), document("d2", item("a1"), item("a2")))

    with hand.holding(BIND.format("5")):
        taken = with_items(bound("a1", "6"), bound("a2", "5"))
        binding = asyncio.create_task(ledger.change("d2", Anyhow(), taken))
        await hand.until_somebody_waits()

    with pytest.raises(BindingTaken) as refused:
        await binding
    assert refused.value.external_id == "5"


async def test_failures_of_one_account_add_up(ledger: PostgresLedger, hand: Hand) -> None:
    """A decision about an account is made again where the account moved meanwhile."""
    await put(ledger, document("d1"), document("d2"))

    async with Standing().changing(hand, "d1", Anyhow(), _throttled):
        assert await ledger.change("d2", Anyhow(), _throttled) is not None

    assert (await ledger.account(ACCOUNT)).failures == 2


def _throttled(view: View) -> Change:
    account = replace(
        view.account, reason=BlockReason.THROTTLED, until=NOON, failures=view.account.failures + 1
    )
    return replace(unchanged(view), account=account)


# --- overtaken -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "error", [psycopg.errors.DeadlockDetected, psycopg.errors.SerializationFailure]
)
async def test_what_the_database_gave_up_for_another_is_decided_again(
    ledger: PostgresLedger, error: type[psycopg.Error]
) -> None:
    await put(ledger, document("d1", revision=0))
    left = [error("others first"), error("others again")]

    def decide(view: View) -> Change:
        if left:
            raise left.pop()
        return setting(revision=view.document.revision + 1)(view)

    view = await ledger.change("d1", Anyhow(), decide)

    assert view is not None
    assert view.document.revision == 1


async def test_whoever_is_overtaken_at_every_try_is_told_in_the_end(
    ledger: PostgresLedger,
) -> None:
    await put(ledger, document("d1"))

    def decide(_: View) -> Change:
        raise psycopg.errors.DeadlockDetected("deadlock detected")

    with pytest.raises(LedgerUnavailable, match="deadlock"):
        await ledger.change("d1", Anyhow(), decide)

    assert await ledger.change("d1", Anyhow(), unchanged) is not None


async def test_whoever_is_ended_in_a_deadlock_gets_through_afterwards(
    ledger: PostgresLedger, hand: Hand
) -> None:
    """R083."""
    await put(ledger, document("d1", pending("a1")), document("d2", item("a1"), item("a2")))
    patient = "SET LOCAL deadlock_timeout = '1min'"

    with hand.holding(patient, BIND.format("5")) as other:
        binds_both = with_items(bound("a1", "6"), bound("a2", "5"))
        ours = asyncio.create_task(ledger.change("d2", Anyhow(), binds_both))
        await hand.until_somebody_waits()
        await asyncio.to_thread(other.execute, BIND.format("6").encode())
        other.rollback()

    view = await ours
    assert view is not None
    assert view.document == (await ledger.read("d2")).document


async def test_more_callers_than_connections_wait_for_their_turn(
    ledger: PostgresLedger, hand: Hand
) -> None:
    await put(ledger, *(queued(f"d{number}", revision=0) for number in range(5)))

    def decide(view: View) -> Change:
        return setting(revision=view.document.revision + 1)(view)

    await asyncio.gather(
        *(ledger.change(f"d{number % 5}", Anyhow(), decide) for number in range(100))
    )

    assert [(await ledger.read(f"d{n}")).document.revision for n in range(5)] == [20] * 5
    [(connections,)] = hand.ask(
        "SELECT count(*) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    assert connections <= 10
