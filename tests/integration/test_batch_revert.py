"""Taking a run back: what it bound to imported documents becomes held, nothing else is touched."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest

from fixtures.crash_points import Process
from fixtures.stage import Stage
from reconciler import events
from reconciler.batch_apply import TAKEN_BACK
from reconciler.batch_revert import Undo, revert_one, without
from reconciler.batch_values import Result
from reconciler.errors import UnknownRun
from reconciler.facts import with_items
from reconciler.model import DocumentState, Grade, Item, ItemState, Reason
from reconciler.resolve import resolve
from reconciler.resolve_decision import Choice, Decision
from tests.integration.batching import Batching, Plan, results
from tests.integration.elsewhere import Elsewhere, line
from tests.integration.test_batch_apply import bound
from tests.integration.test_batch_plan import crashed, with_old_documents

D = DocumentState


@pytest.fixture
def stage() -> Iterator[Stage]:
    stage = Stage()
    yield stage
    stage.close()


@pytest.fixture
def batch(stage: Stage) -> Batching:
    return Batching(stage)


def applied(batch: Batching) -> Plan:
    """A plan that was carried out."""
    planned = batch.plan()
    batch.apply(planned)
    return planned


def test_what_it_bound_becomes_held_and_waits_for_a_person(stage: Stage, batch: Batching) -> None:
    with_old_documents(stage, line("d1", "A"), line("d2", "B", "C"), line("d3", "D"), names="AB")
    run = applied(batch).head.run

    outcomes = batch.revert(run)

    assert results(outcomes) == {Result.CHANGED: 2, Result.NOTHING: 1}
    assert [stage.document(each).state for each in ("d1", "d2", "d3")] == [D.HELD, D.HELD, D.FAILED]
    assert [item.state for item in stage.document("d2").items] == [ItemState.HELD, ItemState.ABSENT]
    assert (bound(stage, "d1"), bound(stage, "d2")) == ([None], [None, None])
    intent = stage.document("d1").item("1").intent
    assert intent is not None
    assert intent.reason is Reason.UNPROVEN_ROW
    assert stage.document("d1").next.action == "decide"
    assert stage.document("d1").lease is None


def test_the_journal_keeps_who_took_it_back_and_why(stage: Stage, batch: Batching) -> None:
    (a,) = with_old_documents(stage, line("d1", "A"), names="A")
    run = applied(batch).head.run
    batch.revert(run)

    told = [line.event for line in stage.time.run(stage.ledger.journal("d1"))]

    (event,) = [event for event in told if event.kind == events.BATCH_REVERTED]
    assert event.detail == {
        "run": run, "reason": "the import was wrong", "by": "ann", "taken_back": {"1": a}
    }  # fmt: skip


def test_what_our_mark_proves_stays(stage: Stage, batch: Batching) -> None:
    ours = crashed(stage)
    batch.settle_all()
    run = applied(batch).head.run

    assert results(batch.revert(run)) == {Result.NOTHING: 1}
    assert stage.document(ours).state is D.PUBLISHED


def test_twice_is_once(stage: Stage, batch: Batching) -> None:
    with_old_documents(stage, line("d1", "A"), names="A")
    run = applied(batch).head.run
    batch.revert(run)
    life = Process()

    assert results(batch.revert(run, stage.worker(life).outside)) == {Result.BEFORE: 1}
    assert life.effects == []


@dataclass(slots=True)
class MeanwhileLedger:
    """Lets something happen once, between what is read and the first change."""

    under: Any
    meanwhile: Callable[[], Awaitable[object]] | None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.under, name)

    async def change(self, *asked: Any) -> Any:
        """As the ledger's, after the other."""
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            await meanwhile()
        return await self.under.change(*asked)


def test_what_another_revert_of_the_run_takes_back_meanwhile_is_done_before(
    stage: Stage, batch: Batching
) -> None:
    with_old_documents(stage, line("d1", "A"), names="A")
    run = applied(batch).head.run
    undo = Undo(run=run, reason="the import was wrong", by="bob")
    one, other = batch.worker(), batch.worker()
    ledger: Any = MeanwhileLedger(one.ledger, lambda: revert_one("d1", undo, other))

    outcomes = batch.revert(run, replace(one, ledger=ledger))

    assert results(outcomes) == {Result.BEFORE: 1}
    told = [line.event for line in stage.time.run(stage.ledger.journal("d1"))]
    assert [e.detail["by"] for e in told if e.kind == events.BATCH_REVERTED] == ["bob"]


def test_the_same_plan_does_not_bind_it_again(stage: Stage, batch: Batching) -> None:
    with_old_documents(stage, line("d1", "A"), names="A")
    planned = applied(batch)
    batch.revert(planned.head.run)

    (again,) = batch.apply(planned)
    assert (again.result, again.why) == (Result.BEFORE, TAKEN_BACK)
    assert batch.plan().lines == (), "nor does another one, by itself"
    assert bound(stage, "d1") == [None]


def test_what_a_person_decided_since_is_stale(stage: Stage, batch: Batching) -> None:
    (a,) = with_old_documents(stage, line("d1", "A"), names="A")
    run = applied(batch).head.run
    recorded = [{"name": "A", "external_id": a}]
    Elsewhere(stage).imports(
        line("owner", "A", recorded=recorded, publish_finished_at="2026-03-10T12:00:09Z")
    )
    assert stage.document("d1").state is D.HELD, "its claim gave way to a proof"

    assert results(batch.revert(run)) == {Result.STALE: 1}
    assert bound(stage, "owner") == [a]


def known_by(item: Item, grade: Grade) -> Item:
    """The same item, its entity known otherwise."""
    assert item.intent is not None
    return replace(item, intent=replace(item.intent, found_by=grade))


@pytest.mark.parametrize("grade", [Grade.REPLY, Grade.MARK, Grade.PERSON])
def test_what_is_proven_by_now_is_not_given_up(stage: Stage, batch: Batching, grade: Grade) -> None:
    (a,) = with_old_documents(stage, line("d1", "A"), names="A")
    applied(batch)
    document = stage.document("d1")
    proven = with_items(document, lambda item: known_by(item, grade))

    assert without(document, {"1": a}) is not None
    assert without(proven, {"1": a}) is None


def test_what_stands_as_it_was_applied_is_not_told_as_taken_back(
    stage: Stage, batch: Batching
) -> None:
    with_old_documents(stage, line("d1", "A"), names="A")
    planned = applied(batch)

    (again,) = batch.apply(planned)

    assert (again.result, again.why) == (Result.BEFORE, None)


def test_an_id_that_was_taken_back_is_free_for_whom_a_person_names(
    stage: Stage, batch: Batching
) -> None:
    (a,) = with_old_documents(stage, line("d1", "A"), names="A")
    batch.revert(applied(batch).head.run)
    said = Decision(item="1", choice=Choice.ADOPT, reason="seen", by="ann", external_id=a)
    stage.time.run(resolve("d1", said, batch.worker()))

    assert (bound(stage, "d1"), stage.document("d1").state) == ([a], D.PUBLISHED)


def test_a_run_that_is_not_known_is_said(batch: Batching) -> None:
    with pytest.raises(UnknownRun):
        batch.revert("none")
