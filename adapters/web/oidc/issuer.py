"""Asks an issuer for its keys: over TLS, no redirect followed, within a bound of bytes and time."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

import httpx

from .issuer_keys import IssuerUnavailable

WELL_KNOWN: Final = "/.well-known/openid-configuration"
BYTES_MAX: Final = 256 * 1024
SECONDS_MAX: Final = 5.0
"""For all of it, connecting included."""


class Issuer:
    """`jwks_url` None: the one that it names itself, if that is an address of its own.

    `transport` None: the real network. Another one is for tests.
    """

    def __init__(
        self,
        url: str,
        jwks_url: str | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._url = url
        self._jwks_url = jwks_url
        self._transport = transport

    async def keys(self) -> Sequence[Mapping[str, Any]]:
        """As it tells them, unchecked. Raises `IssuerUnavailable`."""
        try:
            async with (
                asyncio.timeout(SECONDS_MAX),
                httpx.AsyncClient(transport=self._transport, follow_redirects=False) as client,
            ):
                return _keys(await _object(client, self._jwks_url or await self._place(client)))
        except (httpx.HTTPError, httpx.InvalidURL, TimeoutError) as error:
            raise IssuerUnavailable(type(error).__name__) from error

    async def _place(self, client: httpx.AsyncClient) -> str:
        """Where its keys are, by its own word."""
        told = await _object(client, self._url.rstrip("/") + WELL_KNOWN)
        place = told.get("jwks_uri")
        if told.get("issuer") != self._url:
            raise IssuerUnavailable("it calls itself by another name than RECONCILER_OIDC_ISSUER")
        if not isinstance(place, str) or _origin(place) != _origin(self._url):
            raise IssuerUnavailable(
                "its keys are elsewhere; RECONCILER_OIDC_JWKS_URL may say where"
            )
        return place


async def _object(client: httpx.AsyncClient, url: str) -> Mapping[str, Any]:
    text = bytearray()
    async with client.stream("GET", url, headers={"Accept": "application/json"}) as answer:
        if answer.status_code != 200:
            raise IssuerUnavailable(f"it answered {answer.status_code}")
        async for chunk in answer.aiter_bytes():
            text += chunk
            if len(text) > BYTES_MAX:
                raise IssuerUnavailable(f"it answered more than {BYTES_MAX:,} bytes")
    return _read(text)


def _read(text: bytes | bytearray) -> Mapping[str, Any]:
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict):
        raise IssuerUnavailable("it answered no JSON object")
    return told


def _keys(told: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    keys = told.get("keys")
    if not isinstance(keys, list):
        raise IssuerUnavailable("it told no list of keys")
    return [key for key in keys if isinstance(key, dict)]


def _origin(url: str) -> tuple[str, str]:
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", ""
    return parts.scheme, parts.netloc.lower()
