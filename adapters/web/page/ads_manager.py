"""Where a person sees an entity: its page in Meta's Ads Manager."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlencode

_PLACES: Final[Mapping[str, tuple[str, str]]] = {
    "campaign": ("campaigns", "selected_campaign_ids"),
    "adset": ("adsets", "selected_adset_ids"),
    "ad": ("ads", "selected_ad_ids"),
}
"""The address of its table and the parameter that selects a row. Creatives have no table there."""

BASE: Final = "https://adsmanager.facebook.com/adsmanager/manage"


def ads_manager_link(kind: str, account_id: str, external_id: str) -> str | None:
    """None where there is no such page, or what is given is no id."""
    digits = account_id.removeprefix("act_")
    are_ids = all(one.isascii() and one.isdigit() for one in (digits, external_id))
    if kind not in _PLACES or not are_ids:
        return None
    table, parameter = _PLACES[kind]
    return f"{BASE}/{table}?{urlencode({'act': digits, parameter: external_id})}"
