"""`show --refresh`: what became of the entities since, and that no state moves by it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from fixtures.lives import DiesAt
from reconciler import publish, settle
from reconciler.limits import Limits
from reconciler.model import Document, DocumentState, Intent, ItemState, NextAction
from tests.crash.plans import ads
from tests.integration.http_stage import HttpStage, SetUp

LATER = timedelta(minutes=5)


@pytest.fixture
def stage(set_up: SetUp) -> HttpStage:
    return set_up()


def published(stage: HttpStage, *, then: timedelta = LATER) -> str:
    document_id = stage.submit(ads("Spring / 1", "Spring / 2"))
    assert stage.publish(document_id).view.document.state is DocumentState.PUBLISHED
    stage.time.pass_(then)
    return document_id


def refreshed(stage: HttpStage, document_id: str) -> Document:
    return stage.time.run(settle.settle(document_id, stage.process(), refresh=True)).view.document


def first(document: Document) -> Intent:
    intent = document.items[0].intent
    assert intent is not None
    return intent


def its_id(stage: HttpStage, document_id: str) -> str:
    external_id = first(stage.document(document_id)).external_id
    assert external_id is not None
    return external_id


def test_what_was_deleted_is_told_and_its_status_is_not_known_any_more(stage: HttpStage) -> None:
    document_id = published(stage)
    refreshed(stage, document_id)
    stage.world.delete(its_id(stage, document_id))
    stage.time.pass_(LATER)
    before = stage.time.run(stage.ledger.now())

    document = refreshed(stage, document_id)

    gone, there = (item.intent for item in document.items)
    assert gone is not None
    assert there is not None
    assert gone.unlisted_since is not None
    assert gone.unlisted_since >= before
    assert (gone.effective_status, there.effective_status) == (None, "PAUSED")
    assert there.unlisted_since is None
    assert document.next.action is NextAction.NONE
    assert document.next.why.endswith("was made and is recorded; 1 item is not listed any more")


def test_that_it_was_made_stays_true_and_nothing_is_made_again(stage: HttpStage) -> None:
    document_id = published(stage)
    external_id = its_id(stage, document_id)
    stage.world.delete(external_id)

    refreshed(stage, document_id)
    stage.advance(document_id)

    document = stage.document(document_id)
    assert document.state is DocumentState.PUBLISHED
    assert document.items[0].state is ItemState.CONFIRMED
    assert first(document).external_id == external_id
    assert stage.fake.count("POST") == 2


def test_a_second_refresh_changes_nothing_but_keeps_when_it_was_first_missed(
    stage: HttpStage,
) -> None:
    document_id = published(stage)
    stage.world.delete(its_id(stage, document_id))
    missed = refreshed(stage, document_id)
    stage.time.pass_(LATER)

    assert refreshed(stage, document_id).items == missed.items


@pytest.mark.parametrize(
    "rename",
    [
        pytest.param("Autumn", id="another name: its label is kept"),
        pytest.param("", id="no name at all"),
    ],
)
def test_a_name_given_outside_is_said_and_the_id_is_kept(stage: HttpStage, rename: str) -> None:
    document_id = published(stage)
    stage.world.rename(its_id(stage, document_id), rename)

    intent = first(refreshed(stage, document_id))

    assert intent.unlisted_since is None
    assert intent.attributes is not None
    assert intent.attributes["name"] == rename


def test_what_lost_name_and_label_is_still_known_by_its_id(stage: HttpStage) -> None:
    """A narrowed walk keeps rows by name and mark; without its id it would look deleted."""
    document_id = published(stage)
    external_id = its_id(stage, document_id)
    stage.world.rename(external_id, "Autumn")
    stage.world.relabel(external_id, [])

    intent = first(refreshed(stage, document_id))

    assert (intent.unlisted_since, intent.effective_status) == (None, "PAUSED")
    assert any("reads Autumn" in warning for warning in intent.warnings)


def test_warnings_tell_of_the_last_listing_alone(stage: HttpStage) -> None:
    """What was renamed and renamed back does not read otherwise any more."""
    document_id = published(stage)
    external_id = its_id(stage, document_id)
    sent = first(stage.document(document_id)).name_sent
    for name in ("Autumn", "Winter"):
        stage.world.rename(external_id, name)
        refreshed(stage, document_id)
    both = first(stage.document(document_id)).warnings
    stage.world.rename(external_id, sent)

    assert both == (f"name: sent {sent}, reads Winter",)
    assert first(refreshed(stage, document_id)).warnings == ()


def test_a_refresh_while_a_worker_publishes_says_that_it_listed_nothing(stage: HttpStage) -> None:
    document_id = stage.submit(ads("Spring / 1", "Spring / 2"))
    dying = stage.worker(DiesAt(effect="graph.create", after=True)).outside
    assert stage.dies(publish.publish(document_id, dying))

    found = stage.time.run(settle.settle(document_id, stage.process(), refresh=True))

    assert (found.looked, found.held_by_another) == (False, True)
    stage.run_until_rest(document_id)


def test_what_was_archived_is_listed_and_says_so(stage: HttpStage) -> None:
    document_id = published(stage)
    stage.world.archive(its_id(stage, document_id))

    intent = first(refreshed(stage, document_id))

    assert (intent.unlisted_since, intent.effective_status) == (None, "ARCHIVED")


def test_what_a_lagging_listing_does_not_show_yet_is_not_called_gone(stage: HttpStage) -> None:
    """Listings may lag behind a create (A4): only one that began later can miss anything."""
    stage.fake.faults.add("listing_lag:seconds=30,edge=ads")
    document_id = published(stage, then=timedelta(0))

    assert first(refreshed(stage, document_id)).unlisted_since is None
    stage.time.pass_(LATER)
    assert first(refreshed(stage, document_id)).effective_status == "PAUSED"


def test_what_is_listed_again_is_as_it_was(stage: HttpStage) -> None:
    document_id = published(stage)
    external_id = its_id(stage, document_id)
    stage.world.conceal(external_id)
    assert first(refreshed(stage, document_id)).unlisted_since is not None
    stage.time.pass_(LATER)
    stage.world.conceal(external_id, concealed=False)

    document = refreshed(stage, document_id)

    assert (first(document).unlisted_since, first(document).effective_status) == (None, "PAUSED")
    assert document.next.why == "everything it wants exists and is recorded"


def test_a_walk_that_did_not_end_calls_nothing_gone(stage: HttpStage) -> None:
    document_id = published(stage)
    stage.world.delete(its_id(stage, document_id))
    stage.fake.faults.add("throttle:method=GET,count=100")

    assert first(refreshed(stage, document_id)).unlisted_since is None


def test_a_look_that_was_not_asked_for_this_calls_nothing_gone(set_up: SetUp) -> None:
    """It keeps rows by name and mark only: a sibling may have lost both and be there."""
    stage = set_up(limits=Limits(concurrency=1))
    document_id = stage.submit(ads("Spring / 1", "Spring / 2"))
    dying = stage.worker(DiesAt(effect="graph.create", nth=1, after=True)).outside
    assert stage.dies(publish.publish(document_id, dying))
    external_id = its_id(stage, document_id)
    stage.world.rename(external_id, "Autumn")
    stage.world.relabel(external_id, [])
    stage.time.pass_(stage.limits.lease + LATER)

    stage.settle(document_id)

    document = stage.document(document_id)
    assert stage.graph.walks, "a look was made for the other ad"
    assert document.state is DocumentState.PUBLISHED
    assert first(document).unlisted_since is None
