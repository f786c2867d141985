"""Reading a document is what recovers it: within a budget, one process at a time, and then no more.

Several products, as several processes have them, read on one ledger in virtual time.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Coroutine, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from adapters.bootstrap import Reconciler
from adapters.bootstrap import product as product_module
from adapters.clock import SystemClock
from adapters.store.ledger import SqlLedger
from adapters.store.postgres import PostgresLedger
from fixtures.graph.scene import small_world
from fixtures.lives import DiesAt
from fixtures.seeded_chance import SeededChance
from fixtures.stage import OpenLedger, Stage
from fixtures.world_graph import Sky, WorldGraph
from reconciler import publish
from reconciler.facts import with_items
from reconciler.limits import Limits
from reconciler.listing import Walk
from reconciler.model import BlockReason, DocumentState, Item, ItemState, NextAction, Reason
from reconciler.outside import Outside
from reconciler.ports import Anyhow, Change, View
from reconciler.settle import Settled
from tests.contract.ledger_documents import MINUTE, pending, publishing, put
from tests.contract.ledgers import StandingClock
from tests.crash.plans import ONE_AD
from tests.crash.promise import assert_promise
from tests.databases import opened
from tests.integration.crashed import crashed_after_create

READERS = 50
PROCESSES = 5


@pytest.fixture
def stage(open_ledger: OpenLedger) -> Iterator[Stage]:
    made = Stage(open_ledger=open_ledger)
    yield made
    assert_promise(made)
    made.close()


async def _nothing() -> None:
    pass


def product_on(stage: Stage) -> Reconciler:
    """A process of its own."""
    return Reconciler(stage.process(), read_budget=timedelta(seconds=2), close=_nothing)


def all_read(stage: Stage, document_id: str) -> list[Settled]:
    """What fifty readers at once were told, spread over five processes."""
    products = [product_on(stage) for _ in range(PROCESSES)]

    async def readers() -> list[Settled]:
        reads = (products[at % PROCESSES].read(document_id) for at in range(READERS))
        return list(await asyncio.gather(*reads))

    return stage.time.run(readers())


def seconds_taken(stage: Stage, work: Coroutine[Any, Any, Settled]) -> tuple[Settled, float]:
    """Its result, and the virtual seconds until it was there."""
    before = stage.time.now()
    settled = stage.time.run(work)
    return settled, (stage.time.now() - before).total_seconds()


# --- many at once --------------------------------------------------------------------------------


def test_r089_fifty_readers_of_a_crashed_document_make_one_listing_and_later_ones_none(
    stage: Stage,
) -> None:
    """R089: a GET that starts work is harmful when it is repeated."""
    document_id = crashed_after_create(stage)

    told = all_read(stage, document_id)
    listings = len(stage.graph.walks)
    later = all_read(stage, document_id)

    assert listings == 1
    assert len(stage.graph.walks) == listings
    assert sum(settled.looked for settled in told) == 1
    assert {settled.view.document.state for settled in later} == {DocumentState.PUBLISHED}


def test_what_cannot_be_known_yet_is_looked_at_once_and_again_only_when_it_is_due(
    stage: Stage,
) -> None:
    document_id = stage.submit(ONE_AD)
    dying = stage.worker(DiesAt(effect="graph.create")).outside  # before it sent anything
    assert stage.dies(publish.publish(document_id, dying))
    stage.time.pass_(stage.limits.lease)

    all_read(stage, document_id)
    early = len(stage.graph.walks)
    told = all_read(stage, document_id)
    step = told[0].view.document.next
    assert len(stage.graph.walks) == early
    stage.time.pass_until(stage.document(document_id).due_at or stage.time.now())
    all_read(stage, document_id)

    assert early == 1
    assert (step.action, step.until) == (NextAction.WAIT, told[0].view.document.due_at)
    assert len(stage.graph.walks) == early + 1


# --- the budget ----------------------------------------------------------------------------------


def test_a_read_answers_within_its_budget_and_the_next_ones_at_once(stage: Stage) -> None:
    document_id = crashed_after_create(stage)
    stage.sky.latency = timedelta(seconds=30)
    product = product_on(stage)

    slow, seconds = seconds_taken(stage, product.read(document_id, budget=1.5))
    walks = len(stage.graph.walks)
    quick, at_once = seconds_taken(stage, product.read(document_id, budget=1.5))

    assert slow.withheld is Reason.LISTING_INCOMPLETE
    assert seconds == pytest.approx(1.5)
    assert slow.view.document.lease is None
    assert (quick.looked, at_once, len(stage.graph.walks)) == (False, 0.0, walks)
    assert quick.view.document.next.until == slow.view.document.due_at
    assert quick.view.document.next.action is NextAction.WAIT


def test_a_look_that_outlasts_the_budget_goes_on_where_its_program_lives_on(stage: Stage) -> None:
    """A container whose listing takes longer than a reader waits would never be listed else."""
    document_id = crashed_after_create(stage)
    stage.sky.latency = timedelta(seconds=4)
    product, minutes = product_on(stage), timedelta(minutes=5)

    async def story() -> tuple[Settled, Settled, Settled]:
        told = await product.read(document_id, going_on=minutes)
        beside = await product.read(document_id, going_on=minutes)
        assert beside.view.now == told.view.now == begun + timedelta(seconds=2)
        await asyncio.sleep(minutes.total_seconds())
        return told, beside, await product.read(document_id, going_on=minutes)

    begun = stage.time.now()
    told, beside, later = stage.time.run(story())

    assert told.withheld is Reason.LISTING_INCOMPLETE
    assert told.view.document.next.why == "what became of it is being found out"
    assert beside.held_by_another
    assert [item.state for item in later.view.document.items] == [ItemState.CONFIRMED]


def test_more_looks_than_may_go_on_end_with_their_budget(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    document_id = crashed_after_create(stage)
    stage.sky.latency = timedelta(seconds=30)
    monkeypatch.setattr(product_module, "GOING_ON_MAX", 0)

    told = stage.time.run(product_on(stage).read(document_id, going_on=timedelta(minutes=5)))

    assert told.withheld is Reason.LISTING_INCOMPLETE
    assert told.view.document.lease is None


def test_a_look_in_vain_is_not_told_as_too_early(stage: Stage) -> None:
    """Once everything shows, it is the listing that failed."""
    document_id = crashed_after_create(stage)
    stage.time.run(asyncio.sleep(3600))
    stage.sky.latency = timedelta(seconds=30)

    told = stage.time.run(product_on(stage).read(document_id)).view.document.next

    assert told.why == "a call went unanswered; it is looked for again then"
    assert told.action is NextAction.WAIT


class Restless(WorldGraph):
    """While it lists, what is judged moves: whoever looks has to look again."""

    stage: Stage
    document_id: str

    async def walk(self, *asked: Any, **named: Any) -> Walk:
        """And an answer is recorded meanwhile."""
        walk = await super().walk(*asked, **named)
        await self.stage.ledger.change(self.document_id, Anyhow(), _moved)
        return walk


def _moved(view: View) -> Change:
    def counted(item: Item) -> Item:
        assert item.intent is not None
        return replace(item, intent=replace(item.intent, facts=item.intent.facts + 1))

    return Change(document=with_items(view.document, counted))


def test_looks_that_have_to_be_repeated_share_one_budget(stage: Stage) -> None:
    document_id = crashed_after_create(stage)
    stage.sky.latency = timedelta(seconds=0.8)
    restless = Restless(stage.world, sky=stage.sky, page_size=10)
    restless.stage, restless.document_id = stage, document_id
    stage.graph = restless

    _, seconds = seconds_taken(stage, product_on(stage).read(document_id))

    assert len(restless.walks) == 3
    assert seconds == pytest.approx(2.0)


class Silent(WorldGraph):
    """Answers no probe."""

    async def probe(self, account_id: str) -> bool:
        """Hangs."""
        await asyncio.sleep(3600)
        raise AssertionError("nobody waits that long")


def test_an_account_that_does_not_answer_costs_the_budget_and_is_then_left_alone(
    stage: Stage,
) -> None:
    document_id = crashed_after_create(stage)
    stage.graph = Silent(stage.world)
    open_one = stage.view(document_id).account
    refused = replace(open_one, reason=BlockReason.ACCESS, token_print=stage.graph.token)
    assert stage.time.run(stage.ledger.set_account(refused, open_one))
    product = product_on(stage)

    settled, seconds = seconds_taken(stage, product.read(document_id))
    again, at_once = seconds_taken(stage, product.read(document_id))

    assert settled.withheld is Reason.ACCESS
    assert seconds == pytest.approx(2.0)
    assert (again.withheld, at_once) == (Reason.ACCESS, 0.0)


# --- a reader that goes away ---------------------------------------------------------------------


def test_r090_a_reader_that_hangs_up_stops_nothing(stage: Stage) -> None:
    """R090: the work that a request began is not the request's."""
    document_id = crashed_after_create(stage)
    product = product_on(stage)

    async def hangs_up() -> None:
        reading = asyncio.create_task(product.read(document_id))
        await asyncio.sleep(0.01)
        reading.cancel()
        await asyncio.wait([reading])
        assert reading.cancelled()
        await asyncio.sleep(2)

    stage.time.run(hangs_up())

    document = stage.document(document_id)
    assert (document.state, document.lease) == (DocumentState.PUBLISHED, None)


def test_a_product_that_closes_gives_back_what_it_was_reading(stage: Stage) -> None:
    document_id = crashed_after_create(stage)
    product = product_on(stage)

    async def closes() -> None:
        reading = asyncio.create_task(product.read(document_id))
        await asyncio.sleep(0.01)
        await product.aclose()
        assert reading.done()

    stage.time.run(closes())

    document = stage.document(document_id)
    assert (document.lease, document.recoveries) == (None, 0)


async def test_r086_readers_that_hang_up_at_any_point_leave_no_connection_and_no_lease(
    ledger_url: str,
) -> None:
    """R086: cancelled tasks kept their connections, and the application ran dry."""
    clock = StandingClock()
    turns = random.Random(20260310)
    ids = [f"d{number}" for number in range(30)]
    async with opened(ledger_url, clock) as ledger:
        await put(ledger, *(publishing(one, pending("a1")) for one in ids))
        clock.pass_by(2 * MINUTE)
        product = Reconciler(
            outside_of(ledger, clock), read_budget=timedelta(seconds=30), close=_nothing
        )
        for document_id in ids:
            reading = asyncio.create_task(product.read(document_id))
            for _ in range(turns.randrange(40)):
                await asyncio.sleep(0)
            reading.cancel()
            await asyncio.wait([reading])
        await asyncio.gather(*product._reads._running)  # nobody waits for these any more
        settled = [await product.read(document_id) for document_id in ids]

        again = [(await ledger.read(document_id)).document for document_id in ids]
        assert [document.lease for document in again] == [None] * len(ids)
        assert {one.view.document.state for one in settled} == {DocumentState.QUEUED}
        if isinstance(ledger, PostgresLedger):
            assert ledger._database._engine.pool.checkedout() == 0  # type: ignore[attr-defined]


def outside_of(ledger: SqlLedger, clock: StandingClock) -> Outside:
    """A process with an account in which nothing was made."""
    chance = SeededChance(0)
    return Outside(
        ledger=ledger,
        graph=WorldGraph(small_world(clock), sky=Sky(latency=timedelta(0))),
        clock=SystemClock(),
        chance=chance,
        limits=Limits(),
        owner=chance.owner(),
    )
