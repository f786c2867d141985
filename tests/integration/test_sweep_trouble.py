"""A sweep meets rows that fail, ledgers that go away and documents that kill: none stops it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from fixtures.crash_points import DyingLedger, Process
from fixtures.lives import DiesAt
from fixtures.stage import Stage
from fixtures.world_graph import Weather
from reconciler import cancel, publish
from reconciler import sweep as sweeping
from reconciler.due import Due, DueDocument
from reconciler.errors import LedgerUnavailable
from reconciler.limits import Limits
from reconciler.model import AttemptOutcome, DocumentState, NextAction, Reason
from reconciler.ports import Anyhow, Change, Fenced, Guard, Takeover, View
from reconciler.sweep import Swept, sweep
from reconciler.visit import Count
from tests.crash.plans import ONE_AD, ads
from tests.integration.crashed import crashed_after_create
from tests.integration.sweeping import MINUTE, SECOND, counted, crashed, swept


@pytest.fixture
def stage() -> Iterator[Stage]:
    made = Stage()
    yield made
    made.close()


# --- trouble ------------------------------------------------------------------------------------


class Refuses(DyingLedger):
    """A ledger that refuses one document, or the question for a kind of work."""

    def __init__(self, stage: Stage, document_id: str, error: Exception) -> None:
        super().__init__(stage.ledger, Process())
        self._refused = document_id
        self._error = error

    async def read(self, document_id: str) -> View:
        if document_id == self._refused:
            raise self._error
        return await super().read(document_id)


@pytest.mark.parametrize(
    ("error", "told"),
    [(LedgerUnavailable("gone"), "gone"), (ValueError("a bug"), "ValueError: a bug")],
)
def test_a_row_that_fails_is_counted_and_the_others_are_done(
    stage: Stage, error: Exception, told: str
) -> None:
    """R068: five crashed, the database refuses the third; the next pass does that one too."""
    ids = crashed(stage, 5)
    refusing = replace(stage.process(), ledger=Refuses(stage, ids[2], error))

    done = swept(stage, refusing)

    assert counted(done) == {"found": 4, "error": 1}
    assert [visit.error for visit in done.visits if visit.error] == [told]
    assert done.errors == 1
    assert stage.document(ids[2]).state is DocumentState.PUBLISHING
    assert counted(swept(stage)) == {"found": 1}
    assert {stage.document(each).state for each in ids} == {DocumentState.PUBLISHED}


def test_a_document_that_is_due_in_two_ways_is_visited_once(stage: Stage) -> None:
    """Its look and its owed look: what failed a moment ago would only fail again."""
    stage.sky.by_number[0] = Weather.ERROR_BEFORE
    document_id = stage.submit(ONE_AD)
    stage.publish(document_id)
    stage.time.pass_(5 * MINUTE)
    due = [
        kind
        for kind in Due
        if stage.time.run(stage.ledger.due(kind, limit=1, passing_max=stage.limits.passing_max))
    ]
    assert due == [Due.LOOK, Due.OWED_LOOK]

    refusing = Refuses(stage, document_id, LedgerUnavailable("gone"))
    done = swept(stage, replace(stage.process(), ledger=refusing))

    assert counted(done) == {"error": 1}


class GoesAway(DyingLedger):
    """A ledger that cannot say what is due once it was asked so often."""

    def __init__(self, stage: Stage, after: int) -> None:
        super().__init__(stage.ledger, Process())
        self._left = after

    async def due(self, kind: Due, **named: Any) -> tuple[DueDocument, ...]:
        self._left -= 1
        if self._left < 0:
            raise LedgerUnavailable("gone")
        return await super().due(kind, **named)


def test_a_ledger_that_goes_away_ends_the_pass_and_what_was_done_stands(stage: Stage) -> None:
    crashed(stage, 2)

    done = swept(stage, replace(stage.process(), ledger=GoesAway(stage, after=1)))

    assert (counted(done), done.error, done.errors) == ({"found": 2}, "gone", 1)
    assert not swept(stage).held_by_another


def test_on_the_way_out_no_further_row_is_begun(stage: Stage) -> None:
    crashed(stage, 3)
    walks = len(stage.graph.walks)
    outside = stage.worker(stopping=lambda: len(stage.graph.walks) > walks).outside
    outside = replace(outside, limits=Limits(concurrency=1))

    assert counted(swept(stage, outside)) == {"found": 1}
    assert counted(swept(stage)) == {"found": 2}


def test_a_sweeper_that_lost_its_lease_stops(stage: Stage) -> None:
    """It slept beyond its lease, and another took it: rows are safe all the same, by their own."""
    crashed(stage, 3)
    outside = replace(stage.process(), limits=Limits(concurrency=1))
    stage.sky.latency = 50 * SECOND

    async def story() -> Swept:
        first = asyncio.create_task(sweep(outside))
        await asyncio.sleep(49)
        await stage.ledger.end_sweep(outside.owner)
        assert await stage.ledger.sweep_lease("another", timedelta(hours=1))
        return await first

    assert len(stage.time.run(story()).visits) == 1


def test_a_look_that_was_stopped_is_no_crash(stage: Stage) -> None:
    """Restarts during a long walk must not hold the document as poison."""
    document_id = crashed_after_create(stage)
    stage.sky.latency = 30 * SECOND
    for _ in range(stage.limits.max_attempts + 2):
        stage.time.run(cut_short(stage))
        document = stage.document(document_id)
        assert (document.recoveries, document.lease) == (0, None)

    stage.sky.latency = SECOND
    assert counted(swept(stage)) == {"found": 1}


async def cut_short(stage: Stage) -> None:
    sweeper = asyncio.create_task(sweep(stage.process()))
    await asyncio.sleep(10)
    sweeper.cancel()
    await asyncio.gather(sweeper, return_exceptions=True)


def test_a_sweep_that_was_stopped_leaves_the_sweeping_to_the_next(stage: Stage) -> None:
    """A restart while a look hangs must not keep everybody from sweeping for a lease's length."""
    crashed_after_create(stage)
    stage.sky.latency = 30 * SECOND
    stage.time.run(cut_short(stage))

    assert not swept(stage).held_by_another


def test_two_passes_in_a_row_over_what_is_settled_write_nothing(stage: Stage) -> None:
    crashed(stage, 3)
    swept(stage)
    effects = Process()
    swept(stage, stage.worker(effects).outside)

    assert effects.effects == ["ledger.sweep_lease", "ledger.end_sweep"]


def test_a_pass_has_a_bound_and_the_next_goes_on(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweeping, "PAGE", 2)
    monkeypatch.setattr(sweeping, "VISITS_MAX", 4)
    crashed(stage, 5)

    assert [counted(swept(stage)) for _ in range(2)] == [{"found": 4}, {"found": 1}]


# --- attempts and cancels -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("made", "says", "state"),
    [(True, "found", DocumentState.PUBLISHED), (False, "absent", DocumentState.FAILED)],
)
def test_a_crash_on_the_last_attempt_is_settled_and_nothing_more_is_made(
    stage: Stage, made: bool, says: str, state: DocumentState
) -> None:
    """R071, R072: what was made is recorded; what was not is not tried a second time."""
    stage.limits = Limits(max_attempts=1)
    document_id = stage.submit(ONE_AD, publish=True)
    outside = stage.worker(DiesAt(effect="graph.create", after=made)).outside
    assert stage.dies(publish.publish(document_id, outside))
    creates = len(stage.graph.creates)
    stage.time.pass_(stage.limits.lease)

    counts: Counter[Count] = Counter()
    for _ in range(10):
        counts += swept(stage).counts
        stage.time.pass_(MINUTE)

    assert counts[Count(says)] == 1
    assert stage.document(document_id).state is state
    assert len(stage.graph.creates) == creates


@pytest.mark.parametrize("nth", [0, 1])
def test_after_the_last_attempt_what_it_made_is_recorded_and_the_rest_waits_for_a_person(
    stage: Stage, nth: int
) -> None:
    """R071, R072: killed after its first create, or after its second; three were wanted."""
    stage.limits = Limits(max_attempts=1, concurrency=1)
    document_id = stage.submit(ads("1", "2", "3"), publish=True)
    life = DiesAt(effect="graph.create", nth=nth, after=True)
    assert stage.dies(publish.publish(document_id, stage.worker(life).outside))

    rested = stage.run_until_rest(document_id)

    assert rested.state is DocumentState.PARTLY_PUBLISHED
    assert rested.next.action is NextAction.PUBLISH
    assert len(stage.graph.creates) == nth + 1
    assert stage.publish(document_id).view.document.state is DocumentState.PUBLISHED
    assert len(stage.graph.creates) == 3


def test_a_cancel_of_a_crashed_document_is_honoured_once_it_is_settled(stage: Stage) -> None:
    """R019, R079: accepted at once; what was made is found first, and stays listed."""
    document_id = stage.submit(ads("1", "2", "3", "4", "5"))
    life = DiesAt(effect="graph.create", nth=2, after=True)
    outside = replace(stage.worker(life).outside, limits=Limits(concurrency=1))
    assert stage.dies(publish.publish(document_id, outside))
    stage.time.run(cancel.cancel(document_id, stage.process()))
    assert stage.document(document_id).cancel_requested
    stage.time.pass_(stage.limits.lease)

    swept(stage)
    stage.time.pass_(4 * MINUTE)
    swept(stage)

    document = stage.document(document_id)
    made = {made.id for made in stage.world.log if made.kind == "ad"}
    bound = {item.intent.external_id for item in document.items if item.intent} - {None}
    assert document.state is DocumentState.CANCELLED
    assert bound == made
    assert made


def test_a_document_that_kills_whoever_looks_at_it_is_parked_and_the_others_go_on(
    stage: Stage,
) -> None:
    """R073: counted by the document, whoever the owner is; then it is held and reported."""
    poisonous, *others = crashed(stage, 3)

    for _ in range(stage.limits.max_attempts + 2):
        outside = stage.process()
        stage.dies(sweep(replace(outside, ledger=Deadly(stage, poisonous))))
        stage.time.pass_(stage.limits.lease)
    swept(stage)

    document = stage.document(poisonous)
    intent = document.item("a1").intent
    assert document.state is DocumentState.HELD
    assert intent is not None
    assert intent.reason is Reason.POISON
    assert {stage.document(each).state for each in others} == {DocumentState.PUBLISHED}


class Deadly(DyingLedger):
    """The process dies whenever it would record what a look at this document saw."""

    def __init__(self, stage: Stage, document_id: str) -> None:
        self.life = Process()
        super().__init__(stage.ledger, self.life)
        self._deadly = document_id

    async def change(
        self, document_id: str, guard: Guard, *given: Any, **named: Any
    ) -> View | None:
        if document_id == self._deadly and isinstance(guard, Fenced):
            self.life.die("segmentation fault")
        return await super().change(document_id, guard, *given, **named)


def test_everything_a_takeover_leaves_behind_agrees(stage: Stage) -> None:
    """R074: document, attempt, intent and journal tell one story, written in one transaction."""
    document_id = crashed_after_create(stage)
    seen = stage.view(document_id)
    taken = Takeover(epoch=seen.document.lease_epoch)
    swept(stage)

    document = stage.document(document_id)
    journal = stage.time.run(stage.ledger.journal(document_id))
    kinds = [recorded.event.kind for recorded in journal]
    assert document.attempts[-1].outcome is AttemptOutcome.ORPHANED
    assert document.lease is None
    assert kinds.index("taken_over") < kinds.index("looked") < kinds.index("state")
    unchanged = stage.ledger.change(document_id, taken, lambda view: Change(document=view.document))
    assert stage.time.run(unchanged) is None  # whoever comes second changes nothing


def test_whoever_loses_the_race_for_a_takeover_sees_nothing_changed(stage: Stage) -> None:
    """R061: sweep and late worker at one moment: exactly one end, in either order."""
    stage.sky.latency = 40 * SECOND
    document_id = stage.submit(ONE_AD, publish=True)
    worker = stage.process()

    async def story() -> None:
        publishing = asyncio.create_task(publish.publish(document_id, worker))
        await asyncio.sleep(5)
        await stage.ledger.change(document_id, Anyhow(), expired)
        done = await sweep(stage.process())
        assert done.visits[0].kind is Due.TAKEOVER
        await publishing

    stage.time.run(story())
    stage.run_until_rest(document_id)

    document = stage.document(document_id)
    assert document.state is DocumentState.PUBLISHED
    assert len([made for made in stage.world.log if made.kind == "ad"]) == 1
    assert [attempt.outcome for attempt in document.attempts] == [AttemptOutcome.ORPHANED]


def expired(view: View) -> Change:
    lease = view.document.lease
    assert lease is not None
    return Change(document=replace(view.document, lease=replace(lease, until=view.now)))


def test_the_counts_are_the_closed_list_of_the_shape() -> None:
    assert [count.value for count in Count] == [
        "found",
        "absent",
        "inconclusive",
        "nothing",
        "stale",
        "error",
    ]
