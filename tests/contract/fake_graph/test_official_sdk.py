"""The official client, unmodified, against the fake on a socket: what the fake speaks is real."""

from collections.abc import Callable
from typing import Any

import pytest
from facebook_business.adobjects.ad import Ad  # type: ignore[import-untyped]
from facebook_business.adobjects.adaccount import AdAccount  # type: ignore[import-untyped]
from facebook_business.adobjects.adlabel import AdLabel  # type: ignore[import-untyped]
from facebook_business.adobjects.adset import AdSet  # type: ignore[import-untyped]
from facebook_business.adobjects.campaign import Campaign  # type: ignore[import-untyped]
from facebook_business.api import FacebookAdsApi  # type: ignore[import-untyped]
from facebook_business.exceptions import FacebookRequestError  # type: ignore[import-untyped]

from fixtures.graph import FakeGraph, GraphError
from tests.contract.fake_graph.official_sdk import (
    AD,
    ADSET,
    CAMPAIGN,
    CREATIVE,
    MARK,
    connected,
    make_all,
)


@pytest.fixture
def account(api: FacebookAdsApi) -> AdAccount:
    return AdAccount("act_1001", api=api)


# --- creating -------------------------------------------------------------------------------------


def test_it_creates_one_of_each_kind_with_a_label(graph: FakeGraph, account: AdAccount) -> None:
    made = make_all(account)

    created = graph.world.created_by("fake-token")
    assert {each.kind: each.id for each in created} == made
    assert [each.name for each in created] == [
        MARK,
        "Autumn",
        "Autumn / north",
        "Autumn creative",
        AD["name"],
    ]
    assert [each.labels for each in created] == [[], *([[MARK]] * 4)]
    adset, creative = created[2].params, created[3].params
    assert adset["targeting"] == ADSET["targeting"], "an object came as JSON text (facts 4.6)"
    assert creative["object_story_spec"] == CREATIVE["object_story_spec"]


def test_it_creates_the_label_along_by_name_or_attaches_it_by_id(
    graph: FakeGraph, account: AdAccount
) -> None:
    by_name = account.create_campaign(params=CAMPAIGN)["id"]
    (label,) = account.get_ad_labels(fields=["name"])
    by_id = account.create_campaign(params=CAMPAIGN | {"adlabels": [{"id": label["id"]}]})["id"]

    listed = account.get_campaigns_by_labels(
        fields=["name"], params={"ad_label_ids": [label["id"]], "operator": "ALL"}
    )
    assert label["name"] == MARK
    assert {each["id"] for each in listed} == {by_name, by_id}


def test_validating_makes_nothing(graph: FakeGraph, account: AdAccount) -> None:
    """Facts 4.7."""
    answer = account.create_campaign(params=CAMPAIGN | {"execution_options": ["validate_only"]})

    assert answer.export_all_data() == {}
    assert graph.world.created_by("fake-token") == []


def test_it_edits_labels_and_deletes(graph: FakeGraph, api: FacebookAdsApi) -> None:
    made = make_all(AdAccount("act_1001", api=api))
    ad = Ad(made["ad"], api=api)

    ad.api_update(params={"name": "renamed", "status": "ACTIVE"})
    ad.remove_labels([made["adlabel"]])
    bare = Ad(made["ad"], api=api).api_get(fields=["name", "status", "adlabels"])
    ad.add_labels([made["adlabel"]])
    Campaign(made["campaign"], api=api).api_delete()

    told = {"id": made["ad"], "name": "renamed", "status": "ACTIVE"}
    assert bare.export_all_data() == told
    assert graph.world.entities[made["campaign"]].status == "DELETED"


# --- listing --------------------------------------------------------------------------------------


@pytest.mark.parametrize("page_size", [1, 2, 3, 500])
@pytest.mark.parametrize(
    ("edge", "get"),
    [
        ("campaigns", AdAccount.get_campaigns),
        ("adsets", AdAccount.get_ad_sets),
        ("adcreatives", AdAccount.get_ad_creatives),
        ("ads", AdAccount.get_ads),
        ("adlabels", AdAccount.get_ad_labels),
    ],
)
def test_it_pages_through_every_edge(
    graph: FakeGraph,
    account: AdAccount,
    edge: str,
    get: Callable[..., Any],
    page_size: int,
) -> None:
    """Facts 1.1, 1.2, 1.4, 1.16: it asks for a summary by itself."""
    for number in range(3):
        graph.world.colleague_creates(edge, f"{number}", parent_id=_parent(edge))

    listed = get(account, fields=["id", "name"], params={"limit": page_size})

    page = graph.world.page("act_1001", edge, limit=100)
    assert not isinstance(page, GraphError)
    assert [each["name"] for each in listed] == [each.name for each in page.rows]
    assert listed.total() == page.total
    assert graph.count("GET", edge) == -(-page.total // page_size)


def _parent(edge: str) -> str | None:
    return {"adsets": "1501", "ads": "2001"}.get(edge)


@pytest.mark.parametrize(
    ("kind", "listed_by"),
    [
        ("campaign", lambda api, made: AdLabel(made["adlabel"], api=api).get_campaigns),
        ("adset", lambda api, made: Campaign(made["campaign"], api=api).get_ad_sets),
        ("ad", lambda api, made: Campaign(made["campaign"], api=api).get_ads),
        ("ad", lambda api, made: AdSet(made["adset"], api=api).get_ads),
        ("ad", lambda api, made: AdLabel(made["adlabel"], api=api).get_ads),
        ("adcreative", lambda api, made: AdSet(made["adset"], api=api).get_ad_creatives),
        ("adcreative", lambda api, made: Ad(made["ad"], api=api).get_ad_creatives),
    ],
)
def test_it_finds_each_in_the_containers_that_list_it(
    api: FacebookAdsApi, kind: str, listed_by: Callable[..., Any]
) -> None:
    """Facts 4.25, 5.1."""
    made = make_all(AdAccount("act_1001", api=api))

    (found,) = listed_by(api, made)(fields=["name", "adlabels"])

    assert found["id"] == made[kind]
    assert [label["name"] for label in found["adlabels"]] == [MARK]


def test_archived_ones_are_listed_only_if_asked_for(graph: FakeGraph, account: AdAccount) -> None:
    """Facts 5.3, 5.7."""
    old = graph.world.colleague_creates("ads", "old", parent_id="2001")
    graph.world.archive(old.id)

    assert list(account.get_ads()) == []
    (found,) = account.get_ads(params={"effective_status": ["ARCHIVED", "PAUSED"]})
    assert found["id"] == old.id


# --- being refused --------------------------------------------------------------------------------


def refusal(call: Callable[[], object]) -> FacebookRequestError:
    with pytest.raises(FacebookRequestError) as caught:
        call()
    return caught.value


def test_a_refusal_is_its_exception_with_code_subcode_and_blame(account: AdAccount) -> None:
    """Facts 2.1, 2.3, E29."""
    lost = refusal(
        lambda: account.create_ad(params=AD | {"adset_id": "9", "creative": {"id": "1"}})
    )
    long = refusal(lambda: account.create_campaign(params=CAMPAIGN | {"name": "x" * 401}))

    told = (lost.http_status(), lost.api_error_code(), lost.api_error_subcode())
    assert told == (400, 100, 33)
    assert lost.api_error_type() == "GraphMethodException"
    assert (long.api_error_code(), long.api_blame_field_specs()) == (100, [["name"]])
    assert long.api_error_message() == "Invalid parameter"


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("throttle:code=80004", (400, 80004, 2446079)),
        ("throttle:code=17", (400, 17, 2446079)),
        ("page_error", (500, 1, 99)),
        ("too_heavy:limit_max=1,count=1", (500, 1, None)),
        ("lost_cursor", (400, 2642, None)),
        ("depth_exceeded", (400, 100, None)),
    ],
)
def test_faults_arrive_as_its_exception_too(
    graph: FakeGraph, account: AdAccount, fault: str, told: tuple[int, int, int | None]
) -> None:
    graph.faults.add(fault)

    error = refusal(lambda: account.get_ads(params={"limit": 5}))

    assert (error.http_status(), error.api_error_code(), error.api_error_subcode()) == told
    assert list(account.get_ads()) == []


@pytest.mark.parametrize(
    ("credentials", "code"), [({"secret": "another"}, 100), ({"token": "expired"}, 190)]
)
def test_a_wrong_proof_or_token_is_refused(
    url: str, credentials: dict[str, str], code: int
) -> None:
    """Facts 7.8, E23."""
    with connected(url, **credentials) as api:
        error = refusal(AdAccount("act_1001", api=api).get_ads)

    assert error.api_error_code() == code
