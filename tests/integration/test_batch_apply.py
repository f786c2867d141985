"""Applying: exactly what was planned, nothing that moved, nothing twice."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from fixtures.crash_points import DyingLedger, Process
from fixtures.stage import Stage
from reconciler import events
from reconciler.batch_apply import apply
from reconciler.batch_carrying import MOVED_AROUND
from reconciler.batch_values import Outcome, Result
from reconciler.batching import Ask, DecideAll
from reconciler.errors import PlanRefused
from reconciler.model import Document, DocumentState, Grade, ItemState, Reason
from reconciler.policy import Legacy, LegacyEvidence
from reconciler.ports import Change, Guard, SettleLease
from reconciler.resolve import resolve
from reconciler.resolve_decision import Choice, Decision
from tests.integration.batching import Batching, results
from tests.integration.elsewhere import Elsewhere, finished, line
from tests.integration.test_batch_plan import crashed, with_old_documents

D = DocumentState
NEVER = Legacy(evidence=LegacyEvidence.NEVER)


@pytest.fixture
def stage() -> Iterator[Stage]:
    stage = Stage()
    yield stage
    stage.close()


@pytest.fixture
def batch(stage: Stage) -> Batching:
    return Batching(stage)


def bound(stage: Stage, document_id: str) -> list[str | None]:
    """What its items are bound to."""
    items = stage.document(document_id).items
    return [item.intent.external_id if item.intent else None for item in items]


def test_what_was_planned_is_done(stage: Stage, batch: Batching) -> None:
    a, b = with_old_documents(
        stage, line("d1", "A"), line("d2", "B", "C"), line("d3", "D"), names="AB"
    )
    ours = crashed(stage)
    batch.settle_all()
    planned = batch.plan()

    outcomes = batch.apply(planned)

    assert results(outcomes) == {Result.CHANGED: 4}
    assert {one.document_id: one.after for one in outcomes} == {
        "d1": D.PUBLISHED, "d2": D.PARTLY_PUBLISHED, "d3": D.FAILED, ours: D.PUBLISHED
    }  # fmt: skip
    assert (bound(stage, "d1"), bound(stage, "d2")) == ([a], [b, None])
    assert stage.document("d1").item("1").intent.found_by is Grade.NAME_AND_TIME  # type: ignore[union-attr]
    assert [stage.document(one.document_id).lease for one in outcomes] == [None] * 4


def test_what_the_plan_showed_is_what_is_stored(stage: Stage, batch: Batching) -> None:
    with_old_documents(stage, line("d1", "A"), names="A")
    planned = batch.plan()
    batch.apply(planned)

    (judged,) = stage.document("d1").verdicts

    assert judged.evidence_hash == planned.line("d1").items[0].evidence_hash
    assert stage.time.run(stage.ledger.evidence(judged.evidence_id)).hash == judged.evidence_hash


def test_the_journal_says_which_run_it_was_and_what_it_bound(stage: Stage, batch: Batching) -> None:
    (a,) = with_old_documents(stage, line("d1", "A"), names="A")
    planned = batch.plan()
    batch.apply(planned)

    told = [line.event for line in stage.time.run(stage.ledger.journal("d1"))]

    assert [event.kind for event in told][-4:] == [
        events.TAKEN_OVER, events.LOOKED, events.BATCH_APPLIED, events.STATE
    ]  # fmt: skip
    assert told[-2].detail == {"run": planned.head.run, "bound": {"1": a}}


def test_a_second_apply_writes_nothing(stage: Stage, batch: Batching) -> None:
    with_old_documents(stage, line("d1", "A"), line("d2", "A"), line("d3", "D"), names="A")
    planned = batch.plan()
    batch.apply(planned)
    life = Process()

    outcomes = batch.apply(planned, stage.worker(life).outside)

    assert life.effects == []
    assert results(outcomes) == {Result.BEFORE: 3}


def test_what_changes_nothing_takes_no_lease(stage: Stage, batch: Batching) -> None:
    with_old_documents(stage, line("d1", "A"), names="A")
    stage.sky.blind[0] = Reason.LISTING_INCOMPLETE
    planned = batch.plan()
    life = Process()

    outcomes = batch.apply(planned, stage.worker(life).outside)

    assert life.effects == []
    assert [(one.result, one.reason) for one in outcomes] == [
        (Result.NOTHING, Reason.LISTING_INCOMPLETE)
    ]
    assert stage.document("d1").state is D.PUBLISHING


def test_what_was_recovered_meanwhile_is_stale(stage: Stage, batch: Batching) -> None:
    (a, _) = with_old_documents(stage, line("d1", "A"), line("d2", "B"), names="AB")
    planned = batch.plan()
    Elsewhere(stage).settle("d1")

    assert results(batch.apply(planned)) == {Result.STALE: 1, Result.CHANGED: 1}
    assert bound(stage, "d1") == [a]


def test_a_persons_decision_since_is_left_alone(stage: Stage, batch: Batching) -> None:
    with_old_documents(stage, line("d1", "A"), names="A")
    batch.legacy = NEVER
    batch.apply(batch.plan())
    batch.legacy = Legacy()
    planned = batch.plan(held=True)
    said = Decision(item="1", choice=Choice.HOLD, reason="not now", by="ann")
    stage.time.run(resolve("d1", said, batch.worker()))

    assert results(batch.apply(planned)) == {Result.STALE: 1}
    assert stage.document("d1").item("1").state is ItemState.HELD


class Meanwhile(DyingLedger):
    """A person says "not now" just before d1 is changed."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage.ledger, Process())
        self._stage = stage

    async def change_all(
        self, account_id: str, guards: Mapping[str, Guard], ask: Ask, decide: DecideAll
    ) -> Mapping[str, Document]:
        said = Decision(item="1", choice=Choice.HOLD, reason="not now", by="ann")
        await resolve("d1", said, self._stage.process())
        changed: Mapping[str, Document] = await super().change_all(account_id, guards, ask, decide)
        return changed


def test_what_moves_at_the_last_moment_is_stale_too(stage: Stage, batch: Batching) -> None:
    with_old_documents(stage, line("d1", "A"), names="A")
    batch.legacy = NEVER
    batch.apply(batch.plan())
    batch.legacy = Legacy()
    planned = batch.plan(held=True)
    before = len(stage.time.run(stage.ledger.journal("d1")))

    outcomes = batch.apply(planned, replace(batch.worker(), ledger=Meanwhile(stage)))

    assert results(outcomes) == {Result.STALE: 1}
    assert stage.document("d1").item("1").state is ItemState.HELD
    assert len(stage.time.run(stage.ledger.journal("d1"))) > before, "the person's word stands"


def test_a_rival_that_came_since_makes_a_claim_stale(stage: Stage, batch: Batching) -> None:
    with_old_documents(stage, line("d1", "A"), names="A")
    planned = batch.plan()
    Elsewhere(stage).imports(line("late", "A"))

    (outcome,) = batch.apply(planned)

    assert (outcome.result, outcome.why) == (Result.STALE, MOVED_AROUND)
    assert bound(stage, "d1") == [None]
    assert stage.document("d1").state is D.PUBLISHING, "it is as it was"


def test_an_id_that_another_document_got_since_makes_a_claim_stale(
    stage: Stage, batch: Batching
) -> None:
    (a,) = with_old_documents(stage, line("d1", "A"), names="A")
    planned = batch.plan()
    recorded = [{"name": "A", "external_id": a}]
    Elsewhere(stage).imports(
        line("owner", "A", recorded=recorded, publish_finished_at="2026-03-10T12:00:09Z")
    )

    assert results(batch.apply(planned)) == {Result.STALE: 1}
    assert (bound(stage, "d1"), bound(stage, "owner")) == ([None], [a])


def test_a_rival_that_the_same_run_holds_moves_nothing(stage: Stage, batch: Batching) -> None:
    with_old_documents(stage, line("d1", "A"), line("d2", "A"), line("d3", "A"), names="A")

    assert results(batch.apply(batch.plan())) == {Result.CHANGED: 3}
    assert {stage.document(each).state for each in ("d1", "d2", "d3")} == {D.HELD}


def test_a_lease_that_somebody_holds_is_left_alone(stage: Stage, batch: Batching) -> None:
    with_old_documents(stage, line("d1", "A"), names="A")
    batch.legacy = NEVER
    batch.apply(batch.plan())
    batch.legacy = Legacy()
    planned = batch.plan(held=True)
    guard = SettleLease(owner="another", duration=timedelta(hours=1))
    taken = stage.ledger.change("d1", guard, lambda view: Change(document=view.document))
    assert stage.time.run(taken) is not None

    (outcome,) = batch.apply(planned)

    assert outcome.result is Result.STALE


def test_two_at_once_harm_nothing(stage: Stage, batch: Batching) -> None:
    a, b = with_old_documents(stage, line("d1", "A"), line("d2", "B"), line("d3", "D"), names="AB")
    planned = batch.plan()
    told: list[Outcome] = []

    async def both() -> None:
        await asyncio.gather(
            *(apply(planned.head, planned.lines, batch.worker(), tell=told.append) for _ in "12")
        )

    stage.time.run(both())

    assert results(told) == {Result.CHANGED: 3, Result.BEFORE: 3}
    assert [bound(stage, each) for each in ("d1", "d2", "d3")] == [[a], [b], [None]]


def test_what_fails_at_one_document_stops_no_other(stage: Stage, batch: Batching) -> None:
    with_old_documents(stage, line("d1", "A"), line("d2", "B"), names="AB")
    planned = batch.plan()
    ghost = replace(planned.lines[0], document_id="ghost")

    outcomes = batch.apply(replace(planned, lines=(ghost, *planned.lines)))

    assert results(outcomes) == {Result.ERROR: 1, Result.CHANGED: 2}
    assert outcomes[0].why == "there is no document ghost"


def test_on_the_way_out_no_further_document_is_begun(stage: Stage, batch: Batching) -> None:
    with_old_documents(stage, line("d1", "A"), line("d2", "B"), names="AB")
    planned = batch.plan()

    assert batch.apply(planned, stage.worker(stopping=lambda: True).outside) == []
    assert results(batch.apply(planned)) == {Result.CHANGED: 2}


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"ledger": "another"}, "another ledger"),
        ({"settings": {}}, "other settings"),
    ],
)
def test_a_plan_that_does_not_fit_is_refused(
    stage: Stage, batch: Batching, changed: dict[str, Any], says: str
) -> None:
    with_old_documents(stage, line("d1", "A"), names="A")
    planned = batch.plan()

    with pytest.raises(PlanRefused, match=says):
        batch.apply(replace(planned, head=replace(planned.head, **changed)))


def test_a_plan_older_than_a_day_is_refused(stage: Stage, batch: Batching) -> None:
    with_old_documents(stage, line("d1", "A"), names="A")
    planned = batch.plan()
    stage.time.pass_until(planned.head.at + timedelta(days=1))
    still = batch.apply(planned)
    stage.time.pass_(timedelta(seconds=1))

    with pytest.raises(PlanRefused, match="older than a day"):
        batch.apply(planned)
    assert results(still) == {Result.CHANGED: 1}


def test_a_plan_that_claims_more_than_the_stated_share_is_refused(
    stage: Stage, batch: Batching
) -> None:
    with_old_documents(stage, line("d1", "A"), line("d2", "X"), line("d3", "Y"), names="A")
    planned = batch.plan()

    with pytest.raises(PlanRefused, match="1 of its 4 documents"):
        batch.apply(planned, share_max=0.2)
    assert results(batch.apply(planned, share_max=0.25)) == {Result.CHANGED: 3}


def test_many_claims_in_most_of_an_account_have_to_be_said(stage: Stage, batch: Batching) -> None:
    names = [f"N{number}" for number in range(21)]
    elsewhere = Elsewhere(stage)
    (healthy, *_) = elsewhere.made("Healthy", *names)
    stage.time.pass_(timedelta(minutes=30))
    elsewhere.imports(finished("healthy", Healthy=healthy), *(line(f"d{n}", n) for n in names))
    planned = batch.plan()

    with pytest.raises(PlanRefused, match="more than 50%"):
        batch.apply(planned)
    assert results(batch.apply(planned, share_max=1)) == {Result.CHANGED: 21}
