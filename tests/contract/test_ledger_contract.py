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

from reconciler.errors import BindingTaken, LedgerUnavailable, UnknownDocument, WrongState
from reconciler.lifecycle import next_step
from reconciler.model import (
    Account,
    BlockReason,
    Document,
    DocumentState,
    Item,
    ItemState,
    Purpose,
)
from reconciler.ports import Anyhow, Around, Change, Claim, Event, LeaseFree, View
from reconciler.verdict import Evidence
from tests.contract.any_document import documents
from tests.contract.ledger_documents import (
    ACCOUNT,
    MINUTE,
    accepting,
    bound,
    document,
    extra,
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
from tests.contract.ledgers import LEDGERS, NOON, OpenLedger, Place, StandingClock
from tests.postgres import Postgres


class Refused(Exception):
    """What a decision raises in these tests."""


# --- a document, whole -----------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in LEDGERS if not name.endswith("_file")])
@settings(max_examples=settings().max_examples // 3)
@given(first=documents(), second=documents())
async def test_any_document_is_read_back_equal_and_so_is_what_follows_it(
    name: str, postgres: Postgres, first: Document, second: Document
) -> None:
    async with LEDGERS[name](StandingClock(), Place(Path(), postgres)) as ledger:
        account = Account(id=ACCOUNT)
        stored, is_new = await ledger.submit("d1", accepting(first))
        wanted = replace(first, next=next_step(first, account, NOON))
        assert (stored, is_new) == (wanted, True)
        assert await ledger.read("d1") == View(document=wanted, account=account, now=NOON)

        view = await ledger.change("d1", Anyhow(), lambda _: Change(document=second))

        wanted = replace(second, next=next_step(second, account, NOON))
        assert view == View(document=wanted, account=account, now=NOON)
        assert await ledger.read("d1") == view


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
async def test_who_accepts_sees_a_document_that_somebody_works_on_and_may_refuse(
    ledger: OpenLedger, clock: StandingClock, purpose: Purpose
) -> None:
    """The same plan again is no revision: it is answered also while the document is published."""
    await put(ledger, document(**leased(purpose, NOON + MINUTE)))
    before = await ledger.read("d1")

    def refuse(present: Document | None, _: datetime) -> Change | None:
        assert present == before.document
        raise WrongState("not now")

    assert await ledger.submit("d1", lambda *_: None) == (before.document, False)
    with pytest.raises(WrongState):
        await ledger.submit("d1", refuse)
    assert await ledger.read("d1") == before


async def test_one_and_true_are_two_things(ledger: OpenLedger) -> None:
    """Python holds them equal; the API does not."""
    await put(ledger, document("d1", item("a1", params={"is_autobid": 1})))

    await ledger.change("d1", LeaseFree(), with_items(item("a1", params={"is_autobid": True})))

    assert (await ledger.read("d1")).document.items[0].params["is_autobid"] is True


# --- all or nothing --------------------------------------------------------------------------


def _everything(view: View) -> Change:
    changed = with_items(bound("a1", "5"))(view).document
    return Change(
        document=replace(changed, state=DocumentState.FAILED, surplus=(extra("6"),)),
        account=Account(id=ACCOUNT, reason=BlockReason.ACCESS, token_print="t"),
        events=(Event(kind="told"),),
        evidence=(Evidence.of({"told": 1}),),
    )


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
        {"surplus": (extra("6"), replace(extra("6"), item="a1"))},
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
