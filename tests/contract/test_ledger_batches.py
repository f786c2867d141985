"""What every ledger owes batches: what is broken, whole and in pages, and what a run changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from reconciler.batching import Broken, ManyView
from reconciler.errors import BindingTaken, StaleEvidence
from reconciler.model import (
    Call,
    Document,
    DocumentState,
    Grade,
    Item,
    ItemState,
    Lease,
    Outcome,
    Purpose,
)
from reconciler.ports import Anyhow, Around, Change, Event, SettleLease, Surroundings, Takeover
from reconciler.verdict import Evidence
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


# --- many documents changed at once ---------------------------------------------------------------

LEASE = SettleLease(owner="w9", duration=MINUTE)


def nothing_around(_: Sequence[Document]) -> Around:
    """For decisions that look at no surroundings."""
    return Around()


def bound_in(view: ManyView, ids: Mapping[str, str]) -> list[Change]:
    """Every document with its first item bound to the id given for it, or as it is."""
    return [
        told(_bound_first(document, ids.get(document.id))) for document in view.documents.values()
    ]


def _bound_first(document: Document, external_id: str | None) -> Document:
    if external_id is None:
        return document
    first, *others = document.items
    assert first.intent is not None
    intent = replace(first.intent, external_id=external_id, found_by=Grade.MARK, facts=9)
    return replace(
        document, items=(replace(first, state=ItemState.CONFIRMED, intent=intent), *others)
    )


def told(document: Document) -> Change:
    """With two events, evidence and a run."""
    evidence = Evidence.of({"document_id": document.id, "item": "1"})
    events = (Event(kind="looked", item="1"), Event(kind="state", detail={"state": "x"}))
    return Change(document=document, events=events, evidence=(evidence,), run="r1")


async def test_changing_many_leaves_what_changing_each_leaves(ledger: OpenLedger) -> None:
    await fill(ledger)
    ids = {"d_unsettled": "911", "f_held": "912"}

    stored = await ledger.change_all(
        ACCOUNT,
        {"d_unsettled": LEASE, "f_held": LEASE, "a_crashed": Takeover(epoch=1)},
        nothing_around,
        lambda view: bound_in(view, ids),
    )

    assert sorted(stored) == ["a_crashed", "d_unsettled", "f_held"]
    for name, left in stored.items():
        assert (await ledger.read(name)).document == left
        journal = await ledger.journal(name)
        assert [(one.sequence, one.event.kind) for one in journal][-2:] == [
            (len(journal) - 1, "looked"), (len(journal), "state")
        ]  # fmt: skip
        evidence = Evidence.of({"document_id": name, "item": "1"})
        assert await ledger.evidence(evidence.id) == evidence
    held = stored["f_held"]
    assert (held.lease_epoch, held.recoveries, held.lease and held.lease.owner) == (1, 1, "w9")
    assert held.items[0].intent is not None
    assert held.items[0].intent.external_id == "912"
    assert (stored["a_crashed"].lease, stored["a_crashed"].lease_epoch) == (None, 2)
    everybody = ["a_crashed", "b_live", "d_unsettled", "f_held"]
    assert await ledger.changed_by("r1", everybody) == set(stored)


async def test_what_a_guard_of_many_does_not_match_is_left_out(ledger: OpenLedger) -> None:
    await fill(ledger)
    before = {name: (await ledger.read(name)).document for name in ("a_crashed", "b_live")}

    stored = await ledger.change_all(
        ACCOUNT,
        {
            "a_crashed": Takeover(epoch=7),
            "b_live": Takeover(epoch=1),
            "nobody": LEASE,
            "f_held": LEASE,
        },
        nothing_around,
        lambda view: bound_in(view, {}),
    )

    assert list(stored) == ["f_held"]
    assert {name: (await ledger.read(name)).document for name in before} == before


async def test_many_are_decided_on_bindings_and_rivals_that_stand(ledger: OpenLedger) -> None:
    await fill(ledger)
    around = Around(
        names=frozenset((one.kind, ADSET.id, one.name) for one in (pending("1"),)),
        external_ids=frozenset({"901"}),
    )
    seen: list[Surroundings] = []

    def decide(view: ManyView) -> list[Change]:
        seen.append(view.surroundings)
        return [Change(document=document) for document in view.documents.values()]

    await ledger.change_all(ACCOUNT, {"f_held": LEASE}, lambda _: around, decide)

    assert seen[-1].bindings == (await ledger.around_all(ACCOUNT, around)).bindings
    assert {rival.document_id for rival in seen[-1].rivals} >= {"d_unsettled", "f_held"}


@pytest.mark.parametrize(
    "ids", [{"d_unsettled": "911", "f_held": "901"}, {"d_unsettled": "911", "f_held": "911"}]
)
async def test_an_id_that_is_taken_rolls_all_of_many_back(
    ledger: OpenLedger, ids: dict[str, str]
) -> None:
    await fill(ledger)
    before = [(await ledger.read(name)).document for name in ids]

    with pytest.raises(BindingTaken):
        await ledger.change_all(
            ACCOUNT, dict.fromkeys(ids, LEASE), nothing_around, lambda view: bound_in(view, ids)
        )

    assert [(await ledger.read(name)).document for name in ids] == before
    assert await ledger.changed_by("r1", ids) == frozenset()


async def test_a_decision_about_many_that_refuses_leaves_no_lease(ledger: OpenLedger) -> None:
    await fill(ledger)
    before = (await ledger.read("f_held")).document

    def refuse(_: ManyView) -> list[Change]:
        raise StaleEvidence("not now")

    with pytest.raises(StaleEvidence):
        await ledger.change_all(ACCOUNT, {"f_held": LEASE}, nothing_around, refuse)

    assert (await ledger.read("f_held")).document == before
