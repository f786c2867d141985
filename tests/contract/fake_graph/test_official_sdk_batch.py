"""The official client's batches and its reading of the activity log, against the fake."""

import json
from typing import Any

import pytest
from facebook_business.adobjects.adaccount import AdAccount  # type: ignore[import-untyped]
from facebook_business.adobjects.adactivity import AdActivity  # type: ignore[import-untyped]
from facebook_business.adobjects.adset import AdSet  # type: ignore[import-untyped]
from facebook_business.api import FacebookAdsApi, FacebookResponse  # type: ignore[import-untyped]

from fixtures.graph import FakeGraph
from fixtures.graph.activities import ACTIVITY_FIELDS, CATEGORIES, CREATE_EVENTS
from tests.contract.fake_graph.official_sdk import CAMPAIGN, make_all


class Heard:
    """What its callbacks were told."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.refused: list[tuple[int, int]] = []

    def good(self, response: FacebookResponse) -> None:
        self.ids.append(response.json()["id"])

    def bad(self, response: FacebookResponse) -> None:
        code = response.error().api_error_code()
        self.refused.append((response.status(), code))


def filled(api: FacebookAdsApi, heard: Heard, *names: str) -> Any:
    batch = api.new_batch()
    account = AdAccount("act_1001", api=api)
    for name in names:
        params = CAMPAIGN | {"name": name}
        account.create_campaign(params=params, batch=batch, success=heard.good, failure=heard.bad)
    return batch


def test_each_child_is_answered_to_its_own_callback(graph: FakeGraph, api: FacebookAdsApi) -> None:
    """Facts 4.11, 4.12, 4.17."""
    heard = Heard()
    rest = filled(api, heard, "A & B", "x" * 401, "Ümlaut").execute()

    made = graph.world.created_by("fake-token", "campaign")
    assert [each.name for each in made] == ["A & B", "Ümlaut"]
    assert heard.ids == [each.id for each in made]
    assert (heard.refused, rest) == ([(400, 100)], None)


def test_what_it_is_given_for_null_makes_a_second_one(
    graph: FakeGraph, api: FacebookAdsApi
) -> None:
    """Facts 4.13, 4.14: a batch of the null children, and executing it creates again."""
    graph.faults.add("null_child:nth=2")
    heard = Heard()
    rest = filled(api, heard, "A", "B").execute()
    rest.execute()

    assert [each.name for each in graph.world.created_by("fake-token", "campaign")] == list("ABB")
    assert len(heard.ids) == 2


def test_it_reads_the_activity_log(graph: FakeGraph, api: FacebookAdsApi) -> None:
    """Facts 6.1 to 6.5, through its own pages."""
    made = make_all(AdAccount("act_1001", api=api))
    params = {"since": 0, "limit": 2, "category": "AD"}
    rows = list(
        AdAccount("act_1001", api=api).get_activities(fields=ACTIVITY_FIELDS, params=params)
    )

    (created,) = [row for row in rows if row["event_type"] == "create_ad"]
    assert created["object_id"] == made["ad"]
    assert json.loads(created["extra_data"])
    (adset,) = AdSet(made["adset"], api=api).get_activities(
        fields=["event_type"], params={"category": "AD_SET", "since": 0, "limit": 1}
    )[:1]
    assert adset["event_type"] in {"create_ad_set", "update_ad_labels"}


@pytest.mark.parametrize(
    ("ours", "its"),
    [
        (ACTIVITY_FIELDS, AdActivity.Field),
        (CATEGORIES, AdActivity.Category),
    ],
)
def test_the_log_has_the_words_that_it_knows(ours: frozenset[str], its: type) -> None:
    assert ours == {value for name, value in vars(its).items() if not name.startswith("_")}


def test_the_log_tells_of_creates_in_words_that_it_knows() -> None:
    assert set(CREATE_EVENTS.values()) <= set(vars(AdActivity.EventType).values())
