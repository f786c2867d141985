"""What every ledger owes batches: what is broken, whole and in pages, and what a run changed."""

from __future__ import annotations

from dataclasses import replace

from reconciler.batching import Broken
from reconciler.model import Call, Document, DocumentState, Item, ItemState, Lease, Outcome, Purpose
from reconciler.ports import Anyhow, Around, Change
from tests.contract.ledger_documents import (
    ACCOUNT,
    ADSET,
    MINUTE,
    attempt,
    bound,
    document,
    item,
    pending,
    put,
)
from tests.contract.ledgers import NOON, OpenLedger, StandingClock

OTHER = "act_1002"


def publishing(name: str, *items: Item, until_minutes: int | None) -> Document:
    """A document whose publishing lease ends so many minutes after noon; None: it has none."""
    until = NOON + MINUTE * (until_minutes or 0)
    lease = Lease(owner="w1", epoch=1, until=until, purpose=Purpose.PUBLISH)
    return document(
        name,
        *items,
        state=DocumentState.PUBLISHING,
        lease=None if until_minutes is None else lease,
        lease_epoch=1,
        attempts=(attempt(1),),
    )


def with_late_id(one: Item) -> Item:
    """Given up, and then a call was answered with an id."""
    assert one.intent is not None
    call = Call(
        number=1,
        attempt=1,
        started_at=NOON,
        ended_at=NOON,
        outcome=Outcome.CREATED,
        external_id="7",
    )
    return replace(one, state=ItemState.HELD, intent=replace(one.intent, calls=(call,)))


def held(one: Item) -> Item:
    """It waits for a person."""
    return replace(one, state=ItemState.HELD)


QUEUED, HELD = DocumentState.QUEUED, DocumentState.HELD


async def fill(ledger: OpenLedger) -> None:
    """Every kind of document that is broken, and those beside them that are not."""
    for one in (
        publishing("a_crashed", pending("1"), until_minutes=0),
        publishing("b_live", pending("1"), until_minutes=1),
        publishing("c_running_elsewhere", pending("1"), until_minutes=None),
        document(
            "d_unsettled", pending("1"), bound("2", "902"), state=QUEUED, attempts=(attempt(1),)
        ),
        document("e_waits", item("1"), state=QUEUED),
        document("f_held", held(pending("1")), state=HELD, attempts=(attempt(1),)),
        document(
            "g_held_with_an_id", with_late_id(pending("1")), state=HELD, attempts=(attempt(1),)
        ),
        document("h_published", bound("1", "901"), state=DocumentState.PUBLISHED),
        replace(document("i_other", pending("1"), state=QUEUED), account_id=OTHER),
    ):
        await put(ledger, replace(one, began_at=NOON))


async def names(ledger: OpenLedger, *, held: bool, limit: int = 10, after: str = "") -> list[str]:
    """The ids of a page."""
    page = await ledger.broken(ACCOUNT, held=held, limit=limit, after=after)
    return [one.id for one in page]


async def test_broken_is_what_crashed_or_is_unsettled(ledger: OpenLedger) -> None:
    await fill(ledger)

    assert await names(ledger, held=False) == ["a_crashed", "d_unsettled", "g_held_with_an_id"]
    assert await names(ledger, held=True) == [
        "a_crashed", "d_unsettled", "f_held", "g_held_with_an_id"
    ]  # fmt: skip


async def test_a_lease_that_runs_out_makes_a_crash(
    ledger: OpenLedger, clock: StandingClock
) -> None:
    await fill(ledger)
    clock.pass_by(MINUTE)

    assert "b_live" in await names(ledger, held=False)


async def test_pages_are_by_id_and_whole(ledger: OpenLedger) -> None:
    await fill(ledger)

    assert await names(ledger, held=False, limit=2) == ["a_crashed", "d_unsettled"]
    (last,) = await ledger.broken(ACCOUNT, held=False, limit=2, after="d_unsettled")
    assert last == (await ledger.read("g_held_with_an_id")).document


async def test_accounts_are_told_with_their_figures(ledger: OpenLedger) -> None:
    await fill(ledger)

    assert await ledger.broken_accounts(held=False) == (
        Broken(account_id=ACCOUNT, broken=3, documents=8),
        Broken(account_id=OTHER, broken=1, documents=1),
    )
    (first, _) = await ledger.broken_accounts(held=True)
    assert first.broken == 4


async def test_several_are_read_whole_at_once(ledger: OpenLedger) -> None:
    await fill(ledger)
    asked = ["d_unsettled", "nobody", "a_crashed", "f_held"]

    found = await ledger.whole(asked)

    assert [one.id for one in found] == ["a_crashed", "d_unsettled", "f_held"]
    assert list(found) == [(await ledger.read(one.id)).document for one in found]


async def test_what_stands_around_many_is_what_stands_around_each(ledger: OpenLedger) -> None:
    await fill(ledger)
    first = (await ledger.read("d_unsettled")).document
    wanted = {(one.kind, ADSET.id, one.intent.name) for one in first.items if one.intent}
    around = Around(names=frozenset(wanted), external_ids=frozenset({"901", "902", "999"}))

    everything = await ledger.around_all(ACCOUNT, around)

    for name in ("a_crashed", "d_unsettled", "f_held", "h_published"):
        own = await ledger.around(name, around)
        assert own.bindings == everything.bindings
        assert own.rivals == tuple(one for one in everything.rivals if one.document_id != name)
    assert len(everything.rivals) > 1
    assert set(everything.bindings) == {"901", "902"}


async def test_a_run_is_found_by_what_it_changed(ledger: OpenLedger) -> None:
    await fill(ledger)
    for name in ("h_published", "e_waits", "a_crashed"):
        changed = await ledger.change(
            name, Anyhow(), lambda view: Change(document=view.document, run="r1")
        )
        assert changed is not None

    assert await ledger.of_run("r1", limit=2) == ("a_crashed", "e_waits")
    assert await ledger.of_run("r1", limit=2, after="e_waits") == ("h_published",)
    assert await ledger.of_run("r2", limit=2) == ()


async def test_a_ledger_says_always_the_same_of_which_it_is(ledger: OpenLedger) -> None:
    assert await ledger.identity() == await ledger.identity() != ""
