"""Without keys the service is for this machine alone, and a browser's other pages are not on it."""

from __future__ import annotations

from fastapi import Request

from .access import Principal, unrecognised
from .keys import KeyAccess, given_key
from .oidc import TokenAccess, is_token
from .origins import is_loopback, refuse_other_sites


class ServiceAccess:
    """By key once there ever was one; before that, everything for whoever is on this machine.

    A key that was revoked leaves the door shut: it does not open again by having none left. Where
    `tokens` knows an issuer, its tokens are as good as keys, and nobody is let in without either.
    """

    def __init__(self, keys: KeyAccess, *, host: str, tokens: TokenAccess | None = None) -> None:
        self._keys = keys
        self._is_loopback = is_loopback(host)
        self._tokens = tokens

    async def __call__(self, request: Request) -> Principal:
        """Raises `Refused`."""
        if self._tokens and is_token(given_key(request)):
            return await self._tokens(request)
        if self._tokens or await self._keys.kept():
            return await self._keys(request)
        if not self._is_loopback:
            raise unrecognised("the service has no keys, and is not for this machine alone")
        refuse_other_sites(request)
        return Principal.everything("this machine")
