"""The service as it trusts an issuer of tokens, beside its keys."""

from __future__ import annotations

from typing import Any, Final

import httpx

from adapters.settings import load_settings
from adapters.web import KeyAccess, create_app
from adapters.web.browser_session import BrowserAccess
from adapters.web.keys import new_failures
from adapters.web.loopback import ServiceAccess
from adapters.web.oidc import TokenAccess
from adapters.web.oidc.claims import Claims
from adapters.web.pace import Pace
from fixtures.stage import Stage
from tests.integration.web.in_process import Asking, client_of, service_on
from tests.integration.web.keyed import bearing, statuses
from tests.integration.web.token_issuer import AUDIENCE, URL, TokenIssuer

PLAIN: Final = Claims.of(load_settings(oidc_issuer=URL, oidc_audience=AUDIENCE))


def trusting(
    stage: Stage,
    issuer: TokenIssuer,
    asking: Asking,
    *,
    claims: Claims = PLAIN,
    failures: Pace | None = None,
) -> Any:
    """What came of asking a service that knows this issuer."""

    async def session() -> Any:
        service, now = service_on(stage), stage.time.now
        wrong = failures or new_failures()
        keys = KeyAccess(service, now, failures=wrong)
        tokens = TokenAccess(claims, issuer.client.keys, wrong, now)
        access = BrowserAccess(keys, ServiceAccess(keys, host="127.0.0.1", tokens=tokens), now)
        async with client_of(create_app(service, access=access), service) as client:
            return await asking(client)

    return stage.time.run(session())


def tried(stage: Stage, issuer: TokenIssuer, *tokens: str, **more: Any) -> list[int]:
    """What each of these is answered."""

    async def asking(client: httpx.AsyncClient) -> list[int]:
        return await statuses(client, *map(bearing, tokens))

    answers: list[int] = trusting(stage, issuer, asking, **more)
    return answers
