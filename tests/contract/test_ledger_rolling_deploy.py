"""A newer release may migrate the ledger while processes of this one have it open: they go on."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from adapters.store.ledger import SqlLedger
from adapters.store.schema import VERSION
from reconciler.errors import WrongSchema
from reconciler.ports import Anyhow
from tests.contract.ledger_documents import bound, document, item, put, setting, with_items
from tests.contract.ledgers import StandingClock
from tests.databases import asked, opened

TABLES = ("document", "item", "intent", "call", "attempt", "account")
NEWER = f"{int(VERSION) + 1:04d}"


@pytest_asyncio.fixture
async def ledger(ledger_url: str, clock: StandingClock) -> AsyncIterator[SqlLedger]:
    """A new ledger in each database."""
    async with opened(ledger_url, clock) as found:
        yield found


def migrated_by_a_newer_release(url: str) -> None:
    """A release adds what an older one need not know: columns that may be null, tables."""
    for table in TABLES:
        asked(url, f'ALTER TABLE "{table}" ADD COLUMN told_by_a_newer_release TEXT')
    asked(url, "CREATE TABLE of_a_newer_release (id TEXT PRIMARY KEY)")
    asked(url, f"UPDATE ledger_schema SET version_num = '{NEWER}'")


async def test_what_is_open_goes_on(ledger: SqlLedger, ledger_url: str) -> None:
    await put(ledger, document("d1", item("a1")))
    await ledger.read("d1")
    migrated_by_a_newer_release(ledger_url)

    await put(ledger, document("d2"))
    await ledger.change("d1", Anyhow(), with_items(bound("a1", "7")))
    await ledger.change("d1", Anyhow(), setting(cancel_requested=True))

    view = await ledger.read("d1")
    assert view.document.items[0] == bound("a1", "7")
    assert view.document.cancel_requested


async def test_what_starts_afresh_says_that_it_is_the_older_one(
    ledger: SqlLedger, ledger_url: str, clock: StandingClock
) -> None:
    migrated_by_a_newer_release(ledger_url)

    with pytest.raises(WrongSchema, match=f"{NEWER}, newer than the {VERSION}"):
        async with opened(ledger_url, clock):
            pass
