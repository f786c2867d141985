"""One run at the timings that ship: lease 120, call 30, landing 120, lag 60 s, in virtual time.

The figures are those the README promises; a change of any of them shows here.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest

from fixtures.stage import Stage
from fixtures.virtual_time import START
from fixtures.world_graph import Sky, Weather
from reconciler import events
from reconciler.model import DocumentState
from reconciler.outside import Outside
from reconciler.publish import publish
from tests.crash.plans import ONE_AD
from tests.crash.promise import assert_promise

SENT = 3
"""The effect, from 0, that is the first create."""

A_LOOK = timedelta(seconds=1)
"""More than the two walks of one look take on the stage."""


@pytest.fixture
def stage() -> Iterator[Stage]:
    made = Stage()
    yield made
    assert_promise(made)
    made.close()


async def _publish(document_id: str, worker: Outside) -> None:
    await publish(document_id, worker)


def looked_at(stage: Stage, document_id: str) -> list[tuple[float, str]]:
    """Seconds after the start of every look, and what it said."""
    journal = stage.time.run(stage.ledger.journal(document_id))
    return [
        ((line.at - START).total_seconds(), str(line.event.detail["verdict"]))
        for line in journal
        if line.event.kind == events.LOOKED
    ]


def first(stage: Stage, document_id: str, verdict: str) -> datetime:
    """When a verdict was first given."""
    seconds = next(at for at, said in looked_at(stage, document_id) if said == verdict)
    return START + timedelta(seconds=seconds)


def test_what_a_timed_out_call_made_is_found_within_seconds_of_the_timeout(stage: Stage) -> None:
    stage.sky.by_number = {0: Weather.REPLY_LOST}
    document_id = stage.submit(ONE_AD)

    stage.publish(document_id)
    stage.run_until_rest(document_id)

    assert first(stage, document_id, "found") - START <= timedelta(seconds=30) + A_LOOK


def test_what_a_killed_worker_made_is_found_within_seconds_of_its_leases_end(stage: Stage) -> None:
    document_id = stage.submit(ONE_AD)
    stage.dies(_publish(document_id, stage.process(dies_at=SENT, after=True)))

    stage.run_until_rest(document_id)

    assert first(stage, document_id, "found") - START <= timedelta(seconds=120) + A_LOOK


def test_that_a_failed_call_made_nothing_is_known_180_seconds_after_it(stage: Stage) -> None:
    stage.sky.by_number = {0: Weather.ERROR_BEFORE}
    document_id = stage.submit(ONE_AD)

    stage.publish(document_id)
    document = stage.run_until_rest(document_id)

    known = first(stage, document_id, "absent") - START
    assert timedelta(seconds=180) <= known <= timedelta(seconds=180) + A_LOOK
    assert document.state is DocumentState.PUBLISHED


def test_that_a_killed_worker_made_nothing_is_known_300_seconds_after_the_kill(
    stage: Stage,
) -> None:
    document_id = stage.submit(ONE_AD)
    stage.dies(_publish(document_id, stage.process(dies_at=SENT, after=False)))

    document = stage.run_until_rest(document_id)

    known = first(stage, document_id, "absent") - START
    assert timedelta(seconds=300) <= known <= timedelta(seconds=300) + A_LOOK
    assert document.state is DocumentState.PUBLISHED


def test_three_looks_are_made_and_no_polling(stage: Stage) -> None:
    """At once, after the listing lag, and when everything has settled."""
    stage.sky.by_number = {0: Weather.ERROR_BEFORE}
    document_id = stage.submit(ONE_AD)

    stage.publish(document_id)
    stage.run_until_rest(document_id)

    looks = looked_at(stage, document_id)
    assert [(round(at), said) for at, said in looks] == [
        (0, "inconclusive"),
        (60, "inconclusive"),
        (180, "absent"),
    ]


def test_an_entity_that_lands_late_is_found_by_the_last_look(stage: Stage) -> None:
    stage.graph.sky = Sky(by_number={0: Weather.LATE}, late_by=timedelta(seconds=119))
    document_id = stage.submit(ONE_AD)

    stage.publish(document_id)
    document = stage.run_until_rest(document_id)

    assert [said for _, said in looked_at(stage, document_id)][-1] == "found"
    assert (document.state, len(stage.graph.creates)) == (DocumentState.PUBLISHED, 1)
