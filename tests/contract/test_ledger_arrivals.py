"""What every ledger owes imports and exports: many documents at once, and all of them in pages."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import pytest

from adapters.store.sqlite import SqliteLedger
from reconciler.arriving import Admission, Admit, Standing
from reconciler.lifecycle import next_step
from reconciler.model import Account, Document, Item, Origin
from reconciler.ports import Change, Event
from tests.contract.ledger_documents import (
    ACCOUNT,
    bound,
    document,
    item,
    pending,
    put,
)
from tests.contract.ledgers import NOON, OpenLedger
from tests.contract.plans_of_queries import plans


class Refused(Exception):
    """What a decision raises in these tests."""


def storing(*documents: Document, complete: Iterable[str] = ()) -> Admit:
    """A decision that stores these whatever stands."""
    changes = tuple(Change(document=one, events=(Event(kind="imported"),)) for one in documents)
    return lambda _: Admission(changes=changes, complete=frozenset(complete))


def imported(name: str, *items: Item, **more: Any) -> Document:
    """A document from elsewhere."""
    return document(name, *items, origin=Origin.IMPORTED, **more)


async def test_many_new_documents_are_read_back_as_they_were_stored(ledger: OpenLedger) -> None:
    whole = imported("d1", bound("1", "901"), pending("2"))
    waits = imported("d2", item("1"))

    await ledger.admit({"d1", "d2"}, {(ACCOUNT, "901")}, storing(whole, waits))

    for one in (whole, waits):
        stored = (await ledger.read(one.id)).document
        assert stored == replace(one, next=next_step(one, Account(id=ACCOUNT), NOON))
        assert [each.event.kind for each in await ledger.journal(one.id)] == ["imported"]


async def test_who_decides_sees_what_stands_bare_by_id_and_by_key(ledger: OpenLedger) -> None:
    await put(ledger, replace(document("d1", bound("a1", "901")), key="k1"))
    seen: list[Standing] = []

    def decide(standing: Standing) -> Admission:
        seen.append(standing)
        return Admission()

    await ledger.admit({"d1", "k1", "nobody"}, {(ACCOUNT, "901"), (ACCOUNT, "902")}, decide)

    (standing,) = seen
    assert standing.now == NOON
    assert {name: one.id for name, one in standing.documents.items()} == {"d1": "d1", "k1": "d1"}
    assert standing.documents["d1"].items == ()
    (((account, external_id), binding),) = standing.bindings.items()
    assert (account, external_id) == (ACCOUNT, "901")
    assert (binding.document_id, binding.item) == ("d1", "a1")


async def test_another_accounts_binding_is_none_of_it(ledger: OpenLedger) -> None:
    await put(ledger, document("d1", bound("a1", "901")))
    seen: list[Standing] = []

    def decide(standing: Standing) -> Admission:
        seen.append(standing)
        return Admission()

    await ledger.admit(set(), {("act_77", "901")}, decide)

    assert seen[0].bindings == {}


async def test_what_a_decision_raises_leaves_nothing(ledger: OpenLedger) -> None:
    def decide(_: Standing) -> Admission:
        raise Refused

    with pytest.raises(Refused):
        await ledger.admit({"d1"}, set(), decide)
    assert await ledger.exported(limit=10) == ()


async def test_an_account_is_complete_once_it_is_said_and_stays_so(ledger: OpenLedger) -> None:
    before = [await ledger.is_complete(account) for account in ("act_1", "act_2", "act_3")]
    await ledger.say_complete("act_1")
    await ledger.say_complete("act_1")
    await ledger.admit(set(), set(), storing(complete=["act_2", "act_1"]))

    after = [await ledger.is_complete(account) for account in ("act_1", "act_2", "act_3")]
    assert (before, after) == ([False] * 3, [True, True, False])


async def test_all_documents_are_told_page_by_page_with_their_items(ledger: OpenLedger) -> None:
    names = [f"d{number}" for number in range(1, 8)]
    for name in names:
        await put(ledger, document(name, bound("a1", f"90{name[1]}"), pending("a2")))

    told: list[Document] = []
    while page := await ledger.exported(limit=3, after=told[-1].id if told else ""):
        assert len(page) <= 3
        told += page

    assert [one.id for one in told] == names
    for one in told:
        assert [each.key for each in one.items] == ["a1", "a2"]
        assert [each.intent.calls for each in one.items if each.intent] == [(), ()]
        assert one.items[0].intent is not None
        assert one.items[0].intent.external_id == f"90{one.id[1]}"


async def test_pages_can_be_narrowed_to_an_account_and_an_origin(ledger: OpenLedger) -> None:
    await put(ledger, document("d1"))
    await put(ledger, replace(document("d2"), account_id="act_77"))
    await put(ledger, imported("d3"))
    await put(ledger, imported("d4", account_id="act_77"))

    async def ids(**narrowed: Any) -> list[str]:
        return [one.id for one in await ledger.exported(limit=9, **narrowed)]

    assert await ids() == ["d1", "d2", "d3", "d4"]
    assert await ids(account_id="act_77") == ["d2", "d4"]
    assert await ids(origin=Origin.IMPORTED) == ["d3", "d4"]
    assert await ids(origin=Origin.OURS, account_id=ACCOUNT) == ["d1"]


async def test_what_many_ids_are_bound_to_is_found_by_the_ids() -> None:
    """Asked for one account, SQLite would go through every intent of it, at each batch."""
    async with aclosing(SqliteLedger.in_memory(now=lambda: NOON)) as ledger:
        with plans() as told:
            await ledger.admit(set(), {(ACCOUNT, f"90{number}") for number in range(9)}, storing())

    assert len(told.using("ix_intent_external")) == 1
    assert told.using("ix_intent_rival") == []
