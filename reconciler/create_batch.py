"""Which creates may share one request, where the API is asked for several at once. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from .call_outcome import CreateRequest
from .model import Kind

CHILDREN_MAX: Final = 50
"""Of one request (facts 4.11)."""

ADS_MAX: Final = 10
"""Ads of one request; more are advised against (facts 4.16)."""


def may_join(batch: Sequence[CreateRequest], another: CreateRequest) -> bool:
    """Whether `another` may go out in the request that holds `batch`: all of one account."""
    if len(batch) >= CHILDREN_MAX or any(each.account_id != another.account_id for each in batch):
        return False
    same_kind = [each for each in batch if each.kind is another.kind]
    match another.kind:
        case Kind.AD:
            return len(same_kind) < ADS_MAX
        case Kind.ADSET:  # never two of one campaign (facts 4.16)
            return all(_campaign_of(each) != _campaign_of(another) for each in same_kind)
        case _:
            return True


def _campaign_of(adset: CreateRequest) -> str:
    return str(adset.params["campaign_id"])
