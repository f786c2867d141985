"""What is named beside the adopted row and may not be: why not, and what to do instead of again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from fixtures.graph.scene import CREATIVE
from fixtures.stage import Stage
from reconciler.errors import DecisionRefused
from reconciler.model import DocumentState, ItemState
from tests.integration.held import a_colleagues, adopt, decide, held_before_two_of_ours


@pytest.fixture
def stage() -> Iterator[Stage]:
    made = Stage()
    yield made
    made.close()


def refused(stage: Stage, document_id: str, **also: Any) -> DecisionRefused:
    with pytest.raises(DecisionRefused) as why:
        decide(stage, document_id, adopt(**also))
    return why.value


def in_another_container(stage: Stage) -> str:
    """An ad of the name, in an ad set to which nothing of the document was sent."""
    elsewhere = stage.world.colleague_creates("adsets", "Autumn / all", parent_id="1501")
    creative = {"creative_id": CREATIVE}
    return stage.world.colleague_creates(
        "ads", "Spring / 1", parent_id=elsewhere.id, creative=creative
    ).id


def test_what_lies_in_another_container_is_said_to_and_the_command_without_it_is_named(
    stage: Stage,
) -> None:
    document_id, (first, second) = held_before_two_of_ours(stage)
    elsewhere = in_another_container(stage)

    error = refused(stage, document_id, external_id=first, also=(second, elsewhere))

    assert f"{elsewhere} cannot be recorded beside {first}" in error.message
    assert "it is not in adset 2001, where a1 was sent" in error.message
    without = f"reconciler resolve {document_id} a1 --adopt {first} --also {second} --reason TEXT"
    assert f"leave it out: {without}, then reconciler show {document_id} --refresh" in str(
        error.next_step
    )
    assert "is kept or deleted in Ads Manager" in str(error.next_step)
    decide(stage, document_id, adopt(first, also=(second,)))
    assert stage.document(document_id).state is DocumentState.PUBLISHED


def test_a_row_of_the_container_that_is_not_ours_is_left_out_and_not_looked_for_again(
    stage: Stage,
) -> None:
    document_id, (first, _) = held_before_two_of_ours(stage)
    theirs = a_colleagues(stage, "Winter")

    error = refused(stage, document_id, external_id=first, also=(theirs,))

    assert f"{theirs} has another name" in error.message
    assert f"it cannot be recorded beside {first}" in error.message
    assert error.next_step == (
        f"leave it out: reconciler resolve {document_id} a1 --adopt {first} --reason TEXT"
    )


def test_beside_a_bound_item_what_no_look_reports_is_not_advised_to_be_said_again(
    stage: Stage,
) -> None:
    document_id, (first, _) = held_before_two_of_ours(stage)
    decide(stage, document_id, adopt(first))
    elsewhere = in_another_container(stage)

    error = refused(stage, document_id, external_id=first, also=(elsewhere,))

    assert f"{elsewhere} is no surplus that was reported of this document" in error.message
    assert "only what a look at the containers that it sent to showed" in error.message
    assert "what it does not report lies in another container" in str(error.next_step)
    assert stage.document(document_id).item("a1").state is ItemState.CONFIRMED
