"""Many documents are published at once, on real connections, and PostgreSQL ends all of them.

Whatever transactions run in that moment, in whatever order: afterwards every document is published,
each item once. The world is the judge; time is real, so the timings are short.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Final

import pytest

from adapters.clock import SystemChance, SystemClock
from adapters.store.postgres import PostgresLedger
from fixtures.graph.scene import small_world
from fixtures.stage import RESTING, advance
from fixtures.world_graph import WorldGraph
from reconciler.call_outcome import Answer, CreateRequest
from reconciler.errors import LedgerUnavailable
from reconciler.limits import Limits
from reconciler.model import Document, DocumentState
from reconciler.outside import Outside
from reconciler.plan import read_plan
from reconciler.publish import publish
from reconciler.submit import submit
from tests.contract.postgres_hand import Hand
from tests.crash import promise
from tests.crash.plans import ads
from tests.postgres import Postgres

DOCUMENTS: Final = 6
ROUNDS_MAX: Final = 400
SHORT: Final = Limits(
    lease=timedelta(seconds=6),
    lease_margin=timedelta(seconds=0.2),
    call_timeout=timedelta(seconds=3),
    late_landing=timedelta(seconds=0.3),
    listing_lag=timedelta(seconds=0.2),
    backoff_base=timedelta(seconds=0.05),
    concurrency=3,
)


@dataclass(slots=True, kw_only=True)
class Cutting(WorldGraph):
    """At each of these creates, counted from 1, every session is ended while others go on."""

    at: frozenset[int]
    cut: Callable[[], None]
    one_at_a_time: asyncio.Lock = field(default_factory=asyncio.Lock)
    asked: int = 0

    async def create(self, request: CreateRequest, *, within: timedelta) -> Answer:
        """One POST."""
        self.asked += 1
        if self.asked in self.at:
            await self._cut_everybody_off()
        return await WorldGraph.create(self, request, within=within)

    async def _cut_everybody_off(self) -> None:
        async with self.one_at_a_time:  # or they cut off each other
            await asyncio.to_thread(self.cut)


def _process(ledger: PostgresLedger, graph: WorldGraph) -> Outside:
    chance = SystemChance()
    return Outside(
        ledger=ledger,
        graph=graph,
        clock=SystemClock(),
        chance=chance,
        limits=SHORT,
        owner=chance.owner(),
    )


async def _submitted(number: int, worker: Outside) -> str:
    plan = ads(*(f"Wave {number} / {ad}" for ad in range(1, 5)))
    submitted = await submit(
        read_plan(plan, echo=SHORT.echo),
        key=None,
        new=False,
        publish=False,
        ledger=worker.ledger,
        chance=worker.chance,
        limits=SHORT,
    )
    return submitted.document.id


async def _tried(document_id: str, worker: Outside) -> None:
    """A publish may end in an error of the ledger, and in no other."""
    try:
        await publish(document_id, worker)
    except* LedgerUnavailable:
        pass


async def _rested(document_id: str, worker: Outside) -> Document:
    document = (await worker.ledger.read(document_id)).document
    for _ in range(ROUNDS_MAX):
        if document.state is DocumentState.DRAFT:
            await publish(document_id, worker)
        elif document.state in RESTING and document.owes_look_from is None:
            break
        else:
            await advance(document_id, worker)
        await asyncio.sleep(0.1)
        document = (await worker.ledger.read(document_id)).document
    return document


@pytest.mark.parametrize("at", [{2}, {7}, {9, 14}, {5, 10, 15, 20}], ids=str)
async def test_every_document_ends_published_each_item_once(
    postgres: Postgres, at: set[int]
) -> None:
    hand = Hand(postgres.migrated())
    world = small_world(lambda: datetime.now(UTC))
    graph = Cutting(world=world, at=frozenset(at), cut=hand.cut_everybody_off)
    ledger = hand.ledger()
    worker = _process(ledger, graph)
    ids = [await _submitted(number, worker) for number in range(DOCUMENTS)]

    await asyncio.gather(*(_tried(document_id, worker) for document_id in ids))
    fresh = replace(worker, owner=worker.chance.owner())
    documents = await asyncio.gather(*(_rested(document_id, fresh) for document_id in ids))

    assert {document.state for document in documents} == {DocumentState.PUBLISHED}
    for document in documents:
        promise.assert_nothing_foreign_is_bound(world, document)
        promise.assert_nothing_exists_twice(world, document)
        assert document.surplus == ()
    promise.assert_nothing_is_bound_twice(documents)
    promise.assert_every_creation_is_explained(world, documents)
    assert graph.asked >= max(at)
    await ledger.aclose()
