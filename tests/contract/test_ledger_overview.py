"""What an operator's list asks of a ledger in SQL: filters, counts, what stands in the way."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

import pytest_asyncio

from adapters.store.finding import LATELY, Which
from adapters.store.judged import Judged
from adapters.store.ledger import SqlLedger
from adapters.store.overview import ACCOUNTS_SHOWN_MAX, COUNT_MAX
from reconciler.lifecycle import shown_next
from reconciler.model import (
    Account,
    BlockReason,
    CallError,
    DocumentState,
    Grade,
    ItemState,
    JudgedItem,
    Kind,
    NextAction,
    Origin,
    Purpose,
    Reason,
    Surplus,
)
from reconciler.ports import View
from reconciler.signature import is_crashed, is_over_elsewhere, is_unsettled
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

SECOND: Final = timedelta(seconds=1)


def said(verdict: str, at: datetime = NOON, *, item: str = "a1") -> JudgedItem:
    """What the latest look at this item said."""
    return JudgedItem(
        item=item,
        verdict=verdict,
        reason=Reason.LISTING_INCOMPLETE if verdict == "inconclusive" else None,
        judged_at=at,
        evidence_id="e",
        evidence_hash="h",
    )


def _settled_lately(view: View) -> bool:
    """Found or absent within the last 24 hours, and neither open since nor decided by a person."""
    items = {each.key: each for each in view.document.items}
    return any(
        judged.verdict in ("found", "absent")
        and judged.judged_at >= view.now - LATELY
        and items[judged.item].state not in (_I.PENDING, _I.HELD)
        and (sent := items[judged.item].intent) is not None
        and sent.found_by is not Grade.PERSON
        for judged in view.document.verdicts
    )


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
    document("found", bound("a1", "17", Grade.MARK), verdicts=(said("found"),),
             state=_D.PUBLISHED),
    document("found_at_the_edge", bound("a1", "18", Grade.MARK),
             verdicts=(said("found", NOON - LATELY),), state=_D.PUBLISHED),
    document("found_before", bound("a1", "19", Grade.MARK),
             verdicts=(said("found", NOON - LATELY - SECOND),), state=_D.PUBLISHED),
    document("not_made", item("a1", state=_I.ABSENT, intent=intent()), verdicts=(said("absent"),),
             state=_D.PARTLY_PUBLISHED),
    queued("made_again", pending("a1"), verdicts=(said("absent"),)),
    queued("half", bound("a1", "20", Grade.MARK), pending("a2"),
           verdicts=(said("found"), said("inconclusive", item="a2"))),
    document("by_a_person", bound("a1", "21", Grade.PERSON), verdicts=(said("found"),),
             state=_D.PUBLISHED),
    document("reopened", HELD_ITEM, verdicts=(said("found"),), state=_D.HELD),
    document("told", item("a1", state=_I.ABSENT, intent=intent(calls=(call(1, external_id="16"),))),
             state=_D.PARTLY_PUBLISHED),
    *(document(f"elsewhere_{state}", pending("a1"), state=state, origin=Origin.IMPORTED)
      for state in _D if state is not _D.PUBLISHING),
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
    Which.RECOVERED: _settled_lately,
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


async def test_a_line_is_unsettled_as_the_document_is(ledger: SqlLedger) -> None:
    page = await ledger.page(limit=100)

    for line in page.lines:
        view = await ledger.read(line.document.id)
        assert line.unsettled is is_unsettled(view.document, view.now), line.document.id


async def test_what_nobody_settles_makes_nobody_wait(ledger_url: str, clock: StandingClock) -> None:
    """It finished elsewhere: the age of the oldest unsettled one would grow for ever."""
    over = document("d1", pending("a1"), state=_D.PARTLY_PUBLISHED, origin=Origin.IMPORTED)
    async with opened(ledger_url, clock) as ledger:
        await put(ledger, over)
        before = await ledger.standing()
        assert (before.unsettled_since, before.imported_since) == (None, None)
        await put(ledger, replace(over, id="d2", key="d2", state=_D.QUEUED))
        theirs = await ledger.standing()
        assert (theirs.unsettled_since, theirs.imported_since) == (None, over.since)
        await put(ledger, replace(over, id="d3", key="d3", state=_D.QUEUED, origin=Origin.OURS))
        assert (await ledger.standing()).unsettled_since == over.since


MIXED: Final = (
    document("mixed", bound("a1", "30", Grade.MARK), pending("a2"),
             item("c1", kind=Kind.CAMPAIGN, position=3),
             verdicts=(said("found"), said("inconclusive", item="a2"))),
    document("campaign", bound("c1", "32", Grade.MARK, kind=Kind.CAMPAIGN),
             verdicts=(said("found", item="c1"),)),
)  # fmt: skip
"""Of one a campaign of which nothing was said, of the other one that was found."""

NARROWINGS: Final[tuple[tuple[Kind | None, Judged | None], ...]] = tuple(
    (kind, verdict)
    for kind in (None, Kind.AD, Kind.CAMPAIGN, Kind.ADSET)
    for verdict in (None, *Judged)
)


def _has_one(view: View, kind: Kind | None, verdict: Judged | None) -> bool:
    """Whether one item is both of the kind and judged so."""
    judged = {one.item: one.verdict for one in view.document.verdicts}
    return any(
        (kind is None or each.kind is kind)
        and (verdict is None or judged.get(each.key) == verdict.value)
        for each in view.document.items
    )


async def test_a_kind_and_a_verdict_narrow_the_list_to_documents_of_which_one_item_meets_both(
    ledger: SqlLedger,
) -> None:
    await put(ledger, *MIXED)
    views = [await ledger.read(each.id) for each in (*DOCUMENTS, *MIXED)]

    for kind, verdict in NARROWINGS:
        wanted = {view.document.id for view in views if _has_one(view, kind, verdict)}
        page = await ledger.page(limit=100, kind=kind, verdict=verdict)
        uncounted = await ledger.page(limit=100, kind=kind, verdict=verdict, counted=False)
        assert {line.document.id for line in page.lines} == wanted, (kind, verdict)
        assert sum(page.counts.values()) == len(wanted)
        assert (uncounted.lines, uncounted.counts) == (page.lines, {})
        seen = await ledger.overview(accounts=None, since=None, kind=kind, verdict=verdict)
        assert dict(seen.counts) == page.counts
        for which in Which:
            some = await ledger.page(limit=100, which=which, kind=kind, verdict=verdict)
            assert seen.found[which] == len(some.lines), (which, kind, verdict)


async def test_a_kind_and_a_verdict_go_together_with_whatever_else_narrows_the_list(
    ledger: SqlLedger,
) -> None:
    await put(ledger, *MIXED)

    found = await ledger.page(
        limit=100,
        state=_D.DRAFT,
        accounts={"act_1001"},
        since=NOON,
        which=Which.RECOVERED,
        kind=Kind.CAMPAIGN,
        verdict=Judged.FOUND,
    )

    assert [line.document.id for line in found.lines] == ["campaign"]


async def test_pages_of_a_narrowed_list_follow_each_other_while_documents_arrive(
    ledger: SqlLedger,
) -> None:
    await put(ledger, *MIXED)
    whole = await ledger.page(limit=100, kind=Kind.AD, verdict=Judged.FOUND)
    ids: list[str] = []
    after = None

    for number in range(len(whole.lines)):
        part = await ledger.page(limit=1, after=after, kind=Kind.AD, verdict=Judged.FOUND)
        ids += [line.document.id for line in part.lines]
        after = part.after
        changed = {"created_at": NOON + MINUTE, "verdicts": (said("found"),)}
        await put(ledger, document(f"late{number}", bound("a1", f"9{number}"), **changed))

    assert after is None
    assert ids == [line.document.id for line in whole.lines]


async def test_what_stands_in_the_way_is_narrowed_item_by_item(ledger: SqlLedger) -> None:
    await put(ledger, *MIXED)

    async def found(kind: Kind | None, verdict: Judged | None) -> set[str]:
        lines = await ledger.troubles(accounts=None, since=None, kind=kind, verdict=verdict)
        return {one.document_id for one in lines}

    assert await found(Kind.CAMPAIGN, None) == set()
    assert await found(Kind.AD, Judged.INCONCLUSIVE) == {"mixed", "half"}
    assert await found(Kind.AD, Judged.ABSENT) == {"made_again"}
    assert await found(None, Judged.FOUND) == {"reopened"}


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


async def test_throttled_accounts_are_told_while_they_are_closed_the_longest_first(
    ledger: SqlLedger,
) -> None:
    def closed(account_id: str, reason: BlockReason, minutes: int) -> Account:
        return Account(id=account_id, reason=reason, until=NOON + minutes * MINUTE)

    for one in (
        closed("act_1", BlockReason.THROTTLED, 1),
        closed("act_2", BlockReason.THROTTLED, 9),
        closed("act_3", BlockReason.THROTTLED, 0),
        closed("act_4", BlockReason.ACCESS, 9),
    ):
        await ledger.set_account(one, seen=Account(id=one.id))

    every = await ledger.overview(accounts=None, since=None)
    mine = await ledger.overview(accounts={"act_1", "act_3"}, since=None)
    none = await ledger.overview(accounts=set(), since=None)

    assert [one.id for one in every.throttled] == ["act_2", "act_1"]
    assert [one.id for one in mine.throttled] == ["act_1"]
    assert [seen.throttled_count for seen in (every, mine, none)] == [2, 1, 0]


async def test_of_many_paused_accounts_some_are_named_and_all_are_counted(
    ledger: SqlLedger,
) -> None:
    for number in range(ACCOUNTS_SHOWN_MAX + 1):
        now = Account(id=f"act_{number:03}")
        await ledger.set_account(replace(now, paused="budget"), seen=now)

    seen = await ledger.overview(accounts=None, since=None)

    assert [one.id for one in seen.paused] == [f"act_{n:03}" for n in range(ACCOUNTS_SHOWN_MAX)]
    assert seen.paused_count == ACCOUNTS_SHOWN_MAX + 1


async def test_what_stands_in_the_way_is_told_with_its_reason_and_its_latest_answer(
    ledger: SqlLedger,
) -> None:
    await put(ledger, queued("blind", pending("a1"), verdicts=(said("inconclusive"),)))

    found = {one.document_id: one for one in await ledger.troubles(accounts=None, since=None)}

    assert found.keys() == {
        each.id
        for each in DOCUMENTS
        if {one.state for one in each.items} & {_I.PENDING, _I.HELD, _I.REJECTED}
        and not is_over_elsewhere(each)
    } | {"blind"}
    assert (found["held"].reason, found["held"].code) == (Reason.AMBIGUOUS, None)
    assert (found["refused"].code, found["refused"].message) == (100, "Invalid parameter")
    assert found["refused"].reason is None
    assert found["blind"].reason is Reason.LISTING_INCOMPLETE
    assert await ledger.troubles(accounts={"act_1002"}, since=None) == ()
