"""One request of the doctor's, outside the product's client: sent once, told in values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Final

from ..graph.paths import Edge, Endpoint, Unsendable
from ..graph.reply import NoReply, Reply
from ..graph.requests import Requests
from ..graph.sending import Outgoing, Sender
from ..graph.tokens import Keyring
from ..graph.transport import Lanes
from ..settings import Settings
from .secrets import REDACTION

BODY_MAX: Final = 2**22
"""Bytes; a page of 500 labels has fewer than a tenth of it."""

Back = Reply | NoReply | None
"""None: nothing was sent, for there is no token or no such address."""


Make = Callable[[Endpoint, Keyring], Outgoing | None]


async def asked(settings: Settings, make: Make) -> Back:
    """Send what `make` builds. Never raises."""
    keyring = Keyring(settings.token_for, settings.app_secret, REDACTION)
    try:
        outgoing = make(Endpoint(settings.graph_url, settings.graph_version), keyring)
    except Unsendable:
        return None
    if outgoing is None:
        return None
    lanes = Lanes(1, settings.graph_url)
    try:
        within = timedelta(seconds=settings.call_timeout_seconds)
        return await Sender(lanes).send(outgoing, within, BODY_MAX)
    finally:
        await lanes.aclose()


async def asked_for(settings: Settings, edge: Edge, page: Mapping[str, str]) -> Back:
    """One page of a list."""
    return await asked(settings, lambda to, keys: Requests(to, keys).page(edge, page))


def content_of(back: Back) -> Mapping[str, object]:
    """The object that a 200 holds; empty for everything else."""
    content = back.json() if isinstance(back, Reply) and back.status == 200 else None
    if not isinstance(content, dict) or content.get("error") is not None:
        return {}
    return content


def told(back: Back) -> str:
    """What came back, for a person: status, code and message, without secrets."""
    if back is None:
        return "nothing was sent: no token, or no such account"
    if isinstance(back, NoReply):
        return REDACTION(back.message)
    content = back.json()
    error = content.get("error") if isinstance(content, dict) else None
    if not isinstance(error, dict):
        return f"HTTP {back.status}"
    message = REDACTION(str(error.get("message")))[:200]
    return f"HTTP {back.status}, code {error.get('code')}: {message}"
