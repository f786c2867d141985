"""A publish that is said while a cancel waits for what is under way."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest

from fixtures.lives import DiesAt
from fixtures.stage import OpenLedger, Stage
from reconciler import publish
from reconciler.cancel import cancel
from reconciler.errors import WrongState
from reconciler.model import DocumentState
from tests.crash.plans import FOUR_ADS, ONE_AD
from tests.crash.promise import assert_promise


@pytest.fixture
def stage(open_ledger: OpenLedger) -> Iterator[Stage]:
    made = Stage(open_ledger=open_ledger)
    yield made
    assert_promise(made)
    made.close()


def test_it_is_refused_and_not_lost_when_the_cancel_is_honoured(stage: Stage) -> None:
    document_id = stage.submit(ONE_AD)
    dying = stage.worker(DiesAt(effect="graph.create", after=False)).outside
    assert stage.dies(publish.publish(document_id, dying))
    waiting = stage.time.run(cancel(document_id, stage.process())).document

    with pytest.raises(WrongState, match="a cancel of it was recorded"):
        stage.time.run(publish.publish(document_id, stage.process()))

    assert (waiting.state, waiting.cancel_requested) == (DocumentState.PUBLISHING, True)
    assert waiting.next.why == "a worker is publishing it; then it is cancelled"


def test_of_a_cancelled_one_it_says_what_a_second_set_would_double(stage: Stage) -> None:
    document_id = stage.submit(FOUR_ADS)
    dying = stage.worker(DiesAt(effect="graph.create", after=True)).outside
    assert stage.dies(publish.publish(document_id, dying))
    stage.time.run(cancel(document_id, stage.process()))
    stage.time.pass_(timedelta(hours=1))
    for _ in range(2):  # the lease has to be taken over, and what was made to show
        stage.settle(document_id, asked=True)
        stage.time.pass_(timedelta(hours=1))

    with pytest.raises(WrongState, match="it was cancelled") as refused:
        stage.time.run(publish.publish(document_id, stage.process()))

    assert stage.document(document_id).state is DocumentState.CANCELLED
    assert "1 of its 4 items exists outside and would be made a second time" in (
        refused.value.next_step or ""
    )
