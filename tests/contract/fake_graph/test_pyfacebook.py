"""A second client by other hands, against the fake on a socket: what both can use is no accident.

python-facebook-api knows nothing of ads, only the Graph API's own rules. It is not ours and not
Meta's, so that a misreading of the facts by either would show here.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from pyfacebook import (  # type: ignore[import-untyped]
    FacebookError,
    GraphAPI,
    LibraryError,
)

from fixtures.graph import FakeGraph
from tests.contract.fake_graph.official_sdk import ADSET, CAMPAIGN, CREATIVE, SECRET

ACCOUNT = "act_1001"


@pytest.fixture
def other(url: str) -> Iterator[GraphAPI]:
    """It with the token in query or form, as is its way, and the proof that is demanded."""
    api = GraphAPI(
        app_secret=SECRET,
        access_token="fake-token",
        version="v26.0",
        base_url=f"{url}/",
        sleep_on_rate_limit=False,
        timeout=10,
    )
    try:
        yield api
    finally:
        api.session.close()


def make(api: GraphAPI, edge: str, params: dict[str, Any]) -> str:
    """Lists and objects as JSON texts: it leaves that to its caller (facts 4.6)."""
    data = {
        name: value if isinstance(value, str) else json.dumps(value)
        for name, value in params.items()
    }
    return str(api.post_object(ACCOUNT, connection=edge, data=data)["id"])


def make_ads(api: GraphAPI, *names: str) -> list[str]:
    ad = {"adset_id": "2001", "creative": {"creative_id": "3001"}, "status": "PAUSED"}
    return [make(api, "ads", ad | {"name": name}) for name in names]


def listed(api: GraphAPI, **params: Any) -> list[str]:
    told = api.get_full_connections("2001", "ads", count=None, fields="name", **params)
    return [row["name"] for row in told["data"]]


# --- creating and reading -------------------------------------------------------------------------


def test_it_creates_one_of_each_in_the_one_before(graph: FakeGraph, other: GraphAPI) -> None:
    campaign = make(other, "campaigns", CAMPAIGN)
    adset = make(other, "adsets", ADSET | {"campaign_id": campaign})
    creative = make(other, "adcreatives", CREATIVE)
    ad = make(other, "ads", {"name": "Ü & 🍂", "adset_id": adset, "creative": {"id": creative}})

    made = graph.world.created_by("fake-token")
    assert [each.id for each in made] == [campaign, adset, creative, ad]
    assert made[1].params["targeting"] == ADSET["targeting"]
    told = other.get_object(ad, fields="name,adset_id,campaign_id,creative,status")
    assert told == {
        "id": ad,
        "name": "Ü & 🍂",
        "adset_id": adset,
        "campaign_id": campaign,
        "creative": {"id": creative},
        "status": "ACTIVE",
    }


def test_it_edits_and_deletes(graph: FakeGraph, other: GraphAPI) -> None:
    (ad,) = make_ads(other, "A")

    assert other.post_object(ad, data={"name": "B"}) == {"success": True}
    assert other.delete_object(ad) == {"success": True}
    assert other.get_object(ad, fields="name,status") == {
        "id": ad,
        "name": "B",
        "status": "DELETED",
    }


@pytest.mark.parametrize("limit", [1, 2, None])
def test_it_follows_next_to_the_end(graph: FakeGraph, other: GraphAPI, limit: int | None) -> None:
    """Facts 1.1, 1.2."""
    make_ads(other, *"ABCDE")
    asked = graph.count("GET", "ads")

    assert listed(other, limit=limit) == list("EDCBA")
    assert graph.count("GET", "ads") - asked == -(-5 // (limit or 25))


def test_it_goes_on_after_an_empty_page(graph: FakeGraph, other: GraphAPI) -> None:
    """Facts 1.3: here it does what the official client does not (1.6)."""
    make_ads(other, *"ABC")
    graph.faults.add("empty_page:nth=2,count=2")

    assert listed(other, limit=1) == list("CBA")


def test_it_reads_nothing_at_all_without_a_paging_key(other: GraphAPI) -> None:
    """Facts 1.5, 9.4."""
    assert listed(other) == []


def test_it_filters_and_reads_the_activity_log(graph: FakeGraph, other: GraphAPI) -> None:
    """Facts 5.4, 6.1."""
    made = make_ads(other, "A", "B")
    clause = json.dumps([{"field": "ad.name", "operator": "EQUAL", "value": "B"}])
    log = other.get_connection(ACCOUNT, "activities", since=0, fields="object_id,event_type")

    assert listed(other, filtering=clause) == ["B"]
    ads = [row["object_id"] for row in log["data"] if row["event_type"] == "create_ad"]
    assert ads == made[::-1]


# --- being refused --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("throttle:code=80004", (80004, 2446079)),
        ("page_error", (1, 99)),
        ("lost_cursor", (2642, None)),
        ("access_lost:count=1", (190, 463)),
    ],
)
def test_a_refusal_is_its_exception(
    graph: FakeGraph, other: GraphAPI, fault: str, told: tuple[int, int | None]
) -> None:
    graph.faults.add(fault)
    with pytest.raises(FacebookError) as caught:
        listed(other)

    assert (caught.value.code, getattr(caught.value, "error_subcode", None)) == told
    assert listed(other) == []


def test_several_ids_at_once_are_refused(other: GraphAPI) -> None:
    """Facts 5.15."""
    with pytest.raises(FacebookError, match="100"):
        other.get_objects("1501,2001", fields="id")


def test_a_page_instead_of_json_is_an_error_of_its_own(graph: FakeGraph, other: GraphAPI) -> None:
    """Facts 2.7: and what was made stays made, since it never asks twice."""
    graph.faults.add("html_200")
    with pytest.raises(LibraryError, match="not json"):
        make_ads(other, "A")

    assert len(graph.world.created_by("fake-token")) == 1


def test_it_reads_usage_of_every_business_case_on_errors_too(
    graph: FakeGraph, other: GraphAPI
) -> None:
    """Facts 3.3, 3.4, 3.7."""
    graph.faults.add("throttle:percent=97,minutes=7")
    with pytest.raises(FacebookError):
        other.get_connection(ACCOUNT, "ads")

    usage = other.rate_limit.get_limit("1001", "ads_management")
    assert (usage.call_count, usage.estimated_time_to_regain_access) == (97, 7)


# --- faults of its own ----------------------------------------------------------------------------


def test_it_takes_its_token_from_next(graph: FakeGraph, other: GraphAPI) -> None:
    """Facts 1.21, 7.9: whoever writes `next` chooses with which token it goes on."""
    make_ads(other, *"AB")
    graph.options.tokens["stolen"] = "stolen"
    graph.options.app_secret = None
    graph.options.next_credential = "never"
    graph.faults.add("foreign_next")
    assert listed(other, limit=1) == list("BA")

    assert [each.token for each in graph.requests[-2:]] == ["fake-token", "stolen"]


def test_it_does_not_notice_that_a_cursor_comes_again(graph: FakeGraph, other: GraphAPI) -> None:
    """Facts 1.8: without a bound it would never end, and it counts one row many times."""
    make_ads(other, *"ABC")
    graph.faults.add("same_cursor_again")
    told = other.get_full_connections("2001", "ads", count=5, limit=1, fields="name")

    assert [row["name"] for row in told["data"]] == ["C"] * 5


def test_null_escapes_from_it_as_an_error_of_python(graph: FakeGraph, other: GraphAPI) -> None:
    """Facts 2.7, 9.16."""
    graph.faults.add("null_200")
    with pytest.raises(TypeError):
        make_ads(other, "A")


def test_an_account_at_its_limit_does_not_slow_it_down(graph: FakeGraph, other: GraphAPI) -> None:
    """Facts 3.4: of the usage it reads it minds the app's alone."""
    graph.faults.add("usage:percent=100")
    other.get_connection(ACCOUNT, "ads")

    assert other.rate_limit.get_limit("1001", "ads_management").call_count == 100
    assert other.rate_limit.get_max_percent() == 0
