"""What an operator's list asks of a ledger in SQL: filters, counts, what stands in the way."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import replace
from typing import Final

import pytest_asyncio

from adapters.store.finding import Which
from adapters.store.ledger import SqlLedger
from adapters.store.overview import COUNT_MAX
from reconciler.lifecycle import shown_next
from reconciler.model import (
    Account,
    CallError,
    DocumentState,
    ItemState,
    JudgedItem,
    Kind,
    NextAction,
    Purpose,
    Reason,
    Surplus,
)
from reconciler.ports import View
from reconciler.signature import is_crashed, is_unsettled
from tests.contract.ledger_documents import (
    MINUTE,
    bound,
    call,
    document,
    extra,
    intent,
    item,
    leased,
    pending,
    publishing,
    put,
    queued,
)
from tests.contract.ledgers import NOON, StandingClock
from tests.databases import opened

_D, _I = DocumentState, ItemState
BAD_INPUT: Final = CallError(row="E28", message="Invalid parameter", code=100)

HELD_ITEM: Final = item("a1", state=_I.HELD, intent=intent(reason=Reason.AMBIGUOUS))
REFUSED_ITEM: Final = item(
    "a1", state=_I.REJECTED, intent=intent(calls=(call(1), call(2, error=BAD_INPUT)))
)
CREATIVE: Final = Surplus(external_id="31", kind=Kind.ADCREATIVE)

DOCUMENTS: Final = (
    document("draft"),
    queued("queued"),
    queued("unsettled", pending("a1")),
    queued("unsettled_later", pending("a1"), due_at=NOON + MINUTE),
    queued("looked_at", pending("a1"), **leased(Purpose.SETTLE)),
    publishing("live", pending("a1")),
    publishing("crashed", pending("a1"), **leased(until=NOON)),
    publishing("imported", pending("a1"), lease=None),
    document("held", HELD_ITEM, state=_D.HELD),
    document("refused", REFUSED_ITEM, state=_D.FAILED),
    document("made", bound("a1", "11"), state=_D.PUBLISHED),
    document("owing", bound("a1", "12"), state=_D.PUBLISHED, owes_look_from=NOON + MINUTE),
    document("extra", bound("a1", "13"), state=_D.PUBLISHED, surplus=(extra("23"),)),
    document("known", bound("a1", "14"), state=_D.PUBLISHED,
             surplus=(replace(extra("24"), known=True),)),
    document("creative", bound("a1", "15"), state=_D.PUBLISHED, surplus=(CREATIVE,)),
    document("told", item("a1", state=_I.ABSENT, intent=intent(calls=(call(1, external_id="16"),))),
             state=_D.PARTLY_PUBLISHED),
)  # fmt: skip

PREDICATES: Final[Mapping[Which, Callable[[View], bool]]] = {
    Which.CRASHED: lambda view: is_crashed(view.document, view.now),
    Which.UNSETTLED: lambda view: is_unsettled(view.document, view.now),
    Which.AWAITS_LOOK: lambda view: (
        view.document.owes_look_from is not None
        or (
            view.document.state is _D.QUEUED
            and any(each.state is _I.PENDING for each in view.document.items)
        )
    ),
    Which.NEEDS_PERSON: lambda view: (
        shown_next(view.document, view.account, view.now).action
        in (NextAction.DECIDE, NextAction.RAISE_LIMIT)
    ),
    Which.SURPLUS: lambda view: any(not one.known for one in view.document.surplus),
}
"""The same conditions as the core knows them."""


@pytest_asyncio.fixture
async def ledger(ledger_url: str, clock: StandingClock) -> AsyncIterator[SqlLedger]:
    """A new ledger in each database, with all of these documents."""
    async with opened(ledger_url, clock) as found:
        await put(found, *DOCUMENTS)
        yield found


async def test_each_filter_finds_what_the_core_means_by_its_name(ledger: SqlLedger) -> None:
    views = [await ledger.read(each.id) for each in DOCUMENTS]
    seen = await ledger.overview(accounts=None, since=None)

    for which, holds in PREDICATES.items():
        page = await ledger.page(limit=100, which=which)
        wanted = {view.document.id for view in views if holds(view)}
        assert {line.document.id for line in page.lines} == wanted, which
        assert seen.found[which] == sum(page.counts.values()) == len(wanted)
        assert wanted, "a filter that finds nothing shows nothing"


async def test_the_counts_and_the_oldest_are_of_the_accounts_and_the_time_asked_for(
    ledger: SqlLedger,
) -> None:
    older = NOON - 90 * MINUTE
    await put(
        ledger,
        queued("old", pending("a1"), account_id="act_1002", since=older),
        document("old_held", HELD_ITEM, account_id="act_1002", state=_D.HELD, since=older),
    )

    every = await ledger.overview(accounts=None, since=None)
    lately = await ledger.overview(accounts=None, since=NOON - MINUTE)
    other = await ledger.overview(accounts={"act_1002"}, since=None)
    none = await ledger.overview(accounts=set(), since=None)

    assert every.oldest == {Which.UNSETTLED: older, Which.NEEDS_PERSON: older}
    assert lately.oldest == {Which.UNSETTLED: NOON, Which.NEEDS_PERSON: NOON}
    assert sum(every.counts.values()) == sum(lately.counts.values()) + 2
    assert dict(other.counts) == {_D.QUEUED: 1, _D.HELD: 1}
    assert (other.found[Which.UNSETTLED], other.found[Which.NEEDS_PERSON]) == (1, 1)
    assert dict(none.counts) == {}
    assert set(none.found.values()) == {0}
    assert max(every.found.values()) <= COUNT_MAX + 1


async def test_a_paused_account_is_told_to_whoever_sees_it(ledger: SqlLedger) -> None:
    now = Account(id="act_1001")
    await ledger.set_account(replace(now, paused="budget"), seen=now)

    every = await ledger.overview(accounts=None, since=None)
    other = await ledger.overview(accounts={"act_1002"}, since=None)

    assert [(one.id, one.paused) for one in every.paused] == [("act_1001", "budget")]
    assert (every.paused_count, other.paused, other.paused_count) == (1, (), 0)


async def test_what_stands_in_the_way_is_told_with_its_reason_and_its_latest_answer(
    ledger: SqlLedger,
) -> None:
    said = JudgedItem(
        item="a1",
        verdict="inconclusive",
        reason=Reason.LISTING_INCOMPLETE,
        judged_at=NOON,
        evidence_id="e",
        evidence_hash="h",
    )
    await put(ledger, queued("blind", pending("a1"), verdicts=(said,)))

    found = {one.document_id: one for one in await ledger.troubles(accounts=None, since=None)}

    assert found.keys() == {
        each.id
        for each in DOCUMENTS
        if {one.state for one in each.items} & {_I.PENDING, _I.HELD, _I.REJECTED}
    } | {"blind"}
    assert (found["held"].reason, found["held"].code) == (Reason.AMBIGUOUS, None)
    assert (found["refused"].code, found["refused"].message) == (100, "Invalid parameter")
    assert found["refused"].reason is None
    assert found["blind"].reason is Reason.LISTING_INCOMPLETE
    assert await ledger.troubles(accounts={"act_1002"}, since=None) == ()
