"""A row read before is not worked out again; what anybody wrote since is always seen."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Final

import pytest_asyncio

from adapters.store import whole_document
from adapters.store.ledger import SqlLedger
from reconciler.ports import Anyhow, Change, View
from tests.contract.ledger_documents import document, item, put, queued
from tests.contract.ledgers import StandingClock
from tests.databases import asked, opened

LONG: Final = "x" * whole_document.REMEMBERED_LENGTH_MAX


@pytest_asyncio.fixture
async def ledger(ledger_url: str, clock: StandingClock) -> AsyncIterator[SqlLedger]:
    """A new ledger in each database."""
    async with opened(ledger_url, clock) as found:
        yield found


async def test_a_row_as_it_was_gives_the_very_values_it_gave(ledger: SqlLedger) -> None:
    """Else the parts would be made anew, which costs four times what the query costs."""
    await put(ledger, queued())

    first, second = await ledger.read("d1"), await ledger.read("d1")

    assert first.document is second.document


async def test_a_worker_that_says_it_lives_does_not_undo_that(ledger: SqlLedger) -> None:
    """It says so every half minute, of no document."""
    await put(ledger, queued())
    first = await ledger.read("d1")
    await ledger.beat("host-1")

    second = await ledger.read("d1")

    assert (first.worker_seen, second.worker_seen) == (False, True)
    assert first.document is second.document


async def test_what_another_process_wrote_is_seen_by_the_next_read(
    ledger: SqlLedger, ledger_url: str
) -> None:
    await put(ledger, document("d1", item("a1")))
    await ledger.read("d1")
    asked(ledger_url, "UPDATE item SET name = 'renamed elsewhere'")

    (found,) = (await ledger.read("d1")).document.items

    assert found.name == "renamed elsewhere"


async def test_what_this_process_wrote_is_seen_by_the_next_read(ledger: SqlLedger) -> None:
    await put(ledger, queued())
    await ledger.read("d1")

    def cancelling(view: View) -> Change:
        return Change(document=replace(view.document, cancel_requested=True))

    await ledger.change("d1", Anyhow(), cancelling)

    assert (await ledger.read("d1")).document.cancel_requested


async def test_two_documents_alike_but_for_their_id_are_two(ledger: SqlLedger) -> None:
    await put(ledger, document("d1"), document("d2"))

    ids = [(await ledger.read(each)).document.id for each in ("d1", "d2", "d1", "d2")]

    assert ids == ["d1", "d2", "d1", "d2"]


async def test_a_long_document_is_not_kept(ledger: SqlLedger) -> None:
    """What is kept is bounded by its length too, not by its number alone."""
    await put(ledger, document("d1", replace(item("a1"), params={"note": LONG})))

    first, second = await ledger.read("d1"), await ledger.read("d1")

    assert first.document == second.document
    assert first.document is not second.document
