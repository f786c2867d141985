"""The official client pointed at the fake, what it makes there, and our own walk of the same."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from facebook_business.adobjects.adaccount import AdAccount  # type: ignore[import-untyped]
from facebook_business.api import FacebookAdsApi  # type: ignore[import-untyped]
from facebook_business.session import FacebookSession  # type: ignore[import-untyped]
from pydantic import SecretStr

from adapters.graph.client import GraphClient
from adapters.graph.tokens import Tokens
from reconciler.listing import Listing, Statuses, WalkRequest
from reconciler.model import Container, ContainerKind, Kind

SECRET = "app-secret"
MARK = "rc1-abcdefghijklmnop"
LABELS = [{"name": MARK}]
CAMPAIGN = {
    "name": "Autumn",
    "objective": "OUTCOME_TRAFFIC",
    "special_ad_categories": [],
    "status": "PAUSED",
    "adlabels": LABELS,
}
ADSET = {
    "name": "Autumn / north",
    "billing_event": "IMPRESSIONS",
    "optimization_goal": "LINK_CLICKS",
    "bid_strategy": "LOWEST_COST_WITHOUT_CAP",
    "daily_budget": 500,
    "targeting": {"geo_locations": {"countries": ["DE"]}},
    "status": "PAUSED",
    "adlabels": LABELS,
}
CREATIVE = {
    "name": "Autumn creative",
    "object_story_spec": {"page_id": "1", "link_data": {"link": "https://shop.example/?a=1&b=2"}},
    "adlabels": LABELS,
}
AD = {"name": "Ümlaut & + 100 % 🍂", "status": "PAUSED", "adlabels": LABELS}
ACCOUNT = Container(kind=ContainerKind.ACCOUNT, id="act_1001")
THE_ADSET = Container(kind=ContainerKind.ADSET, id="2001")


@contextmanager
def connected(
    url: str, *, secret: str = SECRET, token: str = "fake-token"
) -> Iterator[FacebookAdsApi]:
    """The client, unmodified: its session has an attribute for where the API is."""
    session = FacebookSession("77001", secret, token, timeout=10)
    session.GRAPH = url
    try:
        yield FacebookAdsApi(session)
    finally:
        session.requests.close()


def make_all(account: AdAccount) -> dict[str, str]:
    """One of each kind, each in the one before; their ids."""
    made = {"adlabel": account.create_ad_label(params={"name": MARK})["id"]}
    made["campaign"] = account.create_campaign(params=CAMPAIGN)["id"]
    adset = ADSET | {"campaign_id": made["campaign"]}
    made["adset"] = account.create_ad_set(params=adset)["id"]
    made["adcreative"] = account.create_ad_creative(params=CREATIVE)["id"]
    ad = AD | {"adset_id": made["adset"], "creative": {"creative_id": made["adcreative"]}}
    made["ad"] = account.create_ad(params=ad)["id"]
    return made


async def walked(url: str, kind: Kind, container: Container, page_size: int = 2) -> Listing:
    """Our own walk of the same fake."""
    client = GraphClient(
        tokens=Tokens(default=SecretStr("fake-token")),
        app_secret=SecretStr(SECRET),
        url=url,
        page_size=page_size,
    )
    request = WalkRequest(
        account_id="act_1001", container=container, kind=kind, statuses=Statuses.NO_FILTER
    )
    try:
        walk = await client.walk(request, lambda row: True, _now)
    finally:
        await client.aclose()
    assert isinstance(walk, Listing), walk
    return walk


async def _now() -> datetime:
    return datetime(2026, 3, 10, 12, tzinfo=UTC)
