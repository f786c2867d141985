"""The guard around a program's own create call: what is sent once, refused, or not known."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from fixtures.stage import Stage
from fixtures.world_graph import Weather
from reconciler.errors import NotSettled, Refused, WrongState
from reconciler.model import (
    AttemptOutcome,
    DocumentState,
    Grade,
    ItemState,
    NextAction,
    Outcome,
)
from reconciler.open_intent import OpenIntent
from tests.crash.plans import FOUR_ADS, ONE_AD, TREE, TWINS, ads
from tests.crash.programs import Unanswered
from tests.integration.programs import Program, ids_of, told

# --- what it lets through ------------------------------------------------------------------------


def test_an_item_is_sent_once_and_its_id_is_known_from_then_on(
    stage: Stage, program: Program
) -> None:
    document_id = stage.submit(ONE_AD)

    first = program.made(document_id, "a1")
    again = program.made(document_id, "a1")
    elsewhere = Program(stage).made(document_id, "a1")

    assert [first] == ids_of(stage)
    assert (again, elsewhere) == (first, first)
    assert len(program.sent) == 1
    document = stage.document(document_id)
    assert document.state is DocumentState.PUBLISHED
    assert [attempt.outcome for attempt in document.attempts] == [AttemptOutcome.SUCCEEDED]


def test_the_intent_says_everything_that_is_to_be_sent(stage: Stage, program: Program) -> None:
    document_id = stage.submit(TWINS)
    part = stage.document(document_id).mark_part

    for key in ("a1", "a2", "a3"):
        program.made(document_id, key)

    alone, twin, _ = program.sent
    assert (alone.labels, alone.name, alone.timeout) == ((part,), "Spring / 1", 30.0)
    assert (alone.account_id, alone.kind.value, alone.item) == ("act_1001", "ad", "a1")
    assert alone.params["adlabels"] == [{"name": part}]
    assert alone.params["status"] == "PAUSED"
    assert twin.name.startswith(f"Spring / 2 [{part}.")
    assert twin.params["name"] == twin.name


def test_references_are_ids_and_what_is_not_made_yet_is_made_first(
    stage: Stage, program: Program
) -> None:
    document_id = stage.submit(TREE)

    with pytest.raises(WrongState, match="refers to adset"):
        program.made(document_id, "ad")
    made = [program.made(document_id, key) for key in ("campaign", "adset", "ad")]

    assert program.sent[2].params["adset_id"] == made[1]
    assert stage.document(document_id).state is DocumentState.PUBLISHED


def test_items_asked_for_at_once_take_turns(stage: Stage, program: Program) -> None:
    document_id = stage.submit(FOUR_ADS)

    async def at_once() -> list[str]:
        return await asyncio.gather(
            *(program.makes(document_id, f"a{number}") for number in (1, 2, 3, 4))
        )

    made = stage.time.run(at_once())

    assert sorted(made) == sorted(ids_of(stage))
    assert program.product._turns._locks == {}


def test_r020_other_processes_are_turned_away_meanwhile_and_told_until_when(
    stage: Stage, program: Program
) -> None:
    """R020: pressed again while the first create hangs, by whoever, for whichever item."""
    document_id = stage.submit(FOUR_ADS)
    others = [Program(stage), Program(stage)]

    async def pressed() -> list[NotSettled]:
        making = asyncio.create_task(program.makes(document_id, "a1"))
        await asyncio.sleep(0.01)
        refusals = []
        for other, item in zip(others, ("a1", "a2"), strict=True):
            with pytest.raises(NotSettled, match="somebody is at its document") as refused:
                await other.makes(document_id, item)
            refusals.append(refused.value)
        await making
        return refusals

    refusals = stage.time.run(pressed())

    assert {one.until for one in refusals} == {stage.time.start + stage.limits.lease}
    assert [other.sent for other in others] == [[], []]
    assert stage.graph.walks == []
    assert len(stage.document(document_id).attempts) == 1


# --- refusals, and what is not known -------------------------------------------------------------


def test_a_refusal_ends_the_item_until_its_plan_is_mended(stage: Stage, program: Program) -> None:
    document_id = stage.submit(ONE_AD, key="k")
    stage.sky.by_number = {0: Weather.INVALID}

    for _ in range(2):
        with pytest.raises(Refused, match="invalid parameter"):
            program.made(document_id, "a1")
    refused = stage.document(document_id)
    stage.submit(ads("Spring, mended"), key="k")
    made = program.made(document_id, "a1")

    assert refused.item("a1").state is ItemState.REJECTED
    assert refused.next.action is NextAction.FIX_INPUT
    assert len(program.sent) == 2
    assert ids_of(stage) == [made]


def test_what_send_raises_comes_through_and_the_next_call_finds_what_it_made(
    stage: Stage, program: Program
) -> None:
    document_id = stage.submit(ONE_AD)
    stage.sky.by_number = {0: Weather.ERROR_AFTER}

    with pytest.raises(Unanswered):
        program.made(document_id, "a1")
    pending = stage.document(document_id)
    found = program.made(document_id, "a1")

    assert (pending.state, pending.item("a1").state) == (DocumentState.QUEUED, ItemState.PENDING)
    assert pending.lease is None
    assert [attempt.outcome for attempt in pending.attempts] == [AttemptOutcome.UNRESOLVED]
    assert [found] == ids_of(stage)
    assert len(program.sent) == 1
    intent = stage.document(document_id).item("a1").intent
    assert intent is not None
    assert intent.found_by is Grade.MARK


def test_what_was_never_made_is_sent_again_only_once_that_is_known(
    stage: Stage, program: Program
) -> None:
    document_id = stage.submit(ONE_AD)
    stage.sky.by_number = {0: Weather.ERROR_BEFORE}
    with pytest.raises(Unanswered):
        program.made(document_id, "a1")
    ended_at = stage.time.now()

    made, told_off = program.made_when_it_may(document_id, "a1")

    settled_after = stage.limits.late_landing + stage.limits.listing_lag
    assert stage.time.now() >= ended_at + settled_after
    assert "went unanswered" in told_off[0].why
    assert len(told_off) == 2  # the first look found nothing, nor did the second
    assert [made] == ids_of(stage)
    assert len(program.sent) == 2


def test_nothing_else_of_the_document_is_sent_meanwhile(stage: Stage, program: Program) -> None:
    document_id = stage.submit(FOUR_ADS)
    stage.sky.by_number = {1: Weather.ERROR_BEFORE}
    program.made(document_id, "a1")
    with pytest.raises(Unanswered):
        program.made(document_id, "a2")

    with pytest.raises(NotSettled):
        program.made(document_id, "a3")

    assert len(program.sent) == 2


def test_a_send_that_hangs_is_told_to_stop_when_its_time_is_over(
    stage: Stage, program: Program
) -> None:
    document_id = stage.submit(ONE_AD)
    before = stage.time.now()

    async def hangs(intent: OpenIntent) -> str:
        _ = intent.params
        await asyncio.sleep(3600)
        raise AssertionError("was not told to stop")

    with pytest.raises(NotSettled, match="went unanswered") as refused:
        program.made(document_id, "a1", hangs)

    document = stage.document(document_id)
    assert refused.value.until == stage.time.now()  # the next call looks: nobody must decide
    assert stage.time.now() - before == timedelta(seconds=30)
    assert document.item("a1").state is ItemState.PENDING
    assert told(stage, document_id) == []


def test_a_timeout_of_the_programs_own_client_is_no_verdict_either(
    stage: Stage, program: Program
) -> None:
    document_id = stage.submit(ONE_AD)

    async def times_out(intent: OpenIntent) -> str:
        raise TimeoutError(intent.name)

    with pytest.raises(TimeoutError):
        program.made(document_id, "a1", times_out)

    assert stage.document(document_id).item("a1").state is ItemState.PENDING


def test_a_caller_that_is_cancelled_leaves_a_recorded_end_and_no_lease(
    stage: Stage, program: Program
) -> None:
    document_id = stage.submit(ONE_AD)

    async def cancelled() -> None:
        making = asyncio.create_task(program.makes(document_id, "a1"))
        await asyncio.sleep(0.03)
        making.cancel()
        await asyncio.wait([making])
        assert making.cancelled()

    stage.time.run(cancelled())

    document = stage.document(document_id)
    intent = document.item("a1").intent
    assert intent is not None
    assert (document.lease, intent.calls[0].outcome) == (None, Outcome.UNKNOWN)
    assert program.made(document_id, "a1") == ids_of(stage)[0]
    assert len(program.sent) == 1
