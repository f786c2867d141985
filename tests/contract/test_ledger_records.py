"""What every ledger keeps beside documents: journal, evidence, accounts, and the list of all."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

import pytest

from reconciler.errors import LedgerUnavailable
from reconciler.model import (
    Account,
    BlockReason,
    DocumentState,
    ItemState,
)
from reconciler.ports import Anyhow, Event, Recorded
from reconciler.verdict import Evidence
from tests.contract.ledger_documents import (
    ACCOUNT,
    MINUTE,
    document,
    extra,
    intent,
    item,
    pending,
    publishing,
    put,
    queued,
    unchanged,
)
from tests.contract.ledgers import NOON, OpenLedger, StandingClock

# --- journal, evidence -----------------------------------------------------------------------


async def test_the_journal_keeps_every_event_in_its_order(
    ledger: OpenLedger, clock: StandingClock
) -> None:
    await put(ledger, document(), document("d2"))
    first = (Event(kind="one"), Event(kind="two", item="a1", detail={"b": [1, None], "a": "é"}))
    await ledger.change("d1", Anyhow(), lambda view: replace(unchanged(view), events=first))
    clock.pass_by(-MINUTE)
    last = (Event(kind="three"),)
    await ledger.change("d1", Anyhow(), lambda view: replace(unchanged(view), events=last))

    told = await ledger.journal("d1")

    assert told == (
        Recorded(sequence=1, at=NOON, event=first[0]),
        Recorded(sequence=2, at=NOON, event=first[1]),
        Recorded(sequence=3, at=NOON - MINUTE, event=last[0]),
    )
    assert await ledger.journal("d2") == ()


async def test_the_same_evidence_is_stored_once_for_all_it_is_of(ledger: OpenLedger) -> None:
    found = Evidence.of({"pages": 3, "rows": [{"id": "5", "name": "\ud800 é \x00"}], "none": None})
    await put(ledger, document(), document("d2"))
    for each in ("d1", "d2", "d1"):
        await ledger.change(
            each, Anyhow(), lambda view: replace(unchanged(view), evidence=(found,))
        )

    assert await ledger.evidence(found.id) == found


async def test_evidence_that_is_not_there_is_refused(ledger: OpenLedger) -> None:
    with pytest.raises(LedgerUnavailable):
        await ledger.evidence("ev_nothing")


# --- accounts --------------------------------------------------------------------------------


async def test_an_account_is_replaced_only_as_it_was_seen(ledger: OpenLedger) -> None:
    nothing = Account(id=ACCOUNT)
    throttled = Account(id=ACCOUNT, reason=BlockReason.THROTTLED, until=NOON, failures=1)
    lost = Account(id=ACCOUNT, reason=BlockReason.ACCESS, token_print="t")
    assert await ledger.account(ACCOUNT) == nothing

    assert await ledger.set_account(throttled, nothing)
    assert not await ledger.set_account(lost, nothing)
    assert not await ledger.set_account(lost, replace(throttled, failures=2))
    assert await ledger.account(ACCOUNT) == throttled

    assert await ledger.set_account(lost, throttled)
    assert await ledger.account(ACCOUNT) == lost
    assert await ledger.account("act_2") == Account(id="act_2")


CLOSED: Final = Account(
    id=ACCOUNT, reason=BlockReason.ACCESS, until=NOON, token_print="t", failures=1
)


@pytest.mark.parametrize(
    "changed",
    [
        {"reason": None},
        {"until": None},
        {"until": NOON + timedelta(microseconds=1)},
        {"token_print": None},
        {"failures": 0},
    ],
)
async def test_each_field_of_an_account_is_compared(
    ledger: OpenLedger, changed: dict[str, Any]
) -> None:
    assert await ledger.set_account(CLOSED, Account(id=ACCOUNT))
    assert not await ledger.set_account(Account(id=ACCOUNT), replace(CLOSED, **changed))
    assert await ledger.set_account(Account(id=ACCOUNT), CLOSED)


# --- summaries -------------------------------------------------------------------------------


async def test_a_list_counts_by_state_and_shows_the_newest_first(ledger: OpenLedger) -> None:
    gone = replace(extra("7"), unlisted_since=NOON)
    await put(
        ledger,
        document("d1", surplus=(replace(extra("6"), known=True), gone)),
        queued("d2", pending("a1"), created_at=NOON + MINUTE),
        queued("d3", account_id="act_2", surplus=(extra("5"),), created_at=NOON - MINUTE),
        publishing("d4", pending("a1")),
    )

    counts, lines = await ledger.summaries()

    assert counts == {
        DocumentState.DRAFT: 1,
        DocumentState.QUEUED: 2,
        DocumentState.PUBLISHING: 1,
    }
    shown = [(line.document.id, line.unsettled, line.has_surplus) for line in lines]
    assert shown == [
        ("d2", True, False),
        ("d4", False, False),
        ("d1", False, False),
        ("d3", False, True),
    ]
    whole = (await ledger.read("d3")).document
    assert lines[3].document == replace(whole, items=(), surplus=())


async def test_a_list_is_narrowed_by_state_and_account(ledger: OpenLedger) -> None:
    await put(ledger, document("d1"), queued("d2"), queued("d3", account_id="act_2"))

    counts, lines = await ledger.summaries(state=DocumentState.QUEUED, account_id="act_2")

    assert counts == {DocumentState.QUEUED: 1}
    assert [line.document.id for line in lines] == ["d3"]


async def test_a_crashed_document_with_an_unanswered_call_is_unsettled(
    ledger: OpenLedger, clock: StandingClock
) -> None:
    late = item("a2", state=ItemState.ABSENT, intent=intent())
    await put(ledger, publishing("d1", pending("a1")), publishing("d2", item("a1"), late))
    clock.pass_by(2 * MINUTE)

    _, lines = await ledger.summaries()

    assert {line.document.id: line.unsettled for line in lines} == {"d1": True, "d2": False}
