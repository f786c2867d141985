"""Who watches a ledger is told what became durable, in order, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import pytest

from adapters.store.ledger import SqlLedger
from fixtures.lives import DiesAt
from fixtures.stage import OpenLedger, Stage
from reconciler import publish
from reconciler.model import Document
from reconciler.ports import Anyhow, Change, Fenced, Guard, View
from tests.crash.plans import FOUR_ADS, ONE_AD
from tests.crash.sqlite_ledgers import sqlite_in_memory


class Told:
    """What a watcher was told."""

    def __init__(self) -> None:
        self.events: list[tuple[str, str]] = []
        self.turned: list[Guard] = []
        self.faults: list[Exception] = []

    def stored(self, document: Document, change: Change, at: datetime) -> None:
        self.events += [(document.id, event.kind) for event in change.events]

    def turned_away(self, document_id: str, guard: Guard) -> None:
        self.turned.append(guard)

    def failed(self, error: Exception) -> None:
        self.faults.append(error)


@pytest.fixture(params=["sqlite", "postgres"])
def stage(request: pytest.FixtureRequest) -> Iterator[Stage]:
    kind: str = request.param
    opening: OpenLedger = (
        sqlite_in_memory if kind == "sqlite" else request.getfixturevalue("postgres_stories")
    )
    made = Stage(open_ledger=opening)
    yield made
    made.close()


def watched(stage: Stage) -> Told:
    told = Told()
    assert isinstance(stage.ledger, SqlLedger)
    stage.ledger.watcher = told
    return told


def test_everything_that_became_durable_is_told_in_order(stage: Stage) -> None:
    told = watched(stage)
    document_id = stage.submit(FOUR_ADS)
    dying = stage.worker(DiesAt(effect="graph.create", after=True)).outside
    assert stage.dies(publish.publish(document_id, dying))
    stage.time.pass_(stage.limits.lease)
    stage.run_until_rest(document_id)

    journal = stage.time.run(stage.ledger.journal(document_id))
    assert told.events == [(document_id, line.event.kind) for line in journal]
    assert told.faults == []


def test_what_was_rolled_back_is_not_told_but_its_fault_is(stage: Stage) -> None:
    document_id = stage.submit(ONE_AD)
    told = watched(stage)

    def fault(_: View) -> Change:
        raise AssertionError("a bug of ours")

    with pytest.raises(AssertionError):
        stage.time.run(stage.ledger.change(document_id, Anyhow(), fault))

    assert [str(error) for error in told.faults] == ["a bug of ours"]
    assert told.events == []


def test_a_write_that_the_fence_refused_is_told(stage: Stage) -> None:
    document_id = stage.submit(ONE_AD)
    told = watched(stage)
    lost = Fenced(owner="nobody", epoch=0)

    view = stage.time.run(stage.ledger.change(document_id, lost, _unchanged))

    assert view is None
    assert told.turned == [lost]


def _unchanged(view: View) -> Change:
    return Change(document=view.document)
