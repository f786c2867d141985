"""A worker takes what is due, survives what one document or the ledger does, and ends in order."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import pytest

from fixtures.crash_points import DyingLedger, Process
from fixtures.stage import Stage, Worker
from fixtures.world_graph import Weather
from reconciler.access import refused
from reconciler.due import Due, DueDocument
from reconciler.errors import LedgerForbidden, LedgerUnavailable
from reconciler.limits import Limits
from reconciler.model import Account, AttemptOutcome, DocumentState, Reason
from reconciler.next_step import WORKER_SEEN_WITHIN
from reconciler.outside import Outside
from reconciler.ports import Claim, Guard, View
from reconciler.worker import Happened, Happening, Worked, work
from tests.crash.plans import ONE_AD, ads

SECOND = timedelta(seconds=1)
MINUTE = timedelta(minutes=1)


@pytest.fixture
def stage() -> Iterator[Stage]:
    made = Stage(limits=Limits(concurrency=3))
    yield made
    made.close()


@dataclass
class Life:
    """A worker that is told to stop after a while, or when it was told something; its story."""

    stage: Stage
    lasting: timedelta = MINUTE
    until: Callable[[list[Happened]], bool] = lambda _: False
    story: list[Happened] = field(default_factory=list)

    def outside(self) -> Outside:
        ends_at = self.stage.time.now() + self.lasting
        return self.stage.worker(
            stopping=lambda: self.stage.time.now() >= ends_at or self.until(self.story)
        ).outside

    def run(self, outside: Outside | None = None) -> Worked:
        return self.stage.time.run(work(outside or self.outside(), self.story.append))

    def told(self, what: Happening) -> list[Happened]:
        return [happened for happened in self.story if happened.what is what]


def queued(stage: Stage, count: int) -> list[str]:
    """So many documents of two ads each."""
    return [
        stage.submit(ads(f"D{number} / 1", f"D{number} / 2"), publish=True)
        for number in range(count)
    ]


def names_made(stage: Stage) -> list[str]:
    """By us, in the world's own log."""
    return sorted(made.name for made in stage.world.log if made.kind == "ad")


# --- work ---------------------------------------------------------------------------------------


def test_everything_queued_is_published_and_made_once(stage: Stage) -> None:
    ids = queued(stage, 8)

    worked = Life(stage).run()

    assert {stage.document(each).state for each in ids} == {DocumentState.PUBLISHED}
    assert names_made(stage) == sorted(f"D{n} / {k}" for n in range(8) for k in (1, 2))
    assert worked.attempts == {"succeeded": 8}
    assert worked.errors == 0


def test_no_more_documents_at_once_than_there_are_slots(stage: Stage) -> None:
    queued(stage, 8)
    life = Life(stage)
    life.run()

    in_hand, most = 0, 0
    for happened in life.story:
        in_hand += (happened.what is Happening.TAKEN) - (happened.what is Happening.ENDED)
        most = max(most, in_hand)
    assert most == 3


def test_what_is_queued_while_it_works_is_found_by_itself(stage: Stage) -> None:
    life = Life(stage)
    outside = life.outside()
    document_id = stage.submit(ONE_AD)

    async def later() -> None:
        await asyncio.sleep(20)
        from reconciler.publish import queue

        await queue(document_id, outside)

    async def both() -> None:
        await asyncio.gather(work(outside, life.story.append), later())

    stage.time.run(both())

    assert stage.document(document_id).state is DocumentState.PUBLISHED


def test_nothing_is_taken_of_a_draft_or_what_rests(stage: Stage) -> None:
    draft = stage.submit(ONE_AD)
    life = Life(stage)
    life.run()

    assert stage.document(draft).state is DocumentState.DRAFT
    assert life.told(Happening.TAKEN) == []


def test_two_workers_share_the_queue_and_take_nothing_twice(stage: Stage) -> None:
    ids = queued(stage, 6)
    first, second = Life(stage), Life(stage)

    async def both() -> tuple[Worked, Worked]:
        return await asyncio.gather(
            work(first.outside(), first.story.append), work(second.outside(), second.story.append)
        )

    worked = stage.time.run(both())

    taken = [happened.document_id for life in (first, second) for happened in life.story]
    assert sorted(filter(None, taken)) == sorted(2 * ids)  # taken and ended, once each
    assert sum(each.attempts["succeeded"] for each in worked) == 6
    assert names_made(stage) == sorted(f"D{n} / {k}" for n in range(6) for k in (1, 2))


def test_its_sweep_finds_what_an_unanswered_call_made(stage: Stage) -> None:
    stage.sky.by_number[0] = Weather.ERROR_AFTER
    (document_id,) = queued(stage, 1)
    stage.sky.blind[0] = Reason.LISTING_INCOMPLETE  # the look inside the attempt

    Life(stage, lasting=6 * MINUTE).run()

    assert stage.document(document_id).state is DocumentState.PUBLISHED
    assert names_made(stage) == ["D0 / 1", "D0 / 2"]


# --- being seen ---------------------------------------------------------------------------------


def test_a_worker_is_seen_while_it_works_and_no_more_once_it_ended(stage: Stage) -> None:
    life = Life(stage, lasting=10 * MINUTE)
    outside = life.outside()
    seen: list[bool] = []

    async def watch() -> None:
        for _ in range(9):
            await asyncio.sleep(60)
            at = await stage.ledger.worker_seen_at()
            seen.append(at is not None and stage.time.now() - at < WORKER_SEEN_WITHIN / 2)

    async def both() -> None:
        await asyncio.gather(work(outside, life.story.append), watch())

    stage.time.run(both())

    assert seen == [True] * 9
    assert stage.time.run(stage.ledger.worker_seen_at()) is None


def test_a_worker_that_was_killed_is_counted_on_for_two_minutes_and_no_longer(
    stage: Stage,
) -> None:
    life = Process(dies_at=1)
    assert stage.dies(work(stage.worker(life).outside))

    assert stage.time.run(stage.ledger.worker_seen_at()) is not None


# --- trouble ------------------------------------------------------------------------------------


class Hiccups(DyingLedger):
    """A ledger that cannot be used for a while, or for one document."""

    def __init__(
        self, stage: Stage, *, away: tuple[int, int] = (0, 0), poisonous: str | None = None
    ) -> None:
        super().__init__(stage.ledger, Process())
        self._stage = stage
        self._away = away
        self._poisonous = poisonous
        self.claims: list[float] = []

    async def due(self, kind: Due, **named: Any) -> tuple[DueDocument, ...]:
        self._answer()
        return await super().due(kind, **named)

    async def turns(self, **named: Any) -> tuple[DueDocument, ...]:
        self._answer()
        return await super().turns(**named)

    def _answer(self) -> None:
        seconds = (self._stage.time.now() - self._stage.time.start).total_seconds()
        if self._away[0] <= seconds < self._away[1]:
            raise LedgerUnavailable("away")

    async def change(
        self, document_id: str, guard: Guard, *given: Any, **named: Any
    ) -> View | None:
        if isinstance(guard, Claim) and document_id == self._poisonous:
            self.claims.append((self._stage.time.now() - self._stage.time.start).total_seconds())
            raise ValueError("a row that no program can read")
        return await super().change(document_id, guard, *given, **named)


def test_a_ledger_that_is_away_for_a_while_ends_no_worker(stage: Stage) -> None:
    """R062: nothing new is taken meanwhile; then it goes on, and says both once."""
    life = Life(stage, lasting=5 * MINUTE)
    outside = replace(life.outside(), ledger=Hiccups(stage, away=(0, 40)))
    ids = queued(stage, 2)

    worked = life.run(outside)

    assert {stage.document(each).state for each in ids} == {DocumentState.PUBLISHED}
    assert [len(life.told(w)) for w in (Happening.LEDGER_AWAY, Happening.LEDGER_BACK)] == [1, 1]
    assert worked.attempts == {"succeeded": 2}


@pytest.mark.parametrize("asked", ["beat", "change", "sweep_lease", "closed_accounts"])
def test_a_right_that_is_missing_ends_a_worker_for_it_does_not_pass(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, asked: str
) -> None:
    async def forbidden(*_: Any, **__: Any) -> None:
        raise LedgerForbidden("permission denied")

    queued(stage, 2)
    life = Life(stage, lasting=5 * MINUTE)
    outside = life.outside()
    monkeypatch.setattr(outside.ledger, asked, forbidden)

    with pytest.raises(LedgerForbidden):
        life.run(outside)

    assert stage.time.now() - stage.time.start < MINUTE


def test_a_document_that_fails_each_time_stops_no_other_and_is_no_hot_loop(stage: Stage) -> None:
    """R073: errors are counted, and that document is put aside for longer each time."""
    ids = queued(stage, 4)
    ledger = Hiccups(stage, poisonous=ids[0])
    life = Life(stage, lasting=60 * MINUTE)

    worked = life.run(replace(life.outside(), ledger=ledger))

    assert {stage.document(each).state for each in ids[1:]} == {DocumentState.PUBLISHED}
    assert worked.errors == len(ledger.claims)
    assert 3 <= len(ledger.claims) <= 40
    assert [h.document_id for h in life.told(Happening.FAILED)] == [ids[0]] * worked.errors


def test_a_throttled_account_is_left_alone_until_its_time(stage: Stage) -> None:
    stage.sky.by_number[0] = Weather.THROTTLED
    stage.sky.wait = timedelta(minutes=10)
    ids = queued(stage, 3)

    Life(stage, lasting=5 * SECOND).run()
    creates, walks = len(stage.graph.creates), len(stage.graph.walks)
    Life(stage, lasting=5 * MINUTE).run()
    assert (len(stage.graph.creates), len(stage.graph.walks)) == (creates, walks)

    Life(stage, lasting=20 * MINUTE).run()
    assert {stage.document(each).state for each in ids} == {DocumentState.PUBLISHED}
    assert names_made(stage) == sorted(f"D{n} / {k}" for n in range(3) for k in (1, 2))


def test_an_account_that_answers_again_is_found_out_by_one_cheap_read(stage: Stage) -> None:
    """Nothing of it is unsettled, so that no look would ever ask it."""
    account = Account(id="act_1001")
    closed = refused(account, stage.time.now(), stage.graph.token, stage.limits)
    assert stage.time.run(stage.ledger.set_account(closed, account))
    ids = queued(stage, 5)

    Life(stage).run()

    assert {stage.document(each).state for each in ids} == {DocumentState.PUBLISHED}
    assert stage.graph.walks == []


# --- the way out --------------------------------------------------------------------------------


def test_told_to_stop_it_saves_what_is_in_flight_and_hands_the_rest_back_uncounted(
    stage: Stage,
) -> None:
    """R077: the reply comes after the signal, and its id is on record before the end."""
    document_id = stage.submit(ads("1", "2", "3", "4", "5", "6", "7", "8"), publish=True)
    life = Life(stage, until=lambda _: len(stage.graph.creates) >= 4)

    worked = life.run()

    document = stage.document(document_id)
    saved = [item.intent.external_id for item in document.items if item.intent]
    assert worked.attempts == {"handed_back": 1}
    assert (document.state, document.lease) == (DocumentState.QUEUED, None)
    assert (document.attempts_used, document.attempts[0].outcome) == (
        0,
        AttemptOutcome.HANDED_BACK,
    )
    assert sorted(filter(None, saved)) == sorted(m.id for m in stage.world.log if m.kind == "ad")

    Life(stage).run()
    assert stage.document(document_id).state is DocumentState.PUBLISHED
    assert names_made(stage) == ["1", "2", "3", "4", "5", "6", "7", "8"]


def test_cancelled_at_once_it_leaves_what_is_unknown_to_the_next_look(stage: Stage) -> None:
    """The second signal: safe, though nothing was handed back."""
    stage.sky.cut_lands_after = SECOND
    (document_id,) = queued(stage, 1)
    outside = stage.process()

    async def cut() -> None:
        working = asyncio.create_task(work(outside))
        await asyncio.sleep(0.02)  # half of the way of its first request
        assert stage.graph.creates
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)

    stage.time.run(cut())
    assert stage.document(document_id).state is DocumentState.PUBLISHING

    Life(stage, lasting=15 * MINUTE).run()
    assert stage.document(document_id).state is DocumentState.PUBLISHED
    assert names_made(stage) == ["D0 / 1", "D0 / 2"]


def test_a_worker_that_dies_is_followed_by_the_next_and_nothing_is_made_twice(
    stage: Stage,
) -> None:
    """R069, R070: a periodic pass of a worker that started before the death finds it."""
    ids = queued(stage, 3)
    dying: Worker = stage.worker(Process(dies_at=12, after=True))
    survivor = Life(stage, lasting=15 * MINUTE)

    async def both() -> None:
        async def until_death() -> None:
            await asyncio.gather(work(dying.outside), return_exceptions=True)

        await asyncio.gather(until_death(), work(survivor.outside(), survivor.story.append))

    stage.time.run(both())

    assert dying.life.is_dead
    assert {stage.document(each).state for each in ids} == {DocumentState.PUBLISHED}
    assert names_made(stage) == sorted(f"D{n} / {k}" for n in range(3) for k in (1, 2))
