"""A few HTTP clients that share the load: one httpx client slows down with many requests in flight.

At 100 requests in flight one `AsyncClient` spends 15 ms of CPU on each; at no more than four per
client it does not show. So requests take a slot here, and httpx's own pool never has to wait.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import httpx

IN_FLIGHT_PER_CLIENT: Final = 4
KEEPALIVE_SECONDS: Final = 5.0
"""The shorter an idle connection lives, the rarer a create meets one that the far side just closed:
that create would be `unknown`."""

POOL_WAIT_SECONDS: Final = 1.0
"""httpx's pool has a place for every slot of ours; one that makes us wait has lost places to
cancelled requests (R098). Its client is replaced, as is one whose request was cut off unsent."""


@dataclass(slots=True, eq=False)
class Lane:
    """One client and how many requests it carries now."""

    client: httpx.AsyncClient
    busy: int = 0
    is_worn: bool = False


class Lanes:
    """At most `count` clients of four requests each; opened when needed, closed by `aclose`.

    `transport` None is the real network: HTTP/1.1, no transport retries, no redirects, proxies
    from the environment honoured. Another transport is for tests and the simulator.
    """

    def __init__(self, count: int, transport: httpx.AsyncBaseTransport | None = None) -> None:
        self._count = count
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
                    await lane.client.aclose()

    def replace(self, lane: Lane) -> None:
        """Give the lane no more requests; its client is closed when the last one ends."""
        lane.is_worn = True
        if lane in self._lanes:
            self._lanes.remove(lane)

    async def aclose(self) -> None:
        """Close every client. Requests after this never leave."""
        self._is_closed = True
        while self._lanes:
            await self._lanes.pop().client.aclose()

    def _pick(self) -> Lane:
        if self._is_closed:
            raise RuntimeError("the client is closed")
        lane = min(self._lanes, key=lambda each: each.busy, default=None)
        if lane is None or (lane.busy and len(self._lanes) < self._count):
            lane = Lane(self._open())
            self._lanes.append(lane)
        return lane

    def _open(self) -> httpx.AsyncClient:
        limits = httpx.Limits(
            max_connections=IN_FLIGHT_PER_CLIENT,
            max_keepalive_connections=IN_FLIGHT_PER_CLIENT,
            keepalive_expiry=KEEPALIVE_SECONDS,
        )
        return httpx.AsyncClient(
            verify=self._ssl_context,
            http1=True,
            http2=False,
            limits=limits,
            follow_redirects=False,
            trust_env=True,
            transport=self._transport,
        )

    @cached_property
    def _ssl_context(self) -> ssl.SSLContext:
        """Shared by all clients: building one is nearly all that opening a client costs."""
        return httpx.create_ssl_context()
