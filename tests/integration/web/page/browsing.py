"""A browser in front of the service: signed in, or alone on this machine."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

import httpx

from adapters.web import Scope
from fixtures.stage import Stage
from tests.integration.web.keyed import asked_at, key_for

Asking = Callable[[httpx.AsyncClient], Awaitable[Any]]
OWN: Final = {"Sec-Fetch-Site": "same-origin"}


def browsed(stage: Stage, asking: Asking, *scopes: Scope, accounts: list[str] | None = None) -> Any:
    """What came of browsing: with a key of these scopes, or without keys on this machine."""
    if not scopes:
        return asked_at(stage, asking, host="localhost")
    key = key_for(stage, *scopes, accounts=accounts)

    async def signed_in(client: httpx.AsyncClient) -> Any:
        begun = await client.post("/sign-in", data={"key": key}, headers=OWN)
        assert begun.status_code == 303, begun.text
        return await asking(client)

    return asked_at(stage, signed_in)
