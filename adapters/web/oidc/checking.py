"""Whether the issuer of the company's own sign-in tells keys that its tokens can be checked by."""

from __future__ import annotations

from typing import Final

import httpx

from reconciler.errors import InvalidSettings

from ...settings import Settings
from ...shapes import Check
from .access import need_the_extra
from .issuer import Issuer
from .issuer_keys import IssuerUnavailable, usable

NAME: Final = "issuer"


async def issuer_check(
    settings: Settings, transport: httpx.AsyncBaseTransport | None = None
) -> Check | None:
    """One line for `doctor`; None where the settings name no issuer. Asks it once.

    `transport` None: the real network. Another one is for tests.
    """
    if settings.oidc_issuer is None:
        return None
    try:
        need_the_extra()
        told = await Issuer(settings.oidc_issuer, settings.oidc_jwks_url, transport).keys()
    except InvalidSettings as error:
        return Check(name=NAME, ok=False, detail=str(error), fix=error.next_step)
    except IssuerUnavailable as error:
        detail = f"{settings.oidc_issuer} does not say what its keys are: {error}"
        return Check(name=NAME, ok=False, detail=detail, fix=_FIX)
    kept = dict(usable(told))
    if not kept:
        detail = f"none of the {len(told)} keys of {settings.oidc_issuer} can be used"
        return Check(name=NAME, ok=False, detail=detail, fix=_KEYS)
    named = ", ".join(sorted({algorithm for _, algorithm in kept}))
    detail = f"{settings.oidc_issuer} tells {len(kept)} keys for {named}"
    return Check(name=NAME, ok=True, detail=detail)


_FIX: Final = "see RECONCILER_OIDC_ISSUER and RECONCILER_OIDC_JWKS_URL; until then only keys open"
_KEYS: Final = "have it sign by RS256, 2,048 bits or more, or by ES256, each key with its kid"
