"""Where a browser says that a request comes from: a page of this service, or another site's."""

from __future__ import annotations

import ipaddress
from typing import Final
from urllib.parse import urlsplit

from fastapi import Request

from .refusals import Refused

NAMES: Final = frozenset({"localhost"})

OWN_PAGE: Final = "same-origin"
BY_HAND: Final = "none"
"""`Sec-Fetch-Site` of what a person typed or has as a bookmark."""


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches it."""
    if host in NAMES:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def host_of(address: str) -> str:
    """The name in a URL; empty where it names none."""
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""


def refuse_other_sites(request: Request) -> None:
    """Raise `Refused` unless it is of a program on this machine, or of a page of ours.

    A page of any site may have its reader's browser ask here, an image being enough. Such a request
    names its site as `Origin`, or a name of the site's own that leads here as `Host`, or says in
    `Sec-Fetch-Site` that it is of another's page. A program says nothing of the kind.
    """
    origin = request.headers.get("origin")
    hosts = [host_of(f"//{request.headers.get('host', '')}")]
    hosts += [] if origin is None else [host_of(origin)]
    site = request.headers.get("sec-fetch-site", BY_HAND)
    if site not in (OWN_PAGE, BY_HAND) or not all(map(is_loopback, hosts)):
        raise Refused(
            "forbidden",
            "without keys only programs on this machine are answered",
            next_step="make a key: reconciler key create NAME",
        )


def refuse_unless_own_page(request: Request) -> None:
    """Raise `Refused` unless the browser says that a page of this very service sent it.

    `Sec-Fetch-Site` where it says so; it is sent over TLS and to this machine alone, so elsewhere
    `Origin`. A browser sends at least one with every form.
    """
    site, origin = (request.headers.get(name) for name in ("sec-fetch-site", "origin"))
    of_origin = origin is not None and _netloc(origin) == request.headers.get("host", "").lower()
    if not (of_origin if site is None else site == OWN_PAGE):
        raise Refused(
            "forbidden",
            "this was not sent by a page of this service",
            next_step="load the page again and repeat it there",
        )


def _netloc(origin: str) -> str | None:
    """Of an origin; None where it is none, so that it equals no `Host`."""
    try:
        return urlsplit(origin).netloc.lower() or None
    except ValueError:
        return None
