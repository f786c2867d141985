"""What the token may do, as the API tells it: every page of its permissions, or no verdict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ..graph.fault import read_fault
from ..graph.outcome import line_of
from ..graph.paths import Edge, account_path
from ..graph.reply import Reply
from ..graph.wire import NotAPage, cursor_of
from ..settings import Settings
from ..shapes import Check
from .asking import Back, asked_for, content_of, told

NEEDED: Final = "ads_management"
"""Creates, and reads too."""

USUAL: Final = frozenset({NEEDED, "ads_read", "business_management", "public_profile"})
"""What comes with it, or reads."""

PAGES_MAX: Final = 20
"""Of 500 each: there are some hundred permissions."""

NOT_ASKABLE: Final = frozenset({"E28", "E29", "E36"})
"""Refusals of the question itself, as of a token that is no user's: nothing to find out."""


async def scopes_check(settings: Settings, account_id: str) -> Check | None:
    """The token's permissions. None: the API does not tell them, as of tokens of another kind."""
    rows, broke_off = await _permissions(settings, account_id)
    if broke_off is None:
        return scopes_told(account_id, rows) if rows else None
    if not rows and _is_not_askable(broke_off):
        return None
    detail = f"the API did not tell all permissions of the token: {told(broke_off)}"
    return Check(
        name=f"scopes {account_id}",
        ok=False,
        known=False,
        detail=detail,
        fix=f"run this again in a minute, or see in the app's dashboard that {NEEDED} is granted",
    )


def scopes_told(account_id: str, rows: list[Any]) -> Check:
    """Too narrow fails; broader than needed is said, for a stolen token can do all of it."""
    states = _states(rows)
    granted = {name for name, told_of_it in states.items() if told_of_it == {"granted"}}
    if NEEDED not in granted:
        how = " and ".join(sorted(states.get(NEEDED, {"not granted"})))
        return Check(
            name=f"scopes {account_id}",
            ok=False,
            detail=f"{NEEDED} is {how}; granted: {', '.join(sorted(granted)) or 'none'}",
            fix=f"make a token with {NEEDED}",
        )
    broader = ", ".join(sorted(granted - USUAL))
    more = f"; broader than needed: {broader}" if broader else ""
    return Check(name=f"scopes {account_id}", ok=True, detail=f"{NEEDED} is granted{more}")


def _states(rows: list[Any]) -> Mapping[str, set[str]]:
    """Of each permission every status that a row gives it; two are no grant."""
    states: dict[str, set[str]] = {}
    for row in rows:
        if isinstance(row, Mapping) and isinstance(row.get("permission"), str):
            states.setdefault(row["permission"], set()).add(str(row.get("status", "not granted")))
    return states


async def _permissions(settings: Settings, account_id: str) -> tuple[list[Any], Back]:
    """The rows, and the reply at which the list broke off: None where it was read to its end."""
    edge = Edge(account_path(account_id), "me/permissions", {})
    rows: list[Any] = []
    back: Back = None
    page = {"limit": "500"}
    for _ in range(PAGES_MAX):
        back = await asked_for(settings, edge, page)
        content = content_of(back)
        told_now, after = content.get("data"), cursor_of(content.get("paging"))
        if not isinstance(told_now, list) or isinstance(after, NotAPage):
            break
        rows += told_now
        if after is None:
            return rows, None
        page["after"] = after
    return rows, back


def _is_not_askable(back: Back) -> bool:
    return isinstance(back, Reply) and line_of(read_fault(back)).number in NOT_ASKABLE
