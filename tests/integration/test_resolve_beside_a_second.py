"""An ad was made twice, and the reply to its sibling was lost: the sibling is held, and gets out.

The second entity bears our mark under the first ad's name, so the sibling's own row is doubted.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from adapters.cli.funnel_picture import funnel_picture
from adapters.shapes import Explained, explanation
from fixtures.stage import Stage
from fixtures.world_graph import US, Weather
from reconciler import publish
from reconciler.model import DocumentState, Grade, ItemState, Reason
from reconciler.resolve_decision import Choice
from tests.crash.plans import ads
from tests.integration.held import decide, decision, reason_of, refusal, settled
from tests.unit.test_funnel_picture import drawn


@pytest.fixture
def stage() -> Iterator[Stage]:
    made = Stage()
    yield made
    made.close()


def held_beside_a_second(stage: Stage) -> tuple[str, str, str, str]:
    """The document with `a2` held; the second entity of `a1`, its bound one, and `a2`'s own row."""
    document_id = stage.submit(ads("Spring / 1", "Spring / 2"))
    stage.sky.by_number |= {0: Weather.MADE_TWICE, 1: Weather.REPLY_LOST}
    stage.time.run(publish.publish(document_id, stage.process()))
    settled(stage, document_id)
    assert reason_of(stage, document_id, "a2") is Reason.MARK_LOST, stage.story(document_id)
    bound = bound_to(stage, document_id, "a1")
    made = stage.world.created_by(US, "ad")
    (second,) = [one.id for one in made if one.name == "Spring / 1" and one.id != bound]
    (own,) = [one.id for one in made if one.name == "Spring / 2"]
    return document_id, second, bound, own


def bound_to(stage: Stage, document_id: str, item: str) -> str:
    intent = stage.document(document_id).item(item).intent
    assert intent is not None
    return intent.external_id or ""


def explained(stage: Stage, document_id: str) -> Explained:
    view = stage.time.run(stage.ledger.read(document_id))
    evidence = {
        one.item: stage.time.run(stage.ledger.evidence(one.evidence_id))
        for one in view.document.verdicts
    }
    return Explained(view=view, evidence=evidence)


def test_the_row_that_is_left_is_told_before_the_doubts_with_what_speaks_for_it(
    stage: Stage,
) -> None:
    document_id, second, _, own = held_beside_a_second(stage)

    shape = explanation(explained(stage, document_id))
    text = drawn(funnel_picture(shape))

    told = {item["item"]: item for item in shape["items"]}["a2"]
    assert [row["id"] for row in told["survivor_rows"]] == [own]
    assert "bears our mark" in told["survivor_rows"][0]["speaks_for"]
    assert text.index(f"= {own}  left: bears the name") < text.index(f"? {second}")


def test_the_doubt_is_told_as_a_second_entity_of_the_other_item(stage: Stage) -> None:
    document_id, second, bound, _ = held_beside_a_second(stage)

    shape = explanation(explained(stage, document_id))

    told = {item["item"]: item for item in shape["items"]}["a2"]
    assert told["second_entities"] == [{"external_id": second, "item": "a1", "bound_to": bound}]
    words = f"{second} looks like a second entity of a1 ({bound})"
    assert words in drawn(funnel_picture(shape), width=140)


def test_the_second_entity_is_not_adopted_for_the_sibling_whose_own_row_is_listed(
    stage: Stage,
) -> None:
    document_id, second, _, own = held_beside_a_second(stage)
    wrong = decision(Choice.ADOPT, "a2", external_id=second)

    assert own in refusal(stage, document_id, wrong)
    overriding = decision(Choice.ADOPT, "a2", external_id=second, override=True)
    assert "adopt it" in refusal(stage, document_id, overriding)


def test_its_own_row_is_adopted_and_is_surplus_of_nothing(stage: Stage) -> None:
    document_id, second, bound, own = held_beside_a_second(stage)

    document = decide(
        stage, document_id, decision(Choice.ADOPT, "a2", external_id=own)
    ).view.document

    assert document.state is DocumentState.PUBLISHED
    assert bound_to(stage, document_id, "a1") == bound
    assert bound_to(stage, document_id, "a2") == own
    assert [(extra.external_id, extra.item) for extra in document.surplus] == [(second, "a1")]


def test_the_second_entity_deleted_outside_the_sibling_is_found_by_its_mark(stage: Stage) -> None:
    document_id, second, _, own = held_beside_a_second(stage)
    stage.world.delete(second)

    stage.settle(document_id, asked=True)

    item = stage.document(document_id).item("a2")
    assert item.state is ItemState.CONFIRMED
    assert item.intent is not None
    assert (item.intent.external_id, item.intent.found_by) == (own, Grade.MARK)
