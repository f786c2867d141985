"""What is too many: every container once, nothing changed, nothing unknown told as zero."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fixtures.stage import Stage
from fixtures.world_graph import Weather
from reconciler.duplicates import Duplicates, duplicates
from reconciler.model import Kind, Reason
from tests.crash.plans import ONE_AD, TREE, ads
from tests.integration.held import a_colleagues


@pytest.fixture
def stage() -> Iterator[Stage]:
    made = Stage()
    yield made
    made.close()


def found(stage: Stage, account_id: str | None = None) -> Duplicates:
    return stage.time.run(duplicates(stage.process(), account_id=account_id))


def test_each_container_is_listed_once_for_all_documents(stage: Stage) -> None:
    for number in range(3):
        stage.publish(stage.submit(ads(f"Spring / {number}")))
    stage.publish(stage.submit(TREE))
    steps: list[tuple[int, int]] = []

    report = stage.time.run(
        duplicates(stage.process(), step=lambda done, of: steps.append((done, of)))
    )

    places = [request.place for request in stage.graph.walks]
    assert len(places) == len(set(places)) == report.walked == 4
    assert sorted(kind for _, kind in places) == [Kind.AD, Kind.AD, Kind.ADSET, Kind.CAMPAIGN]
    assert (report.groups, report.incomplete) == ((), ())
    assert steps == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_what_one_request_made_twice_is_ours_and_a_strangers_is_not(stage: Stage) -> None:
    stage.sky.by_number[0] = Weather.MADE_TWICE
    document_id = stage.submit(ONE_AD)
    stage.publish(document_id)
    theirs = a_colleagues(stage)
    before = stage.document(document_id)

    (group,) = found(stage).groups

    assert [len(group.ours), group.wanted] == [2, 1]
    assert [entity.external_id for entity in group.look_alikes] == [theirs]
    assert stage.document(document_id) == before


def test_a_walk_that_does_not_end_is_told_and_the_others_go_on(stage: Stage) -> None:
    stage.publish(stage.submit(TREE))
    stage.sky.blind[0] = Reason.LISTING_INCOMPLETE

    report = found(stage)

    (lost,) = report.incomplete
    assert (lost.reason, report.walked) == (Reason.LISTING_INCOMPLETE, 2)
    assert lost.detail


@pytest.mark.parametrize("reason", [Reason.THROTTLED, Reason.ACCESS])
def test_after_a_refusal_nothing_more_is_asked_of_the_account(stage: Stage, reason: Reason) -> None:
    stage.publish(stage.submit(TREE))
    stage.sky.blind[0] = reason

    report = found(stage)

    assert [lost.reason for lost in report.incomplete] == [reason] * 3
    assert len(stage.graph.walks) == 1


def test_another_accounts_documents_are_none_of_the_question(stage: Stage) -> None:
    stage.publish(stage.submit(ONE_AD))

    assert found(stage, "act_9").walked == 0
    assert found(stage, "act_1001").walked == 1
