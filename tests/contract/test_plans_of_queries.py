"""What workers ask, over and over, is found by an index, however many documents there were."""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Final

import pytest
import pytest_asyncio

from adapters.store.ledger import SqlLedger
from adapters.store.postgres import migrate
from fixtures.postgres_server import running_postgres
from reconciler.due import Due, DueDocument
from reconciler.model import DocumentState, Kind
from reconciler.ports import Around, Claim, Fenced, SettleLease, Takeover
from tests.contract.ledger_documents import publishing, put, queued, setting, unchanged
from tests.contract.ledgers import NOON
from tests.contract.many_documents import fill
from tests.contract.plans_of_queries import plans
from tests.databases import new_file, opened
from tests.postgres import GRAPH_URL

MANY: Final = int(os.environ.get("MANY_DOCUMENTS", "1000000"))
"""The size that counts is 10,000,000: MANY_DOCUMENTS=10000000 needs 4 GB of memory and minutes."""

pytestmark = pytest.mark.timeout(1_800)  # ten million are made in minutes

DAY: Final = timedelta(days=1)
LEASE: Final = timedelta(minutes=2)
LARGE: Final = ("document", "item", "intent", "call")
INDEXES: Final = {
    Due.CLAIM: "ix_document_claimable",
    Due.TAKEOVER: "ix_document_leased",
    Due.LOOK: "ix_document_claimable",
    Due.OWED_LOOK: "ix_document_owed",
    Due.CANCEL: "ix_document_cancelling",
    Due.STRANDED: "ix_document_claimable",
}
AROUND: Final = Around(
    names=frozenset({(Kind.AD, "2001", "Spring / 1")}), external_ids=frozenset({"7"})
)
QUEUED: Final = DocumentState.QUEUED
ROUNDS: Final = 50
SECONDS_MAX: Final = 0.5


@pytest.fixture(scope="module")
def many() -> Iterator[str]:
    """The URL of a ledger with that many documents."""
    with running_postgres(wal_level="minimal", max_wal_senders="0") as server:
        migrate(server.url(), graph_url=GRAPH_URL, accept_unsafe=True)
        fill(server.url(), MANY)
        yield server.url()


@pytest_asyncio.fixture(params=["sqlite", "postgres"])
async def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[SqlLedger]:
    """A full one on PostgreSQL. SQLite plans without counting rows: there a few do."""
    is_sqlite = request.param == "sqlite"
    url = new_file(tmp_path) if is_sqlite else request.getfixturevalue("many")
    async with opened(url) as ledger:
        if is_sqlite:
            await put(ledger, *(queued(f"d{number}") for number in range(3)), publishing("crashed"))
        yield ledger


async def _next(ledger: SqlLedger, kind: Due) -> str:
    return (await ledger.due(kind, limit=1, passing_max=DAY))[0].document_id


@pytest.mark.parametrize("kind", Due)
async def test_what_is_due_is_paged_through_by_its_own_index(ledger: SqlLedger, kind: Due) -> None:
    with plans() as told:
        page = await ledger.due(kind, limit=100, passing_max=DAY)
        last = page[-1] if page else DueDocument(document_id="d", account_id="a", at=NOON)
        await ledger.due(kind, limit=100, passing_max=DAY, after=last)

    assert told.reading_whole(*LARGE) == []
    assert len(told.using(INDEXES[kind])) == 2


async def test_whose_turn_it_is_and_what_is_claimed_of_one_account_has_an_index_of_its_own(
    ledger: SqlLedger,
) -> None:
    with plans() as told:
        [first, *_] = await ledger.turns(limit=20)
        await ledger.due(Due.CLAIM, limit=100, passing_max=DAY, account_id=first.account_id)

    assert told.reading_whole(*LARGE) == []
    assert len(told.using("ix_document_turn")) == 2


async def test_a_claim_and_what_is_done_under_it_touch_one_document(ledger: SqlLedger) -> None:
    document_id = await _next(ledger, Due.CLAIM)
    mine = Fenced(owner="me", epoch=2)

    with plans() as told:
        claim = Claim(owner="me", duration=LEASE, token_print=None)
        view = await ledger.change(document_id, claim, unchanged)
        assert view is not None
        mine = Fenced(owner="me", epoch=view.document.lease_epoch)
        assert await ledger.renew(document_id, mine.owner, mine.epoch, LEASE) is not None
        assert await ledger.change(document_id, replace(mine, left=LEASE / 2), unchanged)
        assert await ledger.change(document_id, mine, unchanged, around=AROUND)

    assert told.reading_whole(*LARGE) == []
    assert len(told.found) > 8


async def test_a_takeover_and_a_settle_lease_touch_one_document(ledger: SqlLedger) -> None:
    document_id = await _next(ledger, Due.TAKEOVER)
    epoch = (await ledger.read(document_id)).document.lease_epoch

    with plans() as told:
        assert await ledger.change(document_id, Takeover(epoch=epoch), setting(state=QUEUED))
        settle = SettleLease(owner="me", duration=LEASE)
        assert await ledger.change(document_id, settle, unchanged)

    assert told.reading_whole(*LARGE) == []
    assert len(told.found) > 4


async def test_a_page_of_work_and_a_claim_take_no_longer_for_all_there_was(
    many: str, record_property: Callable[[str, object], None]
) -> None:
    """The bound is far above what was measured: what reads ten million rows takes seconds."""
    async with opened(many) as ledger:
        claim = Claim(owner="me", duration=LEASE, token_print=None)
        began = time.perf_counter()
        for _ in range(ROUNDS):
            await ledger.change(await _next(ledger, Due.CLAIM), claim, unchanged)
        each = (time.perf_counter() - began) / ROUNDS

    assert each < SECONDS_MAX
    record_property("milliseconds for a page of one and its claim", round(each * 1000, 2))
