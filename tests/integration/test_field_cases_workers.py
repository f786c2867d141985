"""Faults that real users met with workers, leases and cancels, played through the product's own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from adapters.store.ledger import SqlLedger
from adapters.store.sqlite import SqliteLedger
from fixtures.crash_points import Process
from fixtures.lives import IsStopped
from fixtures.stage import Stage
from reconciler import cancel, publish
from reconciler.attempt import run_attempt
from reconciler.errors import WrongState
from reconciler.limits import Limits
from reconciler.model import DocumentState, Grade, ItemState, NextAction
from reconciler.ports import Change, Event, Fenced, Guard, Takeover, View
from reconciler.renewal import HeldLease, local_now
from reconciler.settle import settle
from reconciler.sweep import sweep
from tests.contract.ledger_documents import (
    MINUTE,
    accepting,
    bound,
    item,
    leased,
    publishing,
    with_items,
)
from tests.contract.ledgers import NOON, StandingClock
from tests.crash.plans import ONE_AD, ads
from tests.databases import by_hand, new_file, opened

SECOND = timedelta(seconds=1)
ROUNDS = 100


@pytest.fixture
def stage() -> Iterator[Stage]:
    made = Stage()
    yield made
    made.close()


def requests(stage: Stage) -> tuple[int, int]:
    """Creates and walks so far."""
    return len(stage.graph.creates), len(stage.graph.walks)


def made(stage: Stage) -> list[str]:
    return sorted(creation.id for creation in stage.world.log if creation.kind == "ad")


def bound_ids(stage: Stage, document_id: str) -> list[str]:
    intents = [each.intent for each in stage.document(document_id).items if each.intent]
    return sorted(each.external_id for each in intents if each.external_id)


# --- who may act --------------------------------------------------------------------------------


def test_r060_the_same_message_again_asks_nothing_of_the_api(stage: Stage) -> None:
    """R060: while the first copy works: held. After it has finished: already done."""
    stage.sky.latency = 20 * SECOND
    document_id = stage.submit(ONE_AD)
    first, again = stage.process(), stage.process()

    async def story() -> str:
        working = asyncio.create_task(publish.publish(document_id, first))
        await asyncio.sleep(5)
        before = requests(stage)
        second = await publish.publish(document_id, again)
        assert requests(stage) == before
        await working
        return second.why

    assert stage.time.run(story()) == "another worker is publishing it"
    before = requests(stage)
    third = stage.publish(document_id, again)
    assert (third.why, third.attempt) == ("everything of it is published already", None)
    assert requests(stage) == before


@pytest.mark.parametrize("ahead", [240, -240])
def test_r064_a_worker_whose_clock_is_off_takes_nothing_that_is_held(
    stage: Stage, ahead: int
) -> None:
    """R064: the ledger's clock decides who holds what; a worker's own only ever shortens."""
    stage.sky.latency, stage.limits = 25 * SECOND, Limits(concurrency=1)
    document_id = stage.submit(ads("1", "2", "3", "4"), publish=True)
    alive, other = stage.process(), stage.worker(ahead=ahead * SECOND).outside

    async def story() -> None:
        working = asyncio.create_task(publish.publish(document_id, alive))
        await asyncio.sleep(90)
        assert (await sweep(other)).visits == ()
        assert (await settle(document_id, other)).view.document.state is DocumentState.PUBLISHING
        await working

    stage.time.run(story())

    assert stage.document(document_id).state is DocumentState.PUBLISHED
    assert len(stage.document(document_id).attempts) == 1


async def test_r061_of_an_end_and_a_takeover_at_one_moment_exactly_one_is_written(
    ledger_url: str,
) -> None:
    """R061: a hundred times, each with a barrier; the loser sees no row and writes nothing."""
    clock = StandingClock(NOON)
    winners: set[str] = set()
    async with opened(ledger_url, clock) as worker, opened(ledger_url, clock) as sweeper:
        for number in range(ROUNDS):
            key = f"d{number}"
            await worker.submit(key, accepting(publishing(key, **leased(until=NOON))))
            writes: dict[str, tuple[SqlLedger, Guard, DocumentState]] = {
                "end": (worker, Fenced(owner="worker", epoch=1), DocumentState.PUBLISHED),
                "takeover": (sweeper, Takeover(epoch=1), DocumentState.QUEUED),
            }
            done = await at_once(
                *(ledger.change(key, guard, _to(state)) for ledger, guard, state in writes.values())
            )
            won = {name for name, view in zip(writes, done, strict=True) if view is not None}
            assert len(won) == 1
            winners |= won
            state = (await worker.read(key)).document.state
            assert state is writes[won.pop()][2]
            assert len(await worker.journal(key)) == 1
    assert winners


def _to(state: DocumentState) -> Callable[[View], Change]:
    def decide(view: View) -> Change:
        document = replace(view.document, state=state, lease=None)
        return Change(document=document, events=(Event(kind="state"),))

    return decide


async def at_once(*work: Awaitable[View | None]) -> list[View | None]:
    """All begin before any may end."""
    barrier = asyncio.Barrier(len(work))

    async def begun(one: Awaitable[View | None]) -> View | None:
        await barrier.wait()
        return await one

    return await asyncio.gather(*(begun(one) for one in work))


async def test_r062_a_file_that_is_locked_for_a_while_ends_no_lease(
    stage: Stage, tmp_path: Path
) -> None:
    """R062: the beat fails while somebody else writes, and goes on afterwards; one owner."""
    url, clock = new_file(tmp_path), StandingClock(NOON)
    ledger = SqliteLedger.open(url, now=clock, busy_milliseconds=1)
    outside = replace(stage.process(), ledger=ledger)
    await ledger.submit("d1", accepting(publishing("d1")))
    clock.pass_by(MINUTE)
    lease = (await ledger.read("d1")).document.lease
    assert lease is not None
    held = HeldLease("d1", lease, local_now(outside), outside)

    with by_hand(url) as connection:
        connection.exec_driver_sql("UPDATE document SET revision = revision")  # takes the lock
        await held.renew()
        assert not held.lost
    assert (await ledger.read("d1")).document.lease == lease
    await held.renew()

    renewed = (await ledger.read("d1")).document.lease
    assert renewed is not None
    assert (held.lost, renewed.owner) == (False, lease.owner)
    assert renewed.until > lease.until
    await ledger.aclose()


async def test_r085_ids_recovered_into_a_nested_document_are_there_for_the_next_session(
    ledger_url: str,
) -> None:
    """R085: and recovering once more changes nothing."""
    attributes = {"id": "7", "adlabels": [{"name": "rc1-a", "ids": ["1"]}]}
    changed = attributes | {"adlabels": [{"name": "rc1-a", "ids": ["1", "2"]}]}
    clock = StandingClock(NOON)
    async with opened(ledger_url, clock) as first:
        given = publishing("d1", *(item(f"a{n}") for n in range(3)))
        await first.submit("d1", accepting(given))
        for told in (attributes, changed):
            recovered = [bound(f"a{n}", f"70{n}", Grade.MARK, attributes=told) for n in (0, 1)]
            assert await first.change("d1", Fenced(owner="worker", epoch=1), with_items(*recovered))

    async with opened(ledger_url, clock) as second:
        document = (await second.read("d1")).document
    intents = [each.intent for each in document.items if each.intent]
    assert [each.external_id for each in intents] == ["700", "701"]
    assert [each.attributes for each in intents] == [changed, changed]


# --- cancels ------------------------------------------------------------------------------------


def test_r078_cancelled_between_claim_and_first_create_makes_nothing(stage: Stage) -> None:
    document_id = stage.submit(ads("1", "2"), publish=True)
    outside = stage.process()

    async def story() -> None:
        claimed = await publish.claim(document_id, "act_1001", outside)
        assert claimed is not None
        await cancel.cancel(document_id, stage.process())
        await run_attempt(claimed, local_now(outside), outside)

    stage.time.run(story())

    assert stage.document(document_id).state is DocumentState.CANCELLED
    assert requests(stage) == (0, 0)


def test_r078_cancelled_while_a_create_is_open_saves_its_id_and_makes_no_other(
    stage: Stage,
) -> None:
    """What exists stays listed, for a person to clean up."""
    stage.sky.latency = 10 * SECOND
    document_id = stage.submit(ads("1", "2", "3"))
    outside = stage.process()

    async def story() -> None:
        working = asyncio.create_task(publish.publish(document_id, outside))
        await asyncio.sleep(5)
        view = await cancel.cancel(document_id, stage.process())
        assert view.document.state is DocumentState.PUBLISHING
        assert view.document.cancel_requested
        await working

    stage.time.run(story())

    document = stage.document(document_id)
    assert document.state is DocumentState.CANCELLED
    assert [each.state for each in document.items] == [
        ItemState.CONFIRMED,
        ItemState.WAITING,
        ItemState.WAITING,
    ]
    assert bound_ids(stage, document_id) == made(stage)
    assert len(stage.graph.creates) == 1


def test_r078_cancelled_a_moment_before_the_end_is_too_late(stage: Stage) -> None:
    stage.sky.latency = 10 * SECOND
    document_id = stage.submit(ONE_AD)
    outside = stage.process()

    async def story() -> None:
        working = asyncio.create_task(publish.publish(document_id, outside))
        await asyncio.sleep(9.999)
        await cancel.cancel(document_id, stage.process())
        await working

    stage.time.run(story())

    assert stage.document(document_id).state is DocumentState.PUBLISHED
    with pytest.raises(WrongState, match="too late"):
        stage.time.run(cancel.cancel(document_id, stage.process()))


def test_a_cancel_is_honoured_on_every_way_out(stage: Stage) -> None:
    """Wherever its worker died: it ends cancelled, or published where everything was made."""
    seen: set[DocumentState] = set()
    for number in range(8):
        life = Process(dies_at=number, after=True)
        document_id = stage.submit(ads(f"{number} / 1", f"{number} / 2"))
        stage.dies(publish.publish(document_id, stage.worker(life).outside))
        if stage.document(document_id).state is not DocumentState.PUBLISHED:
            stage.time.run(cancel.cancel(document_id, stage.process()))
        for _ in range(10):
            stage.time.pass_(MINUTE)
            stage.time.run(sweep(stage.process()))
        document = stage.document(document_id)
        assert document.state in (DocumentState.CANCELLED, DocumentState.PUBLISHED)
        assert document.owes_look_from is None
        seen.add(document.state)
    every = sorted(
        each for document_id in stage.documents for each in bound_ids(stage, document_id)
    )
    assert every == made(stage)
    assert seen == {DocumentState.CANCELLED, DocumentState.PUBLISHED}


def test_a_cancelled_document_is_never_claimed_again(stage: Stage) -> None:
    document_id = stage.submit(ONE_AD, publish=True)
    stage.time.run(cancel.cancel(document_id, stage.process()))

    assert stage.time.run(publish.claim(document_id, "act_1001", stage.process())) is None
    with pytest.raises(WrongState):
        stage.publish(document_id)
    assert requests(stage) == (0, 0)


# --- an answer after the end ----------------------------------------------------------------------


def answered_too_late(stage: Stage, meanwhile: Callable[[str], Awaitable[object]]) -> str:
    """A document whose only create went out ten minutes after its worker had checked its lease.

    By then it was proven that nothing was made, and `meanwhile` happened: outside A3.
    """
    stage.limits = Limits(max_attempts=1)
    document_id = stage.submit(ONE_AD)
    asleep = stage.worker(IsStopped(effect="graph.create", stops_for=600.0)).outside

    async def story() -> None:
        working = asyncio.create_task(publish.publish(document_id, asleep))
        for _ in range(9):
            await asyncio.sleep(60)
            await sweep(stage.process())
        await meanwhile(document_id)
        await working

    stage.time.run(story())
    assert len(made(stage)) == 1
    return document_id


async def nothing_more(_: str) -> None:
    """Its only attempt is used up."""


def test_an_answer_after_the_end_is_recorded_by_the_next_publish_which_makes_nothing(
    stage: Stage,
) -> None:
    document_id = answered_too_late(stage, nothing_more)
    document = stage.document(document_id)
    assert document.state is DocumentState.FAILED
    assert (document.next.action, document.next.why[:32]) == (
        NextAction.PUBLISH,
        "the API answered after it had en",
    )

    stage.publish(document_id)

    assert stage.document(document_id).state is DocumentState.PUBLISHED
    assert bound_ids(stage, document_id) == made(stage)
    assert len(made(stage)) == 1


def test_an_answer_after_a_cancel_is_surplus_that_the_next_look_keeps(stage: Stage) -> None:
    """R079: a cancelled document binds nothing any more; what exists is a person's to clean up."""
    document_id = answered_too_late(stage, lambda each: cancel.cancel(each, stage.process()))

    for _ in range(2):
        document = stage.document(document_id)
        assert document.state is DocumentState.CANCELLED
        assert [extra.external_id for extra in document.surplus] == made(stage)
        assert document.next.action is NextAction.DECIDE
        stage.time.run(settle(document_id, stage.process(), refresh=True))
