"""Faults that real users met while listing, played through publish, crash and recovery over HTTP.

The real client meets them in the fake API; each story ends with what the world's log says. What
single rows do is in `test_field_cases_rows.py`.
"""

from __future__ import annotations

from datetime import timedelta

import pytest

from fixtures.graph import WorldOptions
from fixtures.graph.call import Call
from fixtures.graph.scene import ADSET
from reconciler import events
from reconciler.limits import Limits
from reconciler.model import DocumentState, Grade, ItemState, Reason
from tests.crash.plans import Plan
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


# --- a create whose answer is lost in the middle --------------------------------------------------


ADSETS: Plan = {
    "account_id": "act_1001",
    "items": [
        {"key": "c", "kind": "campaign", "name": "Web", "params": {"objective": "OUTCOME_SALES"}},
        *(
            {
                "key": f"s{number}",
                "kind": "adset",
                "name": f"Web / {number}",
                "params": {"campaign_id": {"$ref": "c"}},
            }
            for number in (1, 2, 3)
        ),
    ],
}


LOST_ANSWERS = [
    "html_page:status=502,commit=true",
    "html_page:status=504,commit=true",
    "html_200",
    "empty_200",
    "cut_json",
    "truncated_body",
    "reply_lost_after_commit:reset=true",
    "error_after_commit",
]


@pytest.mark.parametrize("fault", LOST_ANSWERS)
@pytest.mark.parametrize("at", [1, 2, 3, 4])
def test_a_chain_stops_where_an_answer_is_lost_and_goes_on_once_it_is_found(
    set_up: SetUp, fault: str, at: int
) -> None:
    """R001: nothing behind it is sent, nothing is sent twice, in the end each exists once."""
    lag = {"*": timedelta(seconds=30)}
    stage = set_up(limits=Limits(concurrency=1), options=WorldOptions(lag=lag))
    stage.fake.faults.add(fault, nth=at, method="POST")
    document_id = stage.submit(ADSETS)

    attempted = stage.publish(document_id).view.document
    sent = stage.fake.count("POST")
    document = stage.run_until_rest(document_id)

    told = states(attempted)
    assert told[:at] == [*[ItemState.CONFIRMED] * (at - 1), ItemState.PENDING]
    assert set(told[at:]) <= {ItemState.WAITING, ItemState.ABSENT}
    assert (sent, stage.fake.count("POST")) == (at, 4)
    assert document.state is DocumentState.PUBLISHED
    assert live(stage, document) == [1, 1, 1, 1]


# --- listings that mislead ------------------------------------------------------------------------

PASSING = [
    "empty_page:count=3",
    "next_without_cursors:count=3",
    "repeated_rows:nth=2",
    "drift",
    "listing_order",
    "lost_cursor:nth=2",
    "page_error",
    "html_page:method=GET",
    "too_heavy:limit_max=1",
    "odd_summary:total=0",
    "numeric_ids",
    "foreign_next",
]
"""A walk comes through these."""

STANDING = [
    "endless_empty_pages",
    "same_cursor_again",
    "lost_cursor",
    "depth_exceeded",
    "page_error",
    "html_page",
    "html_page:status=400",
    "odd_paging",
    "odd_rows",
    "too_heavy:limit_max=0",
    "throttle:code=17",
    "connection_lost",
    "truncated_body",
]
"""No walk comes through these on a later page, and none of them says what is not there."""


def is_a_later_page(call: Call) -> bool:
    return call.is_listing and "after" in call.query


@pytest.mark.parametrize("fault", PASSING)
@pytest.mark.parametrize("made", [True, False], ids=["made", "not made"])
def test_a_walk_that_comes_through_finds_what_was_made_and_makes_what_was_not(
    stage: HttpStage, fault: str, made: bool
) -> None:
    """R023 to R026, R029, R031: seven rows in pages of two, ours the oldest of them."""
    document_id = crashed(stage, made=made)
    colleagues_create(stage, 6)
    stage.fake.faults.add(fault)

    document = stage.run_until_rest(document_id)

    assert document.state is DocumentState.PUBLISHED
    assert live(stage, document) == [1]
    assert stage.fake.count("POST") == 1


@pytest.mark.parametrize("fault", STANDING)
@pytest.mark.parametrize("twin", [True, False], ids=["a twin in name", "no twin"])
@pytest.mark.parametrize("made", [True, False], ids=["made", "not made"])
def test_a_walk_that_does_not_proves_nothing_and_the_next_whole_one_does(
    set_up: SetUp, fault: str, twin: bool, made: bool
) -> None:
    """R022, R026, R027, R028, R029: ours would be on the last page, the twin is on the first."""
    stage = set_up(client={"max_pages": 30})
    document_id = crashed(stage, made=made)
    colleagues_create(stage, 6)
    if twin:
        stage.world.colleague_creates("ads", NAME, parent_id=ADSET)
    stage.fake.faults.add(fault, count=None, when=is_a_later_page)

    document = looked_for_an_hour(stage, document_id)

    assert states(document) == [ItemState.PENDING]
    assert stage.fake.count("POST") == int(made)
    stage.fake.faults.clear()
    (item,) = stage.run_until_rest(document_id).items
    assert item.intent is not None
    told = (item.state, item.intent.found_by, stage.fake.count("POST"))
    if made:
        assert told == (ItemState.CONFIRMED, Grade.MARK, 1)
    elif twin:  # nothing shows yet that marks come back, so a person must say whose it is
        assert told == (ItemState.HELD, None, 0)
    else:
        assert told == (ItemState.CONFIRMED, Grade.REPLY, 1)


def test_our_row_is_found_on_the_second_page_of_45(set_up: SetUp) -> None:
    """R023: ours is number 44, pages of 25."""
    stage = set_up(page_size=25)
    stage.world.colleague_creates("ads", "the first", parent_id=ADSET)
    document_id = crashed(stage)
    colleagues_create(stage, 43)

    document = stage.settle(document_id).view.document

    assert states(document) == [ItemState.CONFIRMED]
    walks = len(stage.graph.walks)
    assert (walks, stage.fake.count("GET", "ads")) == (walks, 2 * walks)


@pytest.mark.parametrize("bound", [{"max_rows": 500}, {"max_pages": 5}], ids=str)
def test_a_cap_is_not_the_end_of_the_list(set_up: SetUp, bound: dict[str, int]) -> None:
    """R032: 501 rows, ours the last; nothing is created, and the evidence names the cap."""
    stage = set_up(page_size=100, client=bound)
    document_id = crashed(stage)
    colleagues_create(stage, 500)

    document = looked_for_an_hour(stage, document_id)

    assert states(document) == [ItemState.PENDING]
    assert stage.fake.count("POST") == 1
    journal = stage.time.run(stage.ledger.journal(document_id))
    looks = [record.event.detail for record in journal if record.event.kind == events.LOOKED]
    evidence = stage.time.run(stage.ledger.evidence(str(looks[-1]["evidence_id"])))
    assert looks[-1]["reason"] == Reason.LISTING_INCOMPLETE
    assert "cap: more than" in str(evidence.body)
