"""Rows that are hidden, bare or odd, met by the real client and played through to the end."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from fixtures.graph import Page, WorldOptions
from fixtures.graph.scene import ADSET, CAMPAIGN
from fixtures.stage import OpenLedger
from fixtures.world_graph import US
from reconciler import settle
from reconciler.model import DocumentState, ItemState
from tests.crash.plans import ads
from tests.integration.http_stage import (
    HttpStage,
    SetUp,
    colleagues_create,
    crashed,
    live,
    looked_for_an_hour,
    states,
)

NAME = "Spring / 1"
"""Of the ad of `ONE_AD`."""


@pytest.fixture
def stage(set_up: SetUp) -> HttpStage:
    return set_up()


@pytest.mark.parametrize("what", ["ad", "ad set", "campaign"])
@pytest.mark.parametrize("parent", ["paused", "active"])
def test_what_a_buyer_archived_is_found_where_the_default_list_hides_it(
    stage: HttpStage, what: str, parent: str
) -> None:
    """R034: the ad itself, or what it is in; or its campaign is paused."""
    document_id = crashed(stage)
    if parent == "paused":
        stage.world.edit(CAMPAIGN, {"status": "PAUSED"}, actor="buyer")
    ours = stage.world.live("ad")[-1].id
    stage.world.archive({"ad": ours, "ad set": ADSET, "campaign": CAMPAIGN}[what], actor="buyer")
    page = stage.world.page(ADSET, "ads")
    assert isinstance(page, Page)
    assert page.rows == []

    document = stage.run_until_rest(document_id)

    assert states(document) == [ItemState.CONFIRMED]
    assert stage.fake.count("POST") == 1


@pytest.mark.parametrize("hours", [1, 30])
def test_what_is_in_review_is_found(set_up: SetUp, hours: int) -> None:
    """R034: PENDING_REVIEW is a status of ads alone, in our list of them."""
    stage = set_up(options=WorldOptions(review_for=timedelta(hours=hours)))
    document_id = crashed(stage)

    document = stage.run_until_rest(document_id)

    assert states(document) == [ItemState.CONFIRMED]


FIELDS = ["name", "created_time", "adlabels", "adset_id", "account_id", "status"]


@pytest.mark.parametrize("field", [*FIELDS, "+".join(FIELDS)])
@pytest.mark.parametrize("as_null", ["true", "false"])
@pytest.mark.parametrize("made", [True, False], ids=["made", "not made"])
def test_rows_without_a_field_never_let_a_second_be_made(
    stage: HttpStage, field: str, as_null: str, made: bool
) -> None:
    """R035: beside them a whole one is judged; when the fields come back so is the truth."""
    document_id = crashed(stage, made=made, plan=ads(NAME, "Autumn"))
    colleagues_create(stage, 3)
    stage.fake.faults.add(f"sparse_rows:field={field},as_null={as_null}")
    looked_for_an_hour(stage, document_id)

    stage.fake.faults.clear()
    stage.time.run(settle.settle(document_id, stage.process(), asked=True))
    document = stage.run_until_rest(document_id)

    assert document.state is DocumentState.PUBLISHED
    assert live(stage, document) == [1, 1]
    assert stage.fake.count("POST") == 2


ODD_NAMES = [
    "a\0b",
    "\ud83d",
    "\ude00 x",
    "😀",
    "e\u0301",
    "\u202eSpring",
    "x" * 400,
    "Spring / 1\0",
]


@pytest.mark.parametrize("made", [True, False], ids=["made", "not made"])
def test_odd_names_beside_ours_change_no_verdict_in_any_database(
    set_up: SetUp, open_ledger: OpenLedger, made: bool
) -> None:
    """R051, R052: what no database takes is stored in a form that can be seen."""
    stage = set_up(open_ledger=open_ledger)
    document_id = crashed(stage, made=made)
    for name in ODD_NAMES:
        stage.world.colleague_creates(
            "ads", name, parent_id=ADSET, labels=[f"label of {name}"[:40]]
        )

    if made:
        ours = stage.world.created_by(US, "ad")[0]
        stage.world.relabel(ours.id, [*ours.labels, *ODD_NAMES[:3]])

    document = stage.run_until_rest(document_id)

    assert document.state is DocumentState.PUBLISHED
    assert stage.fake.count("POST") == 1
    (item,) = document.items
    assert item.intent is not None
    assert not made or "\\\\u0000" in json.dumps(item.intent.attributes)


def test_a_name_of_400_characters_is_sent_stored_and_found_whole(
    set_up: SetUp, open_ledger: OpenLedger
) -> None:
    """R052: also a twin's, whose mark counts; its neighbour of 401 was refused at submit."""
    stage = set_up(open_ledger=open_ledger)
    name = "ü" * 400
    document_id = crashed(stage, plan=ads(name))

    document = stage.run_until_rest(document_id)

    assert [item.name for item in document.items] == [name]
    assert [entity.name for entity in stage.world.live("ad")] == [name]
    assert document.state is DocumentState.PUBLISHED


@pytest.mark.parametrize("made", [True, False], ids=["found", "answered"])
def test_ids_that_come_as_numbers_keep_every_digit(
    set_up: SetUp, open_ledger: OpenLedger, made: bool
) -> None:
    """R053: 18 digits, on creates and in rows; text wherever they are kept or shown."""
    stage = set_up(open_ledger=open_ledger)
    stage.fake.faults.add("numeric_ids")
    document_id = crashed(stage, made=made)

    document = stage.run_until_rest(document_id)

    (ad,) = stage.world.live("ad")
    (item,) = document.items
    assert item.intent is not None
    assert item.intent.external_id == ad.id
    assert len(ad.id) == 18
