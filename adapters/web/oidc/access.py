"""Who asks, by the token in `Authorization: Bearer TOKEN`."""

from __future__ import annotations

from importlib.util import find_spec

from fastapi import Request

from reconciler.errors import InvalidSettings

from ...settings import Settings
from ..access import Principal, unrecognised
from ..keys import Now, address_of, given_key, system_now
from ..pace import Pace
from .claims import Claims
from .issuer import Issuer
from .issuer_keys import Fetch, IssuerKeys
from .token import InvalidToken, verified

NEXT = "sign in again, and send Authorization: Bearer TOKEN with the new one"


def is_token(given: str | None) -> bool:
    """Whether it has the form of one: three parts. A key of ours has no dot."""
    return given is not None and given.count(".") == 2


def token_access(settings: Settings, failures: Pace, now: Now = system_now) -> TokenAccess | None:
    """By these settings; None where they name no issuer. Raises `InvalidSettings`."""
    if settings.oidc_issuer is None:
        return None
    need_the_extra()
    fetch = Issuer(settings.oidc_issuer, settings.oidc_jwks_url).keys
    return TokenAccess(Claims.of(settings), fetch, failures, now)


def need_the_extra() -> None:
    """Raises `InvalidSettings` where what checks tokens is not installed."""
    if find_spec("jwt") is None or find_spec("cryptography") is None:
        raise InvalidSettings(
            "RECONCILER_OIDC_ISSUER is set, and what checks its tokens is not installed",
            next_step="pip install 'reconciler[oidc]', or unset RECONCILER_OIDC_ISSUER",
        )


class TokenAccess:
    """Raises `Refused`: 401 for a token that is wrong, 503 where nobody can tell."""

    def __init__(self, claims: Claims, fetch: Fetch, failures: Pace, now: Now) -> None:
        self._claims = claims
        self._keys = IssuerKeys(fetch, now)
        self._failures = failures
        self._now = now

    async def __call__(self, request: Request) -> Principal:
        """A token is checked anew each time, and its end with it."""
        try:
            claims = await verified(given_key(request) or "", self._keys)
            return self._claims.principal(claims, self._now())
        except InvalidToken as error:
            self._failures.spend(address_of(request))
            raise unrecognised(f"the token {error}", next_step=NEXT) from None
