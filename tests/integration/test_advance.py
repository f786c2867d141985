"""The one step for an engine of one's own: said at its own times, it brings a document to rest."""

from __future__ import annotations

from datetime import timedelta

import pytest

from fixtures.stage import Stage
from reconciler.model import BlockReason, DocumentState
from tests.crash.plans import FOUR_ADS, ONE_AD
from tests.integration.crashed import crashed_after_create
from tests.integration.http_stage import HttpStage, SetUp, live

SAID_MAX = 40


@pytest.fixture
def stage(set_up: SetUp) -> HttpStage:
    return set_up()


def said_at_its_own_times(stage: Stage, document_id: str) -> int:
    """How often it was said until it named no time any more."""
    for said in range(1, SAID_MAX):
        again_at = stage.advance(document_id).again_at
        if again_at is None:
            return said
        stage.time.pass_(max(timedelta(0), again_at - stage.time.now()))
    raise AssertionError("it never rests")


def test_what_crashed_is_brought_to_rest_at_the_times_that_it_names() -> None:
    stage = Stage()
    document_id = crashed_after_create(stage)

    said = said_at_its_own_times(stage, document_id)

    assert stage.document(document_id).state is DocumentState.PUBLISHED
    assert stage.document(document_id).owes_look_from is None
    assert said < 10
    stage.close()


def test_an_account_that_refused_our_token_is_asked_again_and_opened(stage: HttpStage) -> None:
    """The one who says the id is the only one there: no worker runs, and nothing is unsettled."""
    stage.fake.faults.add("access_lost")
    document_id, other = (stage.submit(ONE_AD, new=True, publish=True) for _ in range(2))
    stage.advance(document_id)
    assert stage.view(other).account.reason is BlockReason.ACCESS
    stage.fake.faults.clear()

    said_at_its_own_times(stage, other)

    assert stage.document(other).state is DocumentState.PUBLISHED
    assert live(stage, stage.document(other)) == [1]


def test_an_account_that_refuses_still_is_asked_once_for_each_time_that_is_named(
    stage: HttpStage,
) -> None:
    stage.fake.faults.add("access_lost")
    document_id = stage.submit(FOUR_ADS, publish=True)

    for _ in range(5):
        again_at = stage.advance(document_id).again_at
        assert again_at is not None
        assert stage.advance(document_id).again_at == again_at  # too early, and not asked
        stage.time.pass_(again_at - stage.time.now())

    assert len(stage.fake.requests) == 5
    assert stage.fake.count("POST") == 1
