"""Which creates may share one request."""

from __future__ import annotations

import pytest

from reconciler.call_outcome import CreateRequest
from reconciler.create_batch import ADS_MAX, CHILDREN_MAX, may_join
from reconciler.model import Kind


def create(kind: Kind, account_id: str = "act_1001", **params: object) -> CreateRequest:
    return CreateRequest(account_id=account_id, kind=kind, params=params)


def adset(campaign_id: object) -> CreateRequest:
    return create(Kind.ADSET, campaign_id=campaign_id)


AD, CREATIVE = create(Kind.AD, adset_id="2001"), create(Kind.ADCREATIVE)


def test_a_request_holds_no_two_ad_sets_of_one_campaign() -> None:
    """Facts 4.16. An id is the same as text and as a number."""
    assert may_join([adset("1501"), AD], adset("1502"))
    assert not may_join([AD, adset("1501")], adset("1501"))
    assert not may_join([adset("1501")], adset(1501))


def test_a_request_holds_at_most_ten_ads_and_more_of_what_is_none() -> None:
    """Facts 4.16."""
    assert ADS_MAX == 10
    assert may_join([AD] * 9, AD)
    assert not may_join([AD] * 10, AD)
    assert may_join([AD] * 10, CREATIVE)


@pytest.mark.parametrize("kind", [Kind.CAMPAIGN, Kind.ADCREATIVE])
def test_a_request_holds_at_most_fifty_creates(kind: Kind) -> None:
    """Facts 4.11."""
    assert CHILDREN_MAX == 50
    assert may_join([CREATIVE] * 49, create(kind))
    assert not may_join([CREATIVE] * 50, create(kind))


def test_a_request_is_one_accounts() -> None:
    assert not may_join([AD], create(Kind.AD, account_id="act_1002"))
