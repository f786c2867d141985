"""A batch of creates against the API's quota, in virtual time: it counts as what it holds.

The fake counts each create for itself, as the API does (facts 3.11), and the pace of one who sends
ten in a request is that of one who sends ten.
"""

from __future__ import annotations

import pytest

from reconciler.limits import Limits
from reconciler.model import BlockReason, DocumentState, Outcome
from tests.crash.plans import ads
from tests.integration.http_stage import HttpStage, SetUp, live

TWENTY_ONE = ads(*(f"Spring / {number}" for number in range(1, 22)))
"""One goes alone; the others share two requests."""


def ended_after(set_up: SetUp, size: int) -> tuple[HttpStage, float]:
    """Twenty-one ads, where each reply says that 80 % are used; the seconds it took."""
    stage = set_up(limits=Limits(create_batch=size, concurrency=1))
    stage.fake.faults.add("usage:percent=80")
    began = stage.time.now()
    document = stage.publish(stage.submit(TWENTY_ONE)).view.document
    assert document.state is DocumentState.PUBLISHED
    return stage, (stage.time.now() - began).total_seconds()


def test_creates_in_batches_are_made_no_faster_than_alone_where_the_quota_is_short(
    set_up: SetUp,
) -> None:
    """At 80 % a second for each create. What the last batch owes, the next request would wait."""
    alone, seconds = ended_after(set_up, 1)
    batched, seconds_batched = ended_after(set_up, 10)

    assert (len(alone.graph.batches), len(batched.graph.batches)) == (0, 2)
    assert seconds == pytest.approx(20 + 21 * 0.05)
    # The create alone, a second, the first batch, and ten seconds after it was sent the other one.
    assert seconds_batched == pytest.approx(0.05 + 1 + 10 + 0.05)


def test_the_fake_counts_what_the_batches_hold_and_who_waits_for_it_never_meets_the_limit(
    set_up: SetUp,
) -> None:
    """A hundred calls in ten seconds: one who took a batch for a call would be refused the rest."""
    stage = set_up(limits=Limits(create_batch=10, concurrency=1))
    stage.fake.faults.add("quota:calls=100,seconds=10")
    document_id = stage.submit(ads(*(f"Spring / {number}" for number in range(121))))

    document = stage.publish(document_id).view.document

    assert document.state is DocumentState.PUBLISHED
    assert (len(stage.graph.batches), stage.fake.count("POST", "ads")) == (12, 121)
    assert live(stage, document) == [1] * 121
    assert stage.view(document_id).account.reason is None


@pytest.mark.parametrize("misaligned", ["", "short", "long"])
@pytest.mark.parametrize("code", [80004, 17, 4])
def test_a_block_that_only_one_answer_of_a_batch_shows_closes_the_account_for_all(
    set_up: SetUp, code: int, misaligned: str
) -> None:
    """Facts 2.11: no request of this process, and none of another, until it is over."""
    stage = set_up(limits=Limits(create_batch=10))
    if misaligned:
        stage.fake.faults.add(f"misaligned_batch:how={misaligned}")
    stage.fake.faults.add(f"throttle:code={code},minutes=7,on_edge=ads,nth=3")
    document_id = stage.submit(ads(*"ABCDEF"))
    waiting = stage.submit(ads("G"), new=True, publish=True)

    document = stage.publish(document_id).view.document
    asked = len(stage.fake.requests)
    stage.advance(waiting)
    stage.forget()
    stage.advance(waiting)
    stage.settle(document_id)

    assert len(stage.fake.requests) == asked
    account = stage.view(document_id).account
    assert account.reason is BlockReason.THROTTLED
    assert account.until is not None
    known = [item.intent.calls[0].outcome for item in document.items if item.intent]
    wanted = [Outcome.CREATED] + [Outcome.UNKNOWN] * 5
    if not misaligned:
        wanted = [Outcome.CREATED] * 2 + [Outcome.UNKNOWN] + [Outcome.CREATED] * 3
    assert known == wanted
    stage.fake.faults.clear()
    for each in (document_id, waiting):
        rested = stage.run_until_rest(each)
        assert rested.state is DocumentState.PUBLISHED
        assert set(live(stage, rested)) == {1}
