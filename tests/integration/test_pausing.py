"""A paused account: nothing is created in it, wherever it was, and looking goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest

from fixtures.stage import OpenLedger, Stage
from reconciler import access, pausing, publish
from reconciler.due import Due
from reconciler.errors import WrongState
from reconciler.limits import Limits
from reconciler.model import Account, BlockReason, DocumentState, ItemState, NextAction
from reconciler.next_step import shown_next
from reconciler.renewal import HeldLease, local_now
from reconciler.write_ahead import write_calls
from tests.crash.plans import FOUR_ADS, ONE_AD
from tests.crash.promise import assert_promise
from tests.integration.crashed import crashed_after_create

ACCOUNT = "act_1001"
WHY = "the budget is being moved"


@pytest.fixture
def stage(open_ledger: OpenLedger) -> Iterator[Stage]:
    made = Stage(open_ledger=open_ledger)
    yield made
    assert_promise(made)
    made.close()


def pause(stage: Stage) -> Account:
    return stage.time.run(pausing.pause(ACCOUNT, WHY, stage.process()))


def resume(stage: Stage) -> Account:
    return stage.time.run(pausing.resume(ACCOUNT, stage.process()))


def test_nothing_is_created_in_a_paused_account_until_it_is_resumed(stage: Stage) -> None:
    document_id = stage.submit(ONE_AD)
    pause(stage)

    published = stage.publish(document_id)
    view = stage.view(document_id)
    step = shown_next(view.document, view.account, view.now, worker_seen=True)
    creates = len(stage.graph.creates)
    resume(stage)
    document = stage.run_until_rest(document_id)

    assert published.attempt is None
    assert view.document.state is DocumentState.QUEUED
    assert (step.action, step.until) == (NextAction.WAIT, None)
    assert WHY in step.why
    assert f"reconciler resume {ACCOUNT}" in step.why
    assert creates == 0
    assert document.state is DocumentState.PUBLISHED
    assert len(document.attempts) == 1


def test_an_attempt_that_is_under_way_starts_no_create_after_the_pause(stage: Stage) -> None:
    document_id = stage.submit(FOUR_ADS)
    stage.limits = replace(stage.limits, wave_size=1)
    stage.sky.latency = timedelta(seconds=1)

    async def attempt() -> None:
        running = asyncio.ensure_future(publish.publish(document_id, stage.process()))
        await asyncio.sleep(0.5)
        await pausing.pause(ACCOUNT, WHY, stage.process())
        await running

    stage.time.run(attempt())
    document, creates = stage.document(document_id), len(stage.graph.creates)
    resume(stage)
    rested = stage.run_until_rest(document_id)

    assert (document.state, document.lease) == (DocumentState.QUEUED, None)
    assert creates == 1
    assert document.attempts_used == 0
    assert rested.state is DocumentState.PUBLISHED
    assert len(stage.graph.creates) == 4


def test_no_intent_is_written_in_a_paused_account(stage: Stage) -> None:
    """One that is written and not sent would have to be settled before anything else."""
    document_id = stage.submit(ONE_AD, publish=True)
    outside = stage.process()
    local = local_now(outside)
    claimed = stage.time.run(publish.claim(document_id, ACCOUNT, outside))
    assert claimed is not None
    assert claimed.document.lease is not None
    held = HeldLease(document_id, claimed.document.lease, local, outside)
    pause(stage)

    written = stage.time.run(write_calls(claimed.document, ("a1",), held, outside))

    assert written is not None
    assert written.calls == ()
    assert stage.document(document_id).items[0].state is ItemState.WAITING
    resume(stage)
    stage.time.pass_(stage.limits.lease)
    stage.run_until_rest(document_id)


def test_a_paused_account_is_looked_at_all_the_same(stage: Stage) -> None:
    document_id = crashed_after_create(stage)
    pause(stage)

    settled = stage.settle(document_id)

    assert settled.view.document.state is DocumentState.PUBLISHED
    assert len(stage.graph.creates) == 1


def test_workers_pass_a_paused_account_by(stage: Stage) -> None:
    stage.submit(ONE_AD, publish=True)
    duties = stage.ledger

    def claimable() -> tuple[int, int, int]:
        async def asked() -> tuple[int, int, int]:
            passing = timedelta(days=1)
            every = await duties.due(Due.CLAIM, limit=9, passing_max=passing)
            of_it = await duties.due(Due.CLAIM, limit=9, passing_max=passing, account_id=ACCOUNT)
            return len(every), len(of_it), len(await duties.turns(limit=9))

        return stage.time.run(asked())

    before = claimable()
    pause(stage)
    paused = claimable()
    resume(stage)

    assert (before, paused, claimable()) == ((1, 1, 1), (0, 0, 0), (1, 1, 1))
    stage.run_until_rest(stage.documents[0])


def test_a_block_by_the_api_neither_ends_a_pause_nor_is_ended_by_one(stage: Stage) -> None:
    now, limits = stage.time.now(), Limits()
    paused = Account(id=ACCOUNT, paused=WHY)

    blocked = access.throttled(paused, now, None, limits)
    refused = access.refused(paused, now, "print", limits)

    assert blocked.paused == refused.paused == refused.opened().paused == WHY
    assert (blocked.reason, refused.reason) == (BlockReason.THROTTLED, BlockReason.ACCESS)
    stage.time.run(stage.ledger.set_account(blocked, Account(id=ACCOUNT)))
    assert resume(stage) == replace(blocked, paused=None)
    assert pause(stage) == blocked
    assert stage.time.run(stage.ledger.account(ACCOUNT)) == blocked


@pytest.mark.parametrize(
    "why", ["", "  ", "\0", "\u200b", "\u3164", "TEXT", "x" * 201, "two\nlines"]
)
def test_a_pause_needs_a_reason_that_can_be_told(stage: Stage, why: str) -> None:
    with pytest.raises(WrongState):
        stage.time.run(pausing.pause(ACCOUNT, why, stage.process()))


def test_pausing_twice_keeps_the_last_reason(stage: Stage) -> None:
    pause(stage)

    again = stage.time.run(pausing.pause(ACCOUNT, "another", stage.process()))

    assert again.paused == "another"
    assert resume(stage) == resume(stage) == Account(id=ACCOUNT)
