"""A few HTTP transports that share the load: one of httpx slows down with many requests in flight.

At 100 requests in flight one spends 15 ms of CPU on each; at no more than four it does not show. So
requests take a slot here, and httpx's own pool never has to wait. An `AsyncClient` above them would
cost a third of a request more, for redirects, cookies and authentication that we must not have.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Final
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx

IN_FLIGHT_PER_CLIENT: Final = 4
KEEPALIVE_SECONDS: Final = 5.0
"""The shorter an idle connection lives, the rarer a create meets one that the far side just closed:
that create would be `unknown`."""

POOL_WAIT_SECONDS: Final = 1.0
"""httpx's pool has a place for every slot of ours; one that makes us wait has lost places to
cancelled requests (R098). Its transport is replaced, as is one whose request was cut off unsent."""


@dataclass(slots=True, eq=False)
class Lane:
    """One transport and how many requests it carries now."""

    transport: httpx.AsyncBaseTransport
    busy: int = 0
    is_worn: bool = False


class Lanes:
    """At most `count` transports of four requests each; opened when needed, closed by `aclose`.

    All requests go to the host of `url`. `transport` None is the real network: HTTP/1.1, no
    retries; proxies and certificates as the environment names them. Another one is for tests and
    the simulator.
    """

    def __init__(
        self, count: int, url: str, transport: httpx.AsyncBaseTransport | None = None
    ) -> None:
        self._count = count
        self._url = url
        self._transport = transport
        self._slots = asyncio.Semaphore(count * IN_FLIGHT_PER_CLIENT)
        self._lanes: list[Lane] = []
        self._is_closed = False

    @asynccontextmanager
    async def lane(self) -> AsyncIterator[Lane]:
        """Hold one slot; waits, first come first served, while all are taken."""
        async with self._slots:
            lane = self._pick()
            lane.busy += 1
            try:
                yield lane
            finally:
                lane.busy -= 1
                if lane.is_worn and not lane.busy:
                    await lane.transport.aclose()

    def replace(self, lane: Lane) -> None:
        """Give the lane no more requests; its transport is closed when the last one ends."""
        lane.is_worn = True
        if lane in self._lanes:
            self._lanes.remove(lane)

    async def aclose(self) -> None:
        """Close every transport. Requests after this never leave."""
        self._is_closed = True
        while self._lanes:
            await self._lanes.pop().transport.aclose()

    def _pick(self) -> Lane:
        if self._is_closed:
            raise RuntimeError("the client is closed")
        lane = min(self._lanes, key=lambda each: each.busy, default=None)
        if lane is None or (lane.busy and len(self._lanes) < self._count):
            lane = Lane(self._open())
            self._lanes.append(lane)
        return lane

    def _open(self) -> httpx.AsyncBaseTransport:
        if self._transport is not None:
            return self._transport
        limits = httpx.Limits(
            max_connections=IN_FLIGHT_PER_CLIENT,
            max_keepalive_connections=IN_FLIGHT_PER_CLIENT,
            keepalive_expiry=KEEPALIVE_SECONDS,
        )
        return httpx.AsyncHTTPTransport(
            verify=self._ssl_context,
            http1=True,
            http2=False,
            limits=limits,
            retries=0,
            proxy=proxy_for(self._url),
        )

    @cached_property
    def _ssl_context(self) -> ssl.SSLContext:
        """Shared by all: building one, 27 ms, is nearly all that opening a transport costs.

        An address without TLS gets one that trusts nobody, which costs nothing.
        """
        if urlsplit(self._url).scheme != "https":
            return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        try:
            return httpx.create_ssl_context()
        except OSError as error:  # it does not say which file; ssl.SSLError is one too
            raise OSError(f"SSL_CERT_FILE or SSL_CERT_DIR cannot be used: {error}") from error


def proxy_for(url: str) -> str | None:
    """The proxy that the environment names for this address, None where it names none."""
    parts = urlsplit(url)
    if proxy_bypass(parts.netloc):
        return None
    named = getproxies()
    proxy = named.get(parts.scheme) or named.get("all")
    return proxy if proxy is None or "://" in proxy else f"http://{proxy}"
