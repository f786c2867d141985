"""Listings narrowed by the API: a saving for what is found by our mark, never a proof of less."""

from __future__ import annotations

import logging
from datetime import timedelta

import pytest

from reconciler.deciding import owed_places, with_owed_look_done
from reconciler.listing import Listing, Statuses, WalkRequest
from reconciler.look import Look
from reconciler.model import Container, ContainerKind, Document, ItemState, Kind
from reconciler.ports import Around, Surroundings
from reconciler.verdict import Judgement
from tests.crash.plans import ONE_AD, TREE, TWINS, Plan, ads
from tests.integration.http_stage import (
    HttpStage,
    SetUp,
    colleagues_create,
    crashed,
    live,
    looked_for_an_hour,
    states,
)

NARROWING = {"narrows": True}
OTHERS = 40


@pytest.fixture
def stage(set_up: SetUp) -> HttpStage:
    """Pages of two: the whole container has more than twenty."""
    return set_up(client=NARROWING)


def pages(stage: HttpStage) -> int:
    return stage.fake.count("GET", "ads")


def filtered(stage: HttpStage) -> int:
    return sum("filtering" in call.query for call in stage.fake.requests)


@pytest.mark.parametrize(("narrows", "asked"), [(True, 1), (False, 21)])
def test_what_bears_our_label_is_found_in_one_page_of_a_large_container(
    set_up: SetUp, narrows: bool, asked: int
) -> None:
    """The saving: 20 of 21 calls of the look that finds it."""
    stage = set_up(client={"narrows": narrows})
    document_id = crashed(stage)
    colleagues_create(stage, OTHERS)

    document = stage.settle(document_id).view.document

    assert states(document) == [ItemState.CONFIRMED]
    assert pages(stage) == asked


def test_the_look_that_is_owed_stays_whole(stage: HttpStage) -> None:
    """A second entity that the filter did not show must still be reported."""
    document_id = crashed(stage)
    colleagues_create(stage, OTHERS)
    stage.settle(document_id)
    before = pages(stage)

    document = looked_for_an_hour(stage, document_id)

    assert document.owes_look_from is None
    assert pages(stage) - before >= 21


@pytest.mark.parametrize(
    ("statuses", "is_owed"), [(Statuses.OUR_LABEL, True), (Statuses.EVERY_STATUS, False)]
)
def test_a_narrowed_walk_is_not_the_look_that_is_owed_however_late_it_began(
    stage: HttpStage, statuses: Statuses, is_owed: bool
) -> None:
    document = stage.settle(crashed(stage)).view.document
    since = document.owes_look_from
    assert since is not None
    (place,) = owed_places(document)
    request = WalkRequest(
        account_id=document.account_id, container=place[0], kind=place[1], statuses=statuses
    )
    walk = Listing(
        request=request,
        rows=(),
        pages=1,
        row_count=0,
        started_at=since,
        ended_at=since,
        clock_difference=timedelta(0),
    )
    seen = Look(
        began_at=since,
        seen={},
        around=Around(),
        surroundings=Surroundings(),
        judgement=Judgement(),
        listings=(walk,),
        incomplete={},
    )

    assert (with_owed_look_done(document, seen).owes_look_from is not None) is is_owed


@pytest.mark.parametrize("made", [True, False], ids=["made", "not made"])
@pytest.mark.parametrize("plan", [ONE_AD, TWINS, TREE], ids=["ad", "twins", "tree"])
@pytest.mark.parametrize("fault", [None, "filtering_ignored", "filtering_refused:field=adlabels"])
def test_every_end_is_the_same_with_and_without(
    set_up: SetUp, fault: str | None, plan: Plan, made: bool
) -> None:
    ends = []
    for narrows in (True, False):
        stage = set_up(client={"narrows": narrows})
        if fault is not None:
            stage.fake.faults.add(fault)
        document_id = crashed(stage, made=made, plan=plan)
        colleagues_create(stage, 3)
        settled = looked_for_an_hour(stage, document_id)
        document = stage.run_until_rest(document_id)
        ends.append((states(settled), states(document), live(stage, document)))

    assert ends[0] == ends[1]


def test_what_a_narrowed_walk_does_not_show_is_looked_for_in_the_whole(stage: HttpStage) -> None:
    """Once it can be absent only the whole is asked for: twice, for an absence rests on two."""
    document_id = crashed(stage, made=False)
    colleagues_create(stage, 3)

    assert states(stage.settle(document_id).view.document) == [ItemState.PENDING]
    assert (filtered(stage), pages(stage)) == (1, 1 + 2)
    stage.time.pass_(timedelta(minutes=10))

    assert states(stage.settle(document_id).view.document) == [ItemState.ABSENT]
    assert (filtered(stage), pages(stage)) == (1, 1 + 2 + 2 + 2)


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        ("filtering_ignored", "it listed rows without the label"),
        ("filtering_refused:field=adlabels", "code 100"),
    ],
)
def test_an_account_that_does_not_narrow_is_asked_once_and_said_once(
    stage: HttpStage, caplog: pytest.LogCaptureFixture, fault: str, why: str
) -> None:
    stage.fake.faults.add(fault)
    ids = [crashed(stage, plan=ads(name)) for name in "AB"]
    colleagues_create(stage, 6)

    with caplog.at_level(logging.WARNING, "reconciler.graph"):
        found = [stage.settle(each).view.document for each in ids]

    assert [states(document) for document in found] == [[ItemState.CONFIRMED]] * 2
    told = [line for line in caplog.messages if "narrow" in line]
    assert len(told) == 1
    assert why in told[0]
    assert filtered(stage) == 1


def test_a_throttled_narrowed_walk_turns_nothing_off(stage: HttpStage) -> None:
    document_id = crashed(stage)
    colleagues_create(stage, OTHERS)
    stage.fake.faults.add("throttle:minutes=1", count=1, method="GET")

    assert states(stage.settle(document_id).view.document) == [ItemState.PENDING]
    assert stage.fake.count("GET") == 1
    stage.time.pass_(timedelta(minutes=2))

    assert states(stage.settle(document_id).view.document) == [ItemState.CONFIRMED]
    assert (filtered(stage), pages(stage)) == (2, 2)


def test_a_narrowed_walk_tells_that_it_was_one(stage: HttpStage) -> None:
    document_id = crashed(stage)
    colleagues_create(stage, OTHERS)

    document = stage.settle(document_id).view.document

    assert _walks_told(stage, document) == [Statuses.OUR_LABEL]


def test_a_creatives_edge_is_never_narrowed(stage: HttpStage) -> None:
    """No source says that it takes `filtering` (facts 5.4)."""
    container = Container(kind=ContainerKind.ACCOUNT, id="act_1001")
    request = WalkRequest(
        account_id="act_1001",
        container=container,
        kind=Kind.ADCREATIVE,
        statuses=Statuses.OUR_LABEL,
    )
    ledger = stage.process().ledger

    async def walked() -> object:
        return await stage.graph.walk_ours(request, "rc1-a", lambda _: True, ledger.now)

    assert stage.time.run(walked()) is None
    assert stage.fake.requests == []


def _walks_told(stage: HttpStage, document: Document) -> list[str]:
    evidence_id = document.verdicts[0].evidence_id

    async def read() -> list[str]:
        evidence = await stage.process().ledger.evidence(evidence_id)
        return [walk["statuses"] for walk in evidence.body["walks"]]

    return stage.time.run(read())
