"""What the API tells beside its answers: the version that served, and whether it narrows."""

from __future__ import annotations

from typing import Final

import httpx

from reconciler.listing import Statuses, WalkRequest
from reconciler.model import Container, ContainerKind, Kind

from ..graph.narrowing import narrowed
from ..graph.paths import account_path, children_edge
from ..graph.reply import Reply
from ..settings import Settings
from ..shapes import Check
from .asking import Back, asked_for, content_of, told


def version_check(account_id: str, headers: httpx.Headers, asked: str) -> Check | None:
    """Facts 7.7: an expired version is served by another without a word. None: not told."""
    served = headers.get("facebook-api-version")
    warning = headers.get("x-ad-api-version-warning")
    if served is None and warning is None:
        return None
    is_asked = served in (None, asked)
    what = f"{served or asked} answers" if is_asked else f"{asked} is asked for, {served} answers"
    return Check(
        name=f"version {account_id}",
        ok=is_asked and warning is None,
        detail=f"{what}; the API warns: {warning[:200]}" if warning else what,
        fix=None if is_asked and warning is None else _VERSION_FIX,
    )


_VERSION_FIX: Final = (
    "read the changelog of the API, then set RECONCILER_GRAPH_VERSION to a live one"
)


NOBODYS: Final = "rc1-doctorasksforit2"
"""A label of our form that nobody bears."""


async def narrowing_check(settings: Settings, account_id: str) -> Check:
    """Whether listings are narrowed here. Only a saving hangs on it, so it never fails."""
    name = f"narrowing {account_id}"
    if not settings.narrow_listings:
        return Check(name=name, ok=True, detail="off: listings are read whole")
    whole = children_edge(_campaigns(account_id))
    one = {"limit": "1"}
    back = await asked_for(settings, narrowed(whole, NOBODYS), one)
    if not (isinstance(back, Reply) and back.status == 200 and "data" in content_of(back)):
        detail = f"on, but refused, so listings are whole: {told(back)}"
        return Check(name=name, ok=True, detail=detail)
    if content_of(back)["data"]:
        return Check(name=name, ok=True, detail="on, but ignored by the API, so listings are whole")
    return Check(name=name, ok=True, detail=_honoured(await asked_for(settings, whole, one)))


def _honoured(unfiltered: Back) -> str:
    """An account without a campaign narrows nothing to nothing."""
    if content_of(unfiltered).get("data"):
        return "on, and honoured by the API for campaigns"
    return "on; the account has no campaign to tell by"


def _campaigns(account_id: str) -> WalkRequest:
    path = account_path(account_id)
    return WalkRequest(
        account_id=path,
        container=Container(kind=ContainerKind.ACCOUNT, id=path),
        kind=Kind.CAMPAIGN,
        statuses=Statuses.OUR_LABEL,
    )
