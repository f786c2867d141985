"""Without keys the service is for this machine alone, and a browser's other pages are not on it."""

from __future__ import annotations

import ipaddress
from typing import Final
from urllib.parse import urlsplit

from fastapi import Request

from .access import Principal, unrecognised
from .keys import KeyAccess
from .refusals import Refused

NAMES: Final = frozenset({"localhost"})


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches it."""
    if host in NAMES:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class ServiceAccess:
    """By key once there ever was one; before that, everything for whoever is on this machine.

    A key that was revoked leaves the door shut: it does not open again by having none left.
    """

    def __init__(self, keys: KeyAccess, *, host: str) -> None:
        self._keys = keys
        self._is_loopback = is_loopback(host)

    async def __call__(self, request: Request) -> Principal:
        """Raises `Refused`."""
        if await self._keys.kept():
            return await self._keys(request)
        if not self._is_loopback:
            raise unrecognised("the service has no keys, and is not for this machine alone")
        _refuse_other_sites(request)
        return Principal.everything("this machine")


def _refuse_other_sites(request: Request) -> None:
    """A page of any site may have its reader's browser ask here; it must not be let in.

    Such a request names its site as `Origin`, or a name of the site's own that leads here as
    `Host`.
    """
    origin = request.headers.get("origin")
    hosts = [_host_of(f"//{request.headers.get('host', '')}")]
    hosts += [] if origin is None else [_host_of(origin)]
    if not all(map(is_loopback, hosts)):
        raise Refused(
            "forbidden",
            "without keys only programs on this machine are answered",
            next_step="make a key: reconciler key create NAME",
        )


def _host_of(address: str) -> str:
    """Empty where it names none."""
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""
