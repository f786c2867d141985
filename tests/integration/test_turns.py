"""Accounts take turns: thousands of one, or a throttle of it, delay nobody else's documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from fixtures.stage import Stage
from reconciler.limits import Limits
from reconciler.model import Account, BlockReason, DocumentState
from reconciler.worker import Happened, Happening, work
from tests.crash.plans import ads

MANY = 120


@pytest.fixture
def stage() -> Iterator[Stage]:
    made = Stage(limits=Limits(concurrency=3))
    yield made
    made.close()


def queued(stage: Stage, account: str, count: int) -> list[str]:
    """So many documents of one ad each, of this account."""
    return [
        stage.submit(ads(f"{account} / {number}") | {"account_id": account}, publish=True)
        for number in range(count)
    ]


def served(stage: Stage, **limits: Any) -> list[Happened]:
    """What a worker told until it had done everything, or for a minute."""
    stage.limits = replace(stage.limits, **limits)
    ends_at = stage.time.now() + timedelta(minutes=1)
    outside = stage.worker(stopping=lambda: stage.time.now() >= ends_at).outside
    story: list[Happened] = []
    stage.time.run(work(outside, story.append))
    return story


def taken(story: list[Happened]) -> list[str | None]:
    """The documents in the order in which they were taken."""
    return [happened.document_id for happened in story if happened.what is Happening.TAKEN]


def test_a_document_behind_many_of_another_account_is_among_the_next_to_be_taken(
    stage: Stage,
) -> None:
    large = queued(stage, "act_1001", MANY)
    others = [queued(stage, f"act_{number}", 1)[0] for number in (1002, 1003, 9)]

    order = taken(served(stage))

    assert sorted(filter(None, order)) == sorted(large + others)
    assert {order.index(each) for each in others} <= set(range(4 + stage.limits.concurrency))


@pytest.mark.parametrize("slots", [1, 2, 3, 7])
def test_of_several_with_many_each_is_served_alike(stage: Stage, slots: int) -> None:
    accounts = {f"act_{1001 + n}": queued(stage, f"act_{1001 + n}", 10) for n in range(5)}
    account_of = {each: account for account, ids in accounts.items() for each in ids}

    order = taken(served(stage, concurrency=slots))

    first = Counter(account_of[each] for each in order[:30] if each)
    assert max(first.values()) - min(first.values()) <= 2


def test_an_account_that_is_throttled_keeps_no_other_waiting(stage: Stage) -> None:
    large = queued(stage, "act_1001", MANY)
    until = stage.time.now() + timedelta(hours=1)
    closed = Account(id="act_1001", reason=BlockReason.THROTTLED, until=until)
    assert stage.time.run(stage.ledger.set_account(closed, Account(id="act_1001")))
    others = queued(stage, "act_1002", 5)

    assert taken(served(stage)) == others
    assert stage.document(large[0]).state is DocumentState.QUEUED


def test_an_account_never_has_more_than_its_share_of_a_worker(stage: Stage) -> None:
    queued(stage, "act_1001", 12)

    in_hand = most = 0
    for happened in served(stage, account_concurrency=2):
        in_hand += (happened.what is Happening.TAKEN) - (happened.what is Happening.ENDED)
        most = max(most, in_hand)

    assert most == 2
