"""What every ledger stores and gives back: whole documents, all or nothing, and no more than asked.

Guards, renewals, bindings and surroundings have files of their own beside this one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reconciler.errors import BindingTaken, LedgerUnavailable, UnknownDocument, WrongState
from reconciler.lifecycle import next_step
from reconciler.model import (
    Account,
    BlockReason,
    Document,
    DocumentState,
    Item,
    ItemState,
    Kind,
    Purpose,
    Surplus,
)
from reconciler.ports import Anyhow, Around, Change, Claim, Event, LeaseFree, Recorded, View
from reconciler.verdict import Evidence
from tests.contract.any_document import documents
from tests.contract.ledger_documents import (
    ACCOUNT,
    MINUTE,
    accepting,
    bound,
    document,
    intent,
    item,
    leased,
    pending,
    publishing,
    put,
    queued,
    setting,
    unchanged,
    with_items,
)
from tests.contract.ledgers import LEDGERS, NOON, OpenLedger, StandingClock


class Refused(Exception):
    """What a decision raises in these tests."""


# --- a document, whole -----------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in LEDGERS if not name.endswith("_file")])
@settings(max_examples=settings().max_examples // 3)
@given(first=documents(), second=documents())
async def test_any_document_is_read_back_equal_and_so_is_what_follows_it(
    name: str, first: Document, second: Document
) -> None:
    clock = StandingClock()
    ledger = LEDGERS[name](clock, Path())
    account = Account(id=ACCOUNT)
    stored, is_new = await ledger.submit("d1", accepting(first))
    wanted = replace(first, next=next_step(first, account, NOON))
    assert (stored, is_new) == (wanted, True)
    assert await ledger.read("d1") == View(document=wanted, account=account, now=NOON)

    view = await ledger.change("d1", Anyhow(), lambda _: Change(document=second))

    wanted = replace(second, next=next_step(second, account, NOON))
    assert view == View(document=wanted, account=account, now=NOON)
    assert await ledger.read("d1") == view
    await ledger.aclose()


@pytest.mark.parametrize(
    ("time", "moment"),
    [
        (datetime(2026, 3, 10, 5, 0, 4, tzinfo=timezone(timedelta(hours=-7))), (12, 0, 4, 0)),
        (datetime(2026, 3, 10, 14, 0, 4, 1, timezone(timedelta(hours=2))), (12, 0, 4, 1)),
        (datetime(2026, 3, 10, 12, 0, 4, 999_999, UTC), (12, 0, 4, 999_999)),
    ],
)
async def test_a_time_of_any_zone_comes_back_as_the_same_moment(
    ledger: OpenLedger, time: datetime, moment: tuple[int, int, int, int]
) -> None:
    """R054: an aware time with an offset is not kept as its wall clock."""
    made = bound("a1", "5", created_time=time)
    await put(ledger, document("d1", made, due_at=time))

    stored = (await ledger.read("d1")).document

    wanted = datetime(2026, 3, 10, *moment, tzinfo=UTC)
    assert stored.items[0].intent is not None
    assert (stored.due_at, stored.items[0].intent.created_time) == (wanted, wanted)


async def test_an_unknown_document_is_said_to_be_unknown(ledger: OpenLedger) -> None:
    for asked in (
        ledger.read("nobody"),
        ledger.journal("nobody"),
        ledger.around("nobody", Around()),
    ):
        with pytest.raises(UnknownDocument):
            await asked


async def test_the_ledgers_time_is_its_clocks(ledger: OpenLedger, clock: StandingClock) -> None:
    await put(ledger, document())
    later = clock.pass_by(MINUTE)

    view = await ledger.change("d1", Anyhow(), unchanged)

    assert view is not None
    assert await ledger.now() == view.now == later
    assert (await ledger.read("d1")).now == later


# --- submit ----------------------------------------------------------------------------------


async def test_a_key_is_one_document_for_ever(ledger: OpenLedger) -> None:
    await put(ledger, document())
    shown: list[Document | None] = []

    def accept(present: Document | None, _: datetime) -> Change | None:
        shown.append(present)
        return None

    stored, changed = await ledger.submit("d1", accept)

    assert (shown, changed) == ([stored], False)
    assert (await ledger.read("d1")).document == stored


async def test_a_new_key_is_accepted_with_the_ledgers_time(ledger: OpenLedger) -> None:
    asked: list[tuple[Document | None, datetime]] = []

    def accept(present: Document | None, now: datetime) -> Change:
        asked.append((present, now))
        return Change(document=document(), events=(Event(kind="accepted"),))

    await ledger.submit("d1", accept)

    assert asked == [(None, NOON)]
    assert [each.event.kind for each in await ledger.journal("d1")] == ["accepted"]


async def test_a_revision_changes_adds_and_drops_items(ledger: OpenLedger) -> None:
    kept = bound("a1", "5")
    await put(ledger, document("d1", kept, item("a2", state=ItemState.REJECTED), pending("a3")))
    wanted = (kept, item("a2", params={"status": "ACTIVE"}), item("a4"))

    def accept(present: Document | None, _: datetime) -> Change:
        assert present is not None
        return Change(document=replace(present, items=wanted, revision=2))

    stored, changed = await ledger.submit("d1", accept)

    assert (stored.items, stored.revision, changed) == (wanted, 2, True)
    assert (await ledger.read("d1")).document == stored


@pytest.mark.parametrize("purpose", Purpose)
async def test_a_document_under_a_live_lease_is_not_revised(
    ledger: OpenLedger, clock: StandingClock, purpose: Purpose
) -> None:
    await put(ledger, document(**leased(purpose, NOON + MINUTE)))
    before = await ledger.read("d1")

    with pytest.raises(WrongState):
        await ledger.submit("d1", accepting(document(revision=2)))

    assert await ledger.read("d1") == before
    clock.pass_by(MINUTE)
    _, changed = await ledger.submit("d1", accepting(replace(before.document, revision=2)))
    assert changed


async def test_one_and_true_are_two_things(ledger: OpenLedger) -> None:
    """Python holds them equal; the API does not."""
    await put(ledger, document("d1", item("a1", params={"is_autobid": 1})))

    await ledger.change("d1", LeaseFree(), with_items(item("a1", params={"is_autobid": True})))

    assert (await ledger.read("d1")).document.items[0].params["is_autobid"] is True


# --- all or nothing --------------------------------------------------------------------------


def _everything(view: View) -> Change:
    changed = with_items(bound("a1", "5"))(view).document
    return Change(
        document=replace(changed, state=DocumentState.FAILED, surplus=(_extra("6"),)),
        account=Account(id=ACCOUNT, reason=BlockReason.ACCESS, token_print="t"),
        events=(Event(kind="told"),),
        evidence=(Evidence.of({"told": 1}),),
    )


def _extra(external_id: str) -> Surplus:
    return Surplus(external_id=external_id, kind=Kind.AD)


async def test_a_change_stores_everything_together(ledger: OpenLedger) -> None:
    await put(ledger, queued())

    view = await ledger.change("d1", Anyhow(), _everything)

    assert view is not None
    assert await ledger.read("d1") == view
    assert view.account == await ledger.account(ACCOUNT) == _everything(view).account
    assert [each.event.kind for each in await ledger.journal("d1")] == ["told"]
    assert await ledger.evidence(Evidence.of({"told": 1}).id) == Evidence.of({"told": 1})


def _raise_at_last(view: View) -> Change:
    _everything(view)
    raise Refused


def _take_what_is_bound(view: View) -> Change:
    change = _everything(view)
    items = (bound("a1", "7"),)
    return replace(change, document=replace(change.document, items=items))


@pytest.mark.parametrize("decide", [_raise_at_last, _take_what_is_bound])
async def test_what_a_change_raises_rolls_back_everything(
    ledger: OpenLedger, decide: Callable[[View], Change]
) -> None:
    """Nothing of a refused change stays, the guard's own update included."""
    await put(ledger, queued(), document("d2", bound("a1", "7")))
    before = [await ledger.read(each) for each in ("d1", "d2")]
    claim = Claim(owner="me", duration=MINUTE, token_print=None)

    with pytest.raises((Refused, BindingTaken)):
        await ledger.change("d1", claim, decide)

    assert [await ledger.read(each) for each in ("d1", "d2")] == before
    assert await ledger.journal("d1") == ()
    assert await ledger.account(ACCOUNT) == Account(id=ACCOUNT)
    with pytest.raises(LedgerUnavailable):
        await ledger.evidence(Evidence.of({"told": 1}).id)
    assert await ledger.change("d1", claim, unchanged) is not None


@pytest.mark.parametrize(
    "twice",
    [
        {"surplus": (_extra("6"), replace(_extra("6"), item="a1"))},
        {"items": (item("a1"), item("a1", position=2))},
        {"items": (item("a1", state=ItemState.PENDING, intent=intent(external_id="5")),)},
    ],
    ids=["a surplus twice", "a key twice", "an id without a grade"],
)
async def test_a_bug_of_ours_is_refused_before_it_is_stored(
    ledger: OpenLedger, twice: dict[str, Any]
) -> None:
    await put(ledger, queued())
    before = await ledger.read("d1")

    with pytest.raises(AssertionError):
        await ledger.change("d1", Anyhow(), setting(**twice))

    assert await ledger.read("d1") == before


# --- some items only -------------------------------------------------------------------------


async def test_a_decision_about_some_items_is_shown_no_others_and_leaves_them(
    ledger: OpenLedger,
) -> None:
    await put(ledger, publishing("d1", item("a1"), pending("a2"), bound("a3", "5")))

    view = await ledger.change(
        "d1", Anyhow(), with_items(bound("a1", "6"), bound("a2", "7")), only={"a2", "absent"}
    )

    assert view is not None
    assert view.document.items == (bound("a2", "7"),)
    whole = (await ledger.read("d1")).document
    assert whole.items == (item("a1"), bound("a2", "7"), bound("a3", "5"))
    assert whole == replace(view.document, items=whole.items)


async def test_the_next_step_is_that_of_the_whole_document(ledger: OpenLedger) -> None:
    """A fact that comes late to a queued document is recorded with its own item alone."""
    await put(ledger, queued("d1", pending("a1"), pending("a2")))

    view = await ledger.change("d1", Anyhow(), with_items(bound("a2", "7")), only={"a2"})

    assert view is not None
    whole = await ledger.read("d1")
    assert view.document.next == whole.document.next
    assert view.document.next == next_step(whole.document, whole.account, NOON)


async def test_a_decision_about_no_items_may_still_move_the_document(ledger: OpenLedger) -> None:
    await put(ledger, publishing("d1", item("a1"), item("a2")))

    view = await ledger.change("d1", Anyhow(), setting(cancel_requested=True), only=())

    assert view is not None
    assert view.document.items == ()
    whole = (await ledger.read("d1")).document
    assert (whole.cancel_requested, len(whole.items)) == (True, 2)


@pytest.mark.parametrize("items", [(), (item("a1"), item("a9"))], ids=["drops one", "adds one"])
async def test_a_decision_about_some_items_adds_and_drops_none(
    ledger: OpenLedger, items: tuple[Item, ...]
) -> None:
    await put(ledger, publishing("d1", item("a1"), item("a2")))

    with pytest.raises(AssertionError):
        await ledger.change("d1", Anyhow(), setting(items=items), only={"a1"})

    assert len((await ledger.read("d1")).document.items) == 2


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


@settings(max_examples=25)
@given(data=st.data())
async def test_each_field_of_an_account_is_compared(data: st.DataObject) -> None:
    whole = Account(id=ACCOUNT, reason=BlockReason.ACCESS, until=NOON, token_print="t", failures=1)
    other = data.draw(
        st.sampled_from(
            [
                replace(whole, reason=None),
                replace(whole, until=None),
                replace(whole, until=NOON + timedelta(microseconds=1)),
                replace(whole, token_print=None),
                replace(whole, failures=0),
            ]
        )
    )
    for name in ("memory", "sqlite_in_memory"):
        ledger = LEDGERS[name](StandingClock(), Path())
        assert await ledger.set_account(whole, Account(id=ACCOUNT))
        assert not await ledger.set_account(Account(id=ACCOUNT), other)
        await ledger.aclose()


# --- summaries -------------------------------------------------------------------------------


async def test_a_list_counts_by_state_and_shows_the_newest_first(ledger: OpenLedger) -> None:
    await put(
        ledger,
        document("d1"),
        queued("d2", pending("a1"), created_at=NOON + MINUTE),
        queued("d3", account_id="act_2", surplus=(_extra("5"),), created_at=NOON - MINUTE),
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
