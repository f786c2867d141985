"""Waves follow one another without a pause, and what stops one leaves nothing sent on a guess."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import pytest

from fixtures.crash_points import Process
from fixtures.lives import IsStopped, LedgerFails
from fixtures.stage import Stage
from fixtures.world_graph import Weather, WorldGraph
from reconciler.call_outcome import Again, Answer, CreateRequest
from reconciler.cancel import cancel
from reconciler.limits import Limits
from reconciler.listing import Walk
from reconciler.model import (
    AttemptOutcome,
    BlockReason,
    Document,
    DocumentState,
    ItemState,
    Outcome,
)
from reconciler.publish import publish
from tests.crash.plans import ads
from tests.crash.promise import assert_promise, live_entities_per_item

TWO_AT_ONCE = Limits(concurrency=2, wave_size=2)
ROUND = timedelta(milliseconds=50)
"""What one create takes on the stage."""


@pytest.fixture
def stage() -> Iterator[Stage]:
    made = Stage(limits=TWO_AT_ONCE)
    yield made
    made.close()


def states(document: Document) -> list[ItemState]:
    return [item.state for item in document.items]


def outcomes(document: Document, key: str) -> list[Outcome | None]:
    intent = document.item(key).intent
    return [call.outcome for call in intent.calls] if intent else []


def once_each(stage: Stage, document: Document) -> bool:
    live = live_entities_per_item(stage.world, document)
    return all(len(live[item.key]) == 1 for item in document.items)


def test_no_sender_waits_for_the_end_of_a_wave(stage: Stage) -> None:
    """One alone, then six by twos: four rounds. Waves of three with a pause between took five."""
    stage.limits = Limits(concurrency=2, wave_size=3)
    document_id = stage.submit(ads(*"ABCDEFG"))
    began = stage.time.now()

    document = stage.publish(document_id).view.document

    assert document.state is DocumentState.PUBLISHED
    assert stage.time.now() - began == 4 * ROUND
    assert_promise(stage)


def test_nothing_is_written_beside_the_first_create(stage: Stage) -> None:
    """The label would come to exist twice, and a kill would leave intents that were never sent."""
    stage.sky.by_number = {0: Weather.ERROR_BEFORE}

    document = stage.publish(stage.submit(ads(*"ABC"))).view.document

    assert states(document) == [ItemState.PENDING, ItemState.WAITING, ItemState.WAITING]
    assert_promise(stage)


def test_what_was_written_beside_a_create_that_stays_unknown_is_not_sent(stage: Stage) -> None:
    stage.sky.by_number = {1: Weather.ERROR_BEFORE}
    document_id = stage.submit(ads(*"ABCDEFG"))

    document = stage.publish(document_id).view.document

    assert len(stage.graph.creates) == 3
    assert states(document) == [
        ItemState.CONFIRMED,
        ItemState.PENDING,
        ItemState.CONFIRMED,
        ItemState.ABSENT,
        ItemState.ABSENT,
        ItemState.WAITING,
        ItemState.WAITING,
    ]
    assert outcomes(document, "a4") == [Outcome.NOT_SENT]
    assert stage.run_until_rest(document_id).state is DocumentState.PUBLISHED
    assert_promise(stage)


@pytest.mark.parametrize("stored", [False, True], ids=["refused", "acknowledgement lost"])
def test_creates_in_flight_are_saved_when_the_next_wave_cannot_be_written(
    stage: Stage, stored: bool
) -> None:
    """Torn, they would be unknown: two entities that somebody would have to look for."""
    document_id = stage.submit(ads(*"ABCDE"))
    life = LedgerFails(dies_at=beside_the_second_wave(), after=stored)

    document = stage.publish(document_id, stage.worker(life).outside).view.document

    assert [outcomes(document, key) for key in ("a2", "a3")] == [[Outcome.CREATED]] * 2
    assert outcomes(document, "a4") == ([None] if stored else [])
    assert document.attempts[-1].outcome is AttemptOutcome.ERROR
    rested = stage.run_until_rest(document_id)
    assert rested.state is DocumentState.PUBLISHED
    assert once_each(stage, rested)
    assert_promise(stage)


def beside_the_second_wave() -> int:
    """The number of the effect that writes a4 and a5, while a2 and a3 are in flight."""
    stage = Stage(limits=TWO_AT_ONCE)
    worker = stage.worker()
    stage.publish(stage.submit(ads(*"ABCDE")), worker.outside)
    stage.close()
    creates = [n for n, effect in enumerate(worker.life.effects) if effect == "graph.create"]
    beside = [n for n in range(creates[2], creates[3]) if "Fenced" in worker.life.effects[n]]
    return beside[0]


@dataclass(slots=True)
class CountingGraph(WorldGraph):
    """Remembers how many creates were in flight at most."""

    in_flight: int = 0
    most: int = 0

    async def create(self, request: CreateRequest, *, within: timedelta) -> Answer:
        """The same, counted."""
        self.in_flight += 1
        self.most = max(self.most, self.in_flight)
        try:
            return await super(CountingGraph, self).create(request, within=within)
        finally:
            self.in_flight -= 1


def test_several_documents_share_the_creates_in_flight(stage: Stage) -> None:
    first, second = stage.submit(ads(*"ABC"), new=True), stage.submit(ads(*"DEF"), new=True)
    graph = CountingGraph(stage.world, sky=stage.sky)
    outside = replace(stage.process(), graph=graph)

    async def both() -> None:
        await asyncio.gather(publish(first, outside), publish(second, outside))

    stage.time.run(both())

    assert [stage.document(each).state for each in (first, second)] == ["published"] * 2
    assert graph.most == 2


def stopped_at_the_last_create() -> Process:
    return IsStopped(effect="graph.create", nth=2, after=True, stops_for=100)


def asked_to_stop(stage: Stage) -> Callable[[], bool]:
    return lambda: len(stage.graph.creates) == 3


def test_what_confirmed_everything_has_succeeded_however_little_lease_is_left(
    stage: Stage,
) -> None:
    """Handed back, it would be claimed once more to find that nothing is left."""
    document_id = stage.submit(ads(*"ABC"))

    published = stage.publish(document_id, stage.worker(stopped_at_the_last_create()).outside)

    assert published.attempt is not None
    assert published.attempt.outcome is AttemptOutcome.SUCCEEDED
    assert published.view.document.state is DocumentState.PUBLISHED
    assert_promise(stage)


def test_a_stop_after_the_last_answer_stops_nothing(stage: Stage) -> None:
    document_id = stage.submit(ads(*"ABC"))

    worker = stage.worker(stopping=asked_to_stop(stage))
    document = stage.publish(document_id, worker.outside).view.document

    assert document.state is DocumentState.PUBLISHED
    assert document.attempts[-1].outcome is AttemptOutcome.SUCCEEDED
    assert_promise(stage)


def test_whoever_waits_for_a_slot_keeps_the_lease(stage: Stage) -> None:
    """Eight documents and one slot, 25 s a call: the last waits for 175 s, and moves no less."""
    stage.limits = Limits(concurrency=1)
    stage.sky.latency = timedelta(seconds=25)
    waiting = [stage.submit(ads(name), new=True) for name in "ABCDEFGH"]
    outside = stage.process()

    async def all_of_them() -> None:
        await asyncio.gather(*(publish(each, outside) for each in waiting))

    stage.time.run(all_of_them())

    assert [stage.document(each).state for each in waiting] == ["published"] * 8
    assert len(stage.graph.creates) == 8


def test_a_throttle_that_one_document_met_stops_the_others_of_its_account(stage: Stage) -> None:
    """Calling on lengthens the block (facts 2.11). Handed back, uncounted, due when it ends."""
    stage.limits = Limits(concurrency=2, wave_size=2)
    stage.sky.by_name = {"X": Weather.THROTTLED}
    stage.sky.wait = timedelta(minutes=5)
    throttled, other = stage.submit(ads("X"), new=True), stage.submit(ads(*"ABCDEFGH"), new=True)
    outside = stage.process()

    async def both() -> None:
        await asyncio.gather(publish(throttled, outside), publish(other, outside))

    stage.time.run(both())

    document = stage.document(other)
    assert document.state is DocumentState.QUEUED
    assert document.attempts[-1].outcome is AttemptOutcome.HANDED_BACK
    assert document.attempts_used == 0
    assert document.due_at == stage.view(other).account.until
    assert len(stage.graph.creates) < 9
    stage.sky.by_name = {}
    for each in (throttled, other):
        assert once_each(stage, stage.run_until_rest(each))
    assert_promise(stage)


@dataclass(slots=True)
class AnnouncingGraph(WorldGraph):
    """Says with the third entity it makes that the account will be blocked for five minutes."""

    async def create(self, request: CreateRequest, *, within: timedelta) -> Answer:
        """A clear answer, and a block announced beside it (facts 3)."""
        answer = await super(AnnouncingGraph, self).create(request, within=within)
        if len(self.creates) < 3:
            return answer
        return replace(answer, again=Again.THROTTLED, wait=timedelta(minutes=5))


@pytest.mark.parametrize(
    ("names", "outcome"),
    [("ABC", AttemptOutcome.SUCCEEDED), ("ABCD", AttemptOutcome.HANDED_BACK)],
)
def test_a_block_announced_with_the_last_entity_closes_the_account_and_hands_nothing_back(
    stage: Stage, names: str, outcome: AttemptOutcome
) -> None:
    stage.limits = Limits(concurrency=1)
    document_id = stage.submit(ads(*names))
    outside = replace(stage.process(), graph=AnnouncingGraph(stage.world, sky=stage.sky))

    view = stage.publish(document_id, outside).view

    assert view.document.attempts[-1].outcome is outcome
    assert view.account.reason is BlockReason.THROTTLED
    assert stage.run_until_rest(document_id).state is DocumentState.PUBLISHED


@dataclass(slots=True, kw_only=True)
class PacedGraph(WorldGraph):
    """Has every create wait for this long; remembers when each one left."""

    pause: timedelta
    left_at: list[float] = field(default_factory=list)

    async def keep_pace(self, account_id: str, *, within: timedelta) -> None:
        """Long, whatever the call may take."""
        await asyncio.sleep(self.pause.total_seconds())

    async def create(self, request: CreateRequest, *, within: timedelta) -> Answer:
        """As ever."""
        self.left_at.append(asyncio.get_running_loop().time())
        return await super(PacedGraph, self).create(request, within=within)


@pytest.mark.parametrize(("pause", "sent"), [(5, 3), (130, 0)])
def test_the_lease_is_checked_behind_the_wait_for_the_accounts_pace(
    stage: Stage, pause: float, sent: int
) -> None:
    """A2: what the wait used up of the lease is not there for the call."""
    document_id = stage.submit(ads(*"ABC"))
    graph = PacedGraph(stage.world, sky=stage.sky, pause=timedelta(seconds=pause))

    stage.publish(document_id, replace(stage.process(), graph=graph))

    assert len(graph.left_at) == sent
    assert once_each(stage, stage.run_until_rest(document_id))


@pytest.mark.parametrize("said", ["stop", "cancel"])
def test_what_is_said_while_a_create_waits_for_its_pace_is_heard(stage: Stage, said: str) -> None:
    document_id = stage.submit(ads(*"ABC"))
    graph = PacedGraph(stage.world, sky=stage.sky, pause=timedelta(seconds=5))
    stops_at = stage.time.now() + timedelta(seconds=7)
    worker = stage.worker(stopping=lambda: said == "stop" and stage.time.now() >= stops_at)
    outside = replace(worker.outside, graph=graph)

    async def published_and_cancelled() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(publish(document_id, outside))
            await asyncio.sleep(2)
            if said == "cancel":
                await cancel(document_id, outside)

    stage.time.run(published_and_cancelled())

    assert len(graph.left_at) == 1
    assert_promise(stage)


@dataclass(slots=True)
class HangingGraph(WorldGraph):
    """Creates as ever; a listing answers after an hour."""

    async def walk(self, *arguments: Any, **named: Any) -> Walk:
        """Hangs."""
        await asyncio.sleep(3_600)
        return await super(HangingGraph, self).walk(*arguments, **named)


def test_told_to_stop_while_it_looks_an_attempt_drops_the_look_and_is_handed_back_uncounted(
    stage: Stage,
) -> None:
    """Held on to, it would be killed in the end, and count as a crash at every deploy."""
    stage.limits = Limits(max_attempts=1)
    stage.sky.by_number = {0: Weather.ERROR_AFTER}
    document_id = stage.submit(ads("A"))
    stops_at = stage.time.now() + timedelta(seconds=10)
    worker = stage.worker(stopping=lambda: stage.time.now() >= stops_at).outside
    outside = replace(worker, graph=HangingGraph(stage.world, sky=stage.sky))

    document = stage.publish(document_id, outside).view.document

    assert stage.time.now() - stops_at <= timedelta(seconds=1)
    assert document.attempts[-1].outcome is AttemptOutcome.HANDED_BACK
    assert (document.attempts_used, document.lease) == (0, None)
    assert stage.run_until_rest(document_id).state is DocumentState.PUBLISHED
    assert_promise(stage)


def test_a_lease_too_short_to_send_in_is_put_off_each_time_longer_and_says_why(
    stage: Stage,
) -> None:
    """Accepted at the start, for it is longer than a call; what else is done takes the rest."""
    document_id = stage.submit(ads("A"))
    document = stage.document(document_id)
    pauses: list[timedelta] = []
    for _ in range(3):
        life = IsStopped(effect="ledger.Fenced", stops_for=90)
        document = stage.publish(document_id, stage.worker(life).outside).view.document
        assert document.due_at is not None
        pauses.append(document.due_at - stage.time.now())
        stage.time.pass_until(document.due_at)

    assert document.attempts[-1].error is not None
    assert "RECONCILER_LEASE_SECONDS" in document.attempts[-1].error
    assert timedelta(0) < pauses[0]
    assert document.backoff_step == 3
    assert stage.graph.creates == []
    assert stage.run_until_rest(document_id).state is DocumentState.PUBLISHED
