"""The official client and ours, side by side: the same rows, the same fields, and one fault of its.

Its paging stops at the first empty page (facts 1.6); ours must not (facts 1.3).
"""

import pytest
from facebook_business.adobjects.ad import Ad  # type: ignore[import-untyped]
from facebook_business.adobjects.adaccount import AdAccount  # type: ignore[import-untyped]
from facebook_business.adobjects.adcreative import AdCreative  # type: ignore[import-untyped]
from facebook_business.adobjects.adlabel import AdLabel  # type: ignore[import-untyped]
from facebook_business.adobjects.adset import AdSet  # type: ignore[import-untyped]
from facebook_business.adobjects.campaign import Campaign  # type: ignore[import-untyped]
from facebook_business.api import FacebookAdsApi  # type: ignore[import-untyped]

from adapters.graph import paths
from fixtures.graph import FakeGraph
from fixtures.graph.entities import EFFECTIVE_STATUSES
from fixtures.graph.fields import FIELDS
from reconciler.model import Kind
from tests.contract.fake_graph.official_sdk import ACCOUNT, THE_ADSET, make_all, walked

CLASSES = {
    "campaign": Campaign,
    "adset": AdSet,
    "ad": Ad,
    "adcreative": AdCreative,
    "adlabel": AdLabel,
}


# --- what both read -------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [Kind.CAMPAIGN, Kind.ADSET, Kind.AD, Kind.ADCREATIVE], ids=str)
async def test_it_and_our_client_read_the_same_rows(
    url: str, api: FacebookAdsApi, kind: Kind
) -> None:
    account = AdAccount("act_1001", api=api)
    made = make_all(account)
    get = {
        Kind.CAMPAIGN: account.get_campaigns,
        Kind.ADSET: account.get_ad_sets,
        Kind.AD: account.get_ads,
        Kind.ADCREATIVE: account.get_ad_creatives,
    }[kind]

    theirs = [each.export_all_data() for each in get(fields=list(paths.FIELDS[kind]))]
    ours = await walked(url, kind, ACCOUNT)

    assert [row.data for row in ours.rows] == theirs
    assert made[kind.value] in [row.id for row in ours.rows]


# --- what it gets wrong ---------------------------------------------------------------------------

MISLEADING = ("empty_page:nth=2", "next_without_cursors:nth=1")


def fill(graph: FakeGraph) -> set[str]:
    """Six ads, three pages of two."""
    return {graph.world.colleague_creates("ads", f"{n}", parent_id="2001").id for n in range(6)}


@pytest.mark.parametrize("fault", MISLEADING)
def test_its_iteration_ends_where_next_says_that_there_is_more(
    graph: FakeGraph, api: FacebookAdsApi, fault: str
) -> None:
    """Facts 1.6; R024. If this fails, the official client was mended: facts 1.6 is to be rewritten.

    Somebody who looks for a lost ad this way does not find it, and makes a second one.
    """
    everything = fill(graph)
    graph.faults.add(fault)

    seen = {each["id"] for each in AdSet("2001", api=api).get_ads(params={"limit": 2})}

    assert seen < everything
    assert len(seen) == 2


@pytest.mark.parametrize("fault", MISLEADING)
async def test_our_walk_of_the_same_pages_finds_everything(
    graph: FakeGraph, url: str, fault: str
) -> None:
    """Facts 1.2, 1.3."""
    everything = fill(graph)
    graph.faults.add(fault)

    listing = await walked(url, Kind.AD, THE_ADSET)

    assert {row.id for row in listing.rows} == everything
    assert not listing.saw_an_id_twice


# --- what it knows --------------------------------------------------------------------------------


def known(enumeration: type) -> set[str]:
    return {value for name, value in vars(enumeration).items() if not name.startswith("_")}


@pytest.mark.parametrize("kind", CLASSES)
def test_the_fake_has_the_fields_that_it_knows_and_no_other(kind: str) -> None:
    assert known(CLASSES[kind].Field) == FIELDS[kind]


@pytest.mark.parametrize("kind", paths.FIELDS)
def test_our_client_asks_for_fields_that_it_knows(kind: Kind) -> None:
    """One unknown field fails the whole call (facts 5.2)."""
    assert set(paths.FIELDS[kind]) <= known(CLASSES[kind.value].Field)


@pytest.mark.parametrize("kind", paths.STATUSES)
def test_our_client_asks_for_every_status_that_it_knows_but_deleted(kind: Kind) -> None:
    """R033, facts 5.8, 5.9: one of another level fails the list; a missing one may hide ours."""
    statuses = known(CLASSES[kind.value].EffectiveStatus)

    assert set(paths.STATUSES[kind]) == statuses - {"DELETED"}
    assert EFFECTIVE_STATUSES[kind.value] == statuses
