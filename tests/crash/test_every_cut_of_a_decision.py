"""Every cut of a person's decision: killed before or after any effect, it is applied once.

Whoever decided says it again, as a person does who saw no answer. Then the document rests, the
journal tells of one decision, and the end is that of a decision nobody interrupted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

import pytest

from fixtures.crash_points import Process
from fixtures.memory_ledger import MemoryLedger
from fixtures.stage import OpenLedger, Stage
from fixtures.world_graph import Weather
from reconciler import events
from reconciler.limits import Limits
from reconciler.model import Document, Echo, Grade
from reconciler.resolve import resolve
from reconciler.resolve_decision import Decision
from tests.crash.plans import ONE_AD
from tests.crash.postgres_ledgers import PostgresForStories, stories_on
from tests.crash.promise import assert_nothing_exists_twice, assert_nothing_is_bound_twice
from tests.crash.sqlite_ledgers import sqlite_in_memory
from tests.integration.held import (
    a_colleagues,
    adopt,
    held_before_two_of_ours,
    held_beside_a_stranger,
    hold,
    none,
    settled,
)
from tests.postgres import Postgres

EFFECTS_MAX = 40
Count = Callable[[str, object], None]


@dataclass(frozen=True)
class Told:
    """A document, and what is decided about it."""

    document_id: str
    said: Decision


def adopts_a_strangers(stage: Stage) -> Told:
    document_id, theirs = held_beside_a_stranger(stage)
    return Told(document_id, adopt(theirs))


def adopts_one_of_two(stage: Stage) -> Told:
    document_id, (first, second) = held_before_two_of_ours(stage)
    return Told(document_id, adopt(first, also=(second,)))


def knows_a_surplus(stage: Stage) -> Told:
    told = adopts_one_of_two(stage)
    stage.time.run(resolve(told.document_id, adopt(told.said.external_id or ""), stage.process()))
    return told


def says_none(stage: Stage) -> Told:
    return Told(held_beside_a_stranger(stage)[0], none())


def holds(stage: Stage) -> Told:
    return Told(held_beside_a_stranger(stage)[0], hold())


def outranks_a_claim(stage: Stage) -> Told:
    """Another document claimed it by name and time; it lets go first."""
    loser = stage.submit(ONE_AD)
    stage.sky.by_number[0] = Weather.REPLY_LOST
    stage.publish(loser)
    settled(stage, loser)
    claimed = stage.document(loser).item("a1").intent
    assert claimed is not None
    assert claimed.found_by is Grade.NAME_AND_TIME
    winner = stage.submit(ONE_AD, new=True)
    stage.sky.by_number[1] = Weather.ERROR_BEFORE
    stage.publish(winner)
    for _ in range(2):
        a_colleagues(stage)
    settled(stage, winner)
    return Told(winner, adopt(claimed.external_id or "", override=True))


STORIES = {
    story.__name__: story
    for story in (adopts_a_strangers, adopts_one_of_two, knows_a_surplus, says_none, holds)
}
UNMARKED = {"outranks_a_claim": outranks_a_claim}
LEDGERS = {"memory": MemoryLedger, "sqlite": sqlite_in_memory}


@pytest.fixture(scope="module")
def stories(postgres: Postgres) -> Iterator[PostgresForStories]:
    """Ledgers on PostgreSQL for one story after the other."""
    url = postgres.migrated()
    with stories_on(url) as opened:
        yield opened
    postgres.drop(url)


@pytest.mark.parametrize("open_ledger", LEDGERS.values(), ids=LEDGERS)
@pytest.mark.parametrize("story", [*STORIES, *UNMARKED])
def test_a_decision_killed_anywhere_and_said_again_is_applied_once(
    story: str, open_ledger: OpenLedger, record_property: Count
) -> None:
    record_property("cells", cells(story, open_ledger))


@pytest.mark.parametrize("story", [*STORIES, *UNMARKED])
def test_the_same_on_postgresql(
    story: str, stories: PostgresForStories, record_property: Count
) -> None:
    record_property("cells", cells(story, stories))


def cells(story: str, open_ledger: OpenLedger) -> int:
    """Runs every cut there is and counts them; each ends as the story that nobody cut."""
    wanted, count_of_cells = _run(story, open_ledger, None), 0
    for after in (False, True):
        for at in count():
            assert at < EFFECTS_MAX, "no end of effects"
            end = _run(story, open_ledger, Process(dies_at=at, after=after))
            if end is None:
                break
            assert end == wanted, f"died {'after' if after else 'before'} effect {at}"
            count_of_cells += 1
    assert count_of_cells
    return count_of_cells


def _run(story: str, open_ledger: OpenLedger, life: Process | None) -> Any:
    """How everything stands in the end; None where the process outlived its cut."""
    echo = Echo.NONE if story in UNMARKED else Echo.LABEL
    stage = Stage(limits=Limits(echo=echo), open_ledger=open_ledger)
    try:
        told = (STORIES | UNMARKED)[story](stage)
        earlier = len(_decisions(stage, told.document_id))
        if life is not None and not _dies(stage, told, life):
            return None
        stage.time.pass_(stage.limits.lease)
        stage.time.run(resolve(told.document_id, told.said, stage.process()))
        assert len(_decisions(stage, told.document_id)) == earlier + 1
        documents = [stage.run_until_rest(one) for one in stage.documents]
        for document in documents:
            assert_nothing_exists_twice_but(stage, document, story)
        assert_nothing_is_bound_twice(documents)
        return [_stands(document) for document in documents]
    finally:
        stage.close()


def assert_nothing_exists_twice_but(stage: Stage, document: Document, story: str) -> None:
    """Two of one request stand outside A8: there a decision makes no third."""
    if story in (adopts_one_of_two.__name__, knows_a_surplus.__name__):
        assert len(stage.graph.creates) == 1
    else:
        assert_nothing_exists_twice(stage.world, document)


def _dies(stage: Stage, told: Told, life: Process) -> bool:
    worker = stage.worker(life).outside
    return stage.dies(resolve(told.document_id, told.said, worker))


def _decisions(stage: Stage, document_id: str) -> list[Any]:
    lines = stage.time.run(stage.ledger.journal(document_id))
    return [line for line in lines if line.event.kind == events.RESOLVED]


def _stands(document: Document) -> tuple[Any, ...]:
    items = [
        (item.state, item.intent and (item.intent.external_id, item.intent.found_by))
        for item in document.items
    ]
    return document.state, items, document.surplus, document.lease, document.recoveries


def test_the_effects_of_an_adoption_are_these_and_no_others() -> None:
    stage = Stage()
    told = adopts_a_strangers(stage)
    worker = stage.worker()

    stage.time.run(resolve(told.document_id, told.said, worker.outside))

    assert worker.life.effects == [
        "ledger.SettleLease",
        "graph.walk",  # every status
        "graph.walk",  # no filter
        "ledger.Fenced",  # the decision with its reason, and the end
    ]
    stage.close()
