"""The service as it lets people in by their keys."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import httpx

from adapters.store.service import ServiceLedger
from adapters.web import KeyAccess, Scope, create_app
from adapters.web.browser_session import BrowserAccess
from adapters.web.keys import new_key
from adapters.web.loopback import ServiceAccess
from fixtures.stage import Stage
from tests.integration.web.in_process import Asking, client_of, service_on

YEAR = timedelta(days=365)


def ledger_of(stage: Stage) -> ServiceLedger:
    assert isinstance(stage.ledger, ServiceLedger)
    return stage.ledger


def key_for(
    stage: Stage, *scopes: Scope, accounts: list[str] | None = None, lasting: timedelta = YEAR
) -> str:
    """A new key, as its owner has it."""
    key, kept = new_key("ops", scopes, accounts, lasting=lasting, now=stage.time.now())
    stage.time.run(ledger_of(stage).add_key(kept))
    return key


def bearing(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def asked_at(stage: Stage, asking: Asking, *, host: str = "0.0.0.0") -> Any:
    """What came of asking the service that listens on this address."""

    async def session() -> Any:
        service = service_on(stage)
        keys = KeyAccess(service, stage.time.now)
        access = BrowserAccess(keys, ServiceAccess(keys, host=host), stage.time.now)
        async with client_of(create_app(service, access=access), service) as client:
            return await asking(client)

    return stage.time.run(session())


async def statuses(client: httpx.AsyncClient, *headers: dict[str, str]) -> list[int]:
    """Of reading the list with each of these."""
    return [(await client.get("/v1/documents", headers=each)).status_code for each in headers]
