"""A sweep does what is due though nobody asks, creates nothing, and one failing row stops none."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import pytest

from fixtures.crash_points import Process
from fixtures.stage import Stage
from fixtures.world_graph import Weather
from reconciler import cancel, publish
from reconciler.access import throttled
from reconciler.due import Due
from reconciler.limits import Limits
from reconciler.model import Account, DocumentState, ItemState, Reason
from reconciler.ports import Change, LeaseFree, SettleLease, View
from reconciler.sweep import Swept, sweep
from tests.contract.ledger_documents import accepting, attempt, pending, queued
from tests.crash.plans import ONE_AD, ads
from tests.integration.crashed import crashed_after_create
from tests.integration.sweeping import MINUTE, SECOND, counted, crashed, swept


@pytest.fixture
def stage() -> Iterator[Stage]:
    made = Stage()
    yield made
    made.close()


# --- what it does -------------------------------------------------------------------------------


def test_a_crash_is_taken_over_and_what_it_made_is_found(stage: Stage) -> None:
    document_id = crashed_after_create(stage)

    done = swept(stage)

    assert stage.document(document_id).state is DocumentState.PUBLISHED
    assert counted(done) == {"found": 1}
    [visit] = done.visits
    assert (visit.kind, visit.before, visit.after) == (
        Due.TAKEOVER,
        DocumentState.PUBLISHING,
        DocumentState.PUBLISHED,
    )


def test_a_healthy_ledger_is_left_alone_without_a_single_request(stage: Stage) -> None:
    stage.publish(stage.submit(ONE_AD))
    stage.submit(ads("a draft"))
    walks = len(stage.graph.walks)

    done = swept(stage)

    assert (done.visits, len(stage.graph.walks)) == ((), walks)


def test_a_look_that_is_due_is_made_and_one_that_is_not_is_not(stage: Stage) -> None:
    """The three looks of an unanswered call that made nothing, each by the pass after its time."""
    stage.sky.by_number[0] = Weather.ERROR_BEFORE
    document_id = stage.submit(ONE_AD)
    stage.publish(document_id)
    looks = [len(stage.graph.walks)]
    for _ in range(20):
        stage.time.pass_(10 * SECOND)
        swept(stage)
        looks.append(len(stage.graph.walks))

    moved = [at for at, (one, two) in enumerate(pairwise(looks)) if one != two]
    assert len(moved) == 2  # the first was made inside the attempt
    item = stage.document(document_id).item("a1")
    assert item.state is ItemState.ABSENT


def test_an_owed_look_is_made_in_whatever_state_and_moves_none(stage: Stage) -> None:
    """The late twin of a call that was answered by a second create."""
    stage.sky.by_number[0] = Weather.REPLY_LOST
    document_id = stage.submit(ONE_AD)
    stage.publish(document_id)
    assert stage.document(document_id).owes_look_from is not None
    stage.time.pass_(5 * MINUTE)

    before = stage.document(document_id).state
    done = swept(stage)

    after = stage.document(document_id)
    assert (after.state, after.owes_look_from) == (before, None)
    assert [visit.kind for visit in done.visits] == [Due.OWED_LOOK]


def test_a_queued_document_that_nothing_would_take_is_driven_again(stage: Stage) -> None:
    """Queued work that nothing holds, as a hand in the database may leave it."""
    document_id = stage.submit(ONE_AD, publish=True)
    forget_its_time(stage, document_id)

    done = swept(stage)

    assert stage.document(document_id).due_at == stage.time.now()
    assert [visit.kind for visit in done.visits] == [Due.STRANDED]


def forget_its_time(stage: Stage, document_id: str) -> None:
    def decide(view: View) -> Change:
        return Change(document=replace(view.document, due_at=None))

    assert stage.time.run(stage.ledger.change(document_id, LeaseFree(), decide))


def test_a_cancel_that_waited_for_a_settler_who_died_is_honoured(stage: Stage) -> None:
    document_id = stage.submit(ONE_AD, publish=True)
    lend(stage, document_id)
    stage.time.run(cancel.cancel(document_id, stage.process()))
    assert stage.document(document_id).state is DocumentState.QUEUED
    stage.time.pass_(stage.limits.lease)

    done = swept(stage)

    assert stage.document(document_id).state is DocumentState.CANCELLED
    assert [visit.kind for visit in done.visits] == [Due.CANCEL]


def lend(stage: Stage, document_id: str) -> None:
    """To a settler that never comes back."""
    guard = SettleLease(owner="killed", duration=stage.limits.lease)
    lent = stage.ledger.change(document_id, guard, lambda view: Change(document=view.document))
    assert stage.time.run(lent)


# --- what it leaves alone -----------------------------------------------------------------------


def test_a_claim_three_seconds_old_is_not_touched(stage: Stage) -> None:
    """R069, R070: alive is who holds a lease, in this process or another."""
    stage.sky.latency = 20 * SECOND
    document_id = stage.submit(ads("1", "2"), publish=True)
    outside = stage.process()

    async def story() -> tuple[Swept, View]:
        publishing = asyncio.create_task(publish.publish(document_id, outside))
        await asyncio.sleep(3)
        done = await sweep(outside)  # the same process, as a worker's own sweep is
        view = await stage.ledger.read(document_id)
        await publishing
        return done, view

    done, view = stage.time.run(story())

    assert done.visits == ()
    assert view.document.state is DocumentState.PUBLISHING
    assert stage.document(document_id).state is DocumentState.PUBLISHED


def test_a_publish_of_twenty_minutes_is_never_swept(stage: Stage) -> None:
    """R059: its lease is renewed while it moves; age says nothing."""
    stage.sky.latency = 20 * SECOND
    stage.limits = Limits(concurrency=1)
    document_id = stage.submit(ads(*(f"{n}" for n in range(60))), publish=True)
    outside, sweeper = stage.process(), stage.process()

    async def story() -> list[Swept]:
        publishing = asyncio.create_task(publish.publish(document_id, outside))
        done = []
        for _ in range(19):
            await asyncio.sleep(60)
            done.append(await sweep(sweeper))
        await publishing
        return done

    done = stage.time.run(story())

    assert [each.visits for each in done] == [()] * 19
    assert len(stage.document(document_id).attempts) == 1
    assert stage.document(document_id).state is DocumentState.PUBLISHED


def test_a_second_sweeper_is_turned_away_and_a_killed_one_is_followed(stage: Stage) -> None:
    """R019: a sweeper that was killed stops sweeping for as long as its lease, not for ever."""
    crashed_after_create(stage)
    dying = stage.worker(Process(dies_at=1)).outside
    assert stage.dies(sweep(dying))

    assert swept(stage).held_by_another
    stage.time.pass_(stage.limits.lease)
    assert counted(swept(stage)) == {"found": 1}


def test_an_account_that_cannot_be_served_keeps_nothing_else_waiting(stage: Stage) -> None:
    """More rows of a throttled account than a page holds, all due longer than the other's."""
    served = crashed(stage, 1)
    crowd = [queued(f"b{number}", pending("a1"), account_id="act_7") for number in range(150)]
    for each in crowd:
        given = replace(each, attempts=(attempt(),))
        stage.time.run(stage.ledger.submit(each.key, accepting(given)))
    account = throttled(Account(id="act_7"), stage.time.now(), 60 * MINUTE, stage.limits)
    assert stage.time.run(stage.ledger.set_account(account, Account(id="act_7")))

    done = swept(stage)

    assert [visit.document_id for visit in done.visits] == served
    assert counted(done) == {"found": 1}


def test_a_day_without_access_makes_it_a_persons_business(stage: Stage) -> None:
    """A reason that ought to pass, and does not, is held under its own name."""
    stage.sky.otherwise = Weather.REFUSED
    document_id = stage.submit(ONE_AD)
    stage.publish(document_id)

    for _ in range(30):
        stage.time.pass_(60 * MINUTE)
        swept(stage)

    document = stage.document(document_id)
    intent = document.item("a1").intent
    assert document.state is DocumentState.HELD
    assert intent is not None
    assert intent.reason is Reason.ACCESS


def test_a_token_that_was_replaced_opens_the_account_at_the_next_pass(stage: Stage) -> None:
    """Its documents are told to nobody while it is closed: the pass itself must find it out."""
    stage.limits = Limits(backoff_base=60 * MINUTE, backoff_cap=60 * MINUTE)
    stage.sky.by_number[0] = Weather.REFUSED
    document_id = stage.submit(ONE_AD)
    stage.publish(document_id)
    stage.time.pass_(5 * MINUTE)
    assert counted(swept(stage)) == {}

    stage.graph.token = "t2"
    due_now(stage, document_id)

    assert counted(swept(stage)) == {"absent": 1}


def due_now(stage: Stage, document_id: str) -> None:
    def decide(view: View) -> Change:
        return Change(document=replace(view.document, due_at=view.now))

    assert stage.time.run(stage.ledger.change(document_id, LeaseFree(), decide))
