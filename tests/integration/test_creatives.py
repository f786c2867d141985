"""Creatives: found by their mark alone, shared by their content, never claimed by name or by time.

They bear no creation time, and the API may answer two creates of one content with one id (facts
4.9), so an id proves less than elsewhere and a name proves nothing. Each story is told on the world
itself and over HTTP.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from fixtures.graph.ground import WorldOptions
from fixtures.graph.scene import ACCOUNT
from fixtures.stage import Stage
from fixtures.world_graph import Weather
from reconciler import events
from reconciler.limits import Limits
from reconciler.model import Document, DocumentState, Echo, Grade, ItemState, Reason
from reconciler.settle import settle
from tests.crash.plans import Plan
from tests.crash.promise import assert_promise
from tests.integration.http_stage import HttpStage, states

FAULTS = {
    Weather.REPLY_LOST: "reply_lost_after_commit",
    Weather.ERROR_BEFORE: "error_before_commit",
}
UNMARKED = Limits(echo=Echo.NONE)
CONFIRMED, HELD = ItemState.CONFIRMED, ItemState.HELD


@pytest.fixture(params=[Stage, HttpStage], ids=["world", "http"])
def stage(request: pytest.FixtureRequest) -> Iterator[Stage]:
    made: Stage = request.param(options=WorldOptions(creatives_deduplicated=True))
    try:
        yield made
        assert_promise(made)
    finally:
        made.close()


def creatives(*named: tuple[str, str]) -> Plan:
    """Creatives by name and content."""
    items = [
        {
            "key": f"c{number}",
            "kind": "adcreative",
            "name": name,
            "params": {"object_story_id": story},
        }
        for number, (name, story) in enumerate(named, start=1)
    ]
    return {"account_id": ACCOUNT, "items": items}


def meets(stage: Stage, weather: Weather, nth: int) -> None:
    """What the n-th create from here on meets, counted from 1."""
    if isinstance(stage, HttpStage):
        stage.fake.faults.add(FAULTS[weather], nth=nth, method="POST")
    else:
        stage.sky.by_number = {len(stage.graph.creates) + nth - 1: weather}


def sent(stage: Stage) -> int:
    return len(stage.graph.creates)


def published(stage: Stage, plan: Plan) -> Document:
    """By a person, then driven to rest."""
    document_id = stage.submit(plan, new=True, publish=True)
    stage.time.pass_(timedelta(seconds=1))
    return stage.run_until_rest(document_id)


def ids(document: Document) -> list[str | None]:
    return [item.intent.external_id if item.intent else None for item in document.items]


def grades(document: Document) -> list[Grade | None]:
    return [item.intent.found_by if item.intent else None for item in document.items]


def reasons(document: Document) -> list[Reason | None]:
    return [item.intent.reason if item.intent else None for item in document.items]


def colleagues_creative(stage: Stage, name: str, **params: Any) -> str:
    return stage.world.colleague_creates("adcreatives", name, **params).id


# --- by mark --------------------------------------------------------------------------------------


def test_a_creative_whose_reply_was_lost_is_found_by_its_mark(stage: Stage) -> None:
    """At the first look: that it bears no creation time keeps nothing waiting."""
    meets(stage, Weather.REPLY_LOST, 1)
    began = stage.time.now()
    document_id = stage.submit(creatives(("Spring", "1_1"), ("Autumn", "1_2")))

    document = stage.publish(document_id).view.document

    assert document.state is DocumentState.PUBLISHED
    assert grades(document) == [Grade.MARK, Grade.REPLY]
    assert sent(stage) == 2
    assert stage.time.now() - began < timedelta(minutes=1)
    stage.run_until_rest(document_id)


def test_a_creative_that_was_never_made_is_made_once_more(stage: Stage) -> None:
    meets(stage, Weather.ERROR_BEFORE, 2)

    document = published(stage, creatives(("Spring", "1_1"), ("Autumn", "1_2")))

    assert document.state is DocumentState.PUBLISHED
    assert sent(stage) == 3


def test_a_colleagues_creative_of_the_same_name_is_passed_by(stage: Stage) -> None:
    meets(stage, Weather.REPLY_LOST, 1)
    theirs = colleagues_creative(stage, "Spring")

    document = published(stage, creatives(("Spring", "1_1")))

    assert states(document) == [CONFIRMED]
    assert theirs not in ids(document)


# --- never by name --------------------------------------------------------------------------------


@pytest.mark.parametrize("made", [True, False], ids=["made", "a colleague's alone"])
def test_without_a_mark_a_creative_is_never_claimed_by_its_name(stage: Stage, made: bool) -> None:
    """Whether the one row of that name is ours or a colleague's of the same minute."""
    stage.limits = UNMARKED
    meets(stage, Weather.REPLY_LOST if made else Weather.ERROR_BEFORE, 1)
    if not made:
        colleagues_creative(stage, "Spring")

    document = published(stage, creatives(("Spring", "1_1")))

    assert document.state is DocumentState.HELD
    assert (reasons(document), ids(document)) == ([Reason.UNPROVEN_ROW], [None])
    assert sent(stage) == 1


def test_without_a_mark_a_creative_that_was_never_made_is_not_made_again_by_itself(
    stage: Stage,
) -> None:
    stage.limits = UNMARKED
    meets(stage, Weather.ERROR_BEFORE, 1)

    document = published(stage, creatives(("Spring", "1_1")))

    assert (document.state, states(document)) == (DocumentState.FAILED, [ItemState.ABSENT])
    assert sent(stage) == 1


# --- the same content twice -----------------------------------------------------------------------


def test_two_of_the_same_content_share_one_id_and_both_are_confirmed(stage: Stage) -> None:
    """Facts 4.9: the only bindings that are not unique, in one document and over two."""
    first = published(stage, creatives(("Spring", "1_1"), ("Autumn", "1_1")))
    second = published(stage, creatives(("Winter", "1_1")))

    assert [document.state for document in (first, second)] == [DocumentState.PUBLISHED] * 2
    assert len({*ids(first), *ids(second)}) == 1
    assert first.surplus == second.surplus == ()


@pytest.mark.parametrize("name", ["Autumn", "Spring"], ids=["another name", "twins"])
def test_a_lost_reply_that_gave_an_old_id_is_asked_for_again_and_gives_it_again(
    stage: Stage, name: str
) -> None:
    """The row bears the first one's name, so nothing shows that this call was answered with it."""
    meets(stage, Weather.REPLY_LOST, 2)

    document = published(stage, creatives(("Spring", "1_1"), (name, "1_1")))

    assert document.state is DocumentState.PUBLISHED
    assert ids(document)[0] == ids(document)[1]
    assert grades(document) == [Grade.REPLY, Grade.REPLY]
    assert sent(stage) == 3


def test_the_loss_of_a_shared_id_is_told_once_of_each_that_has_it(stage: Stage) -> None:
    """The second one's answer came minutes later, so a listing misses it later too."""
    meets(stage, Weather.REPLY_LOST, 2)
    document = published(stage, creatives(("Spring", "1_1"), ("Autumn", "1_1")))
    [shared] = set(ids(document))
    assert shared is not None
    stage.world.delete(shared)

    for _ in range(4):
        stage.time.pass_(timedelta(seconds=40))
        stage.time.run(settle(document.id, stage.process(), refresh=True))

    journal = stage.time.run(stage.ledger.journal(document.id))
    gone = [line for line in journal if line.event.kind == events.UNLISTED]
    assert [line.event.item for line in gone] == ["c1", "c2"]
    assert gone[0].at < gone[1].at


def test_another_documents_creative_is_shared_by_its_reply_and_never_by_looking(
    stage: Stage,
) -> None:
    first = published(stage, creatives(("Spring", "1_1")))
    meets(stage, Weather.REPLY_LOST, 1)

    second = published(stage, creatives(("Spring", "1_1")))

    assert ids(second) == ids(first)
    assert grades(second) == [Grade.REPLY]
    assert sent(stage) == 3


def test_a_label_that_only_a_shared_creative_could_show_is_not_taken_for_one_that_exists(
    stage: Stage,
) -> None:
    """The old creative bears another document's label, so nothing tells a lost mark from a create
    that never landed. Held, for a person: right, for the other answer could make a second one."""
    published(stage, creatives(("Spring", "1_1")))
    meets(stage, Weather.ERROR_BEFORE, 2)

    document = published(stage, creatives(("Spring", "1_1"), ("Autumn", "1_2")))

    assert states(document) == [CONFIRMED, HELD]
    assert reasons(document) == [None, Reason.MARK_LOST]
    assert sent(stage) == 3
