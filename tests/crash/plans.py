"""The plans that crash tests publish, from one ad to a tree, twins and a crowd."""

from __future__ import annotations

from typing import Any, Final

from fixtures.graph.scene import ACCOUNT, ADSET, CREATIVE

Plan = dict[str, Any]


def ad(key: str, name: str, **params: Any) -> Plan:
    """One ad with the scene's creative."""
    return {
        "key": key,
        "kind": "ad",
        "name": name,
        "params": {"creative": {"creative_id": CREATIVE}, **params},
    }


def ads(*names: str) -> Plan:
    """Ads of these names in the scene's ad set; equal names are twins."""
    return {
        "account_id": ACCOUNT,
        "container": {"kind": "adset", "id": ADSET},
        "items": [ad(f"a{place}", name) for place, name in enumerate(names, start=1)],
    }


ONE_AD: Final = ads("Spring / 1")

TREE: Final[Plan] = {
    "account_id": ACCOUNT,
    "items": [
        {
            "key": "campaign",
            "kind": "campaign",
            "name": "Summer",
            "params": {"objective": "OUTCOME_TRAFFIC"},
        },
        {
            "key": "adset",
            "kind": "adset",
            "name": "Summer / all",
            "params": {"campaign_id": {"$ref": "campaign"}},
        },
        ad("ad", "Summer / 1", adset_id={"$ref": "adset"}),
    ],
}

TWINS: Final = ads("Spring / 1", "Spring / 2", "Spring / 2")

FOUR_ADS: Final = ads("Spring / 1", "Spring / 2", "Spring / 3", "Spring / 4")

PLANS: Final[dict[str, Plan]] = {
    "one_ad": ONE_AD,
    "tree": TREE,
    "twins": TWINS,
    "four_ads": FOUR_ADS,
}
