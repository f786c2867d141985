"""Sends one request once, under one total deadline, and says in values what came of it.

Timeouts of single reads never add up to a deadline (field case R008), so one clock runs over
everything: slot, DNS, connect, headers and body. What happened to a request that ended without a
reply is told by how far it got, not by the name of an exception alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import lru_cache
from typing import Any, Final

import httpx

from .reply import NoReply, Reply
from .request_class import Ended, RequestKind, class_of
from .transport import POOL_WAIT_SECONDS, Lanes

HEADERS: Final = {
    "Accept": "*/*",
    "Accept-Encoding": "gzip, deflate",
    "Connection": "keep-alive",
    "User-Agent": "reconciler",
}
"""Of every request."""

BEFORE_SENDING: Final = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
)
"""N01: raised while resolving, connecting, shaking hands, waiting for a connection, or where a
proxy refuses the tunnel that the request was to go through."""

CONNECT_SHARE: Final = 0.9
"""Of what is left. A handshake that hangs should end by httpx's own timeout, which closes the
socket; cut off by our deadline, it stays open until it is collected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """One request, ready to go."""

    kind: RequestKind
    method: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes | None = field(default=None, repr=False)


class TooLarge(Exception):
    """The body went over the bound; the rest was not read."""


class Sender:
    """Puts requests on the wire. Raises nothing but `CancelledError`.

    `ended` is told the class of each, also of one that was given up before its reply.
    """

    def __init__(self, lanes: Lanes, ended: Ended = lambda _: None) -> None:
        self._lanes = lanes
        self._ended = ended

    async def send(self, outgoing: Outgoing, within: timedelta, body_max: int) -> Reply | NoReply:
        """At most one request, answered within `within`; a body over `body_max` bytes is no reply.

        Cancelled, it raises at once; the request may still land.
        """
        progress = Progress()
        back: Reply | NoReply | None = None
        try:
            back = await self._sent(outgoing, progress, within, body_max)
            return back
        finally:
            given_up = NoReply(progress.proves_nothing_left, "given up")
            self._ended(class_of(outgoing.kind, back or given_up))

    async def _sent(
        self, outgoing: Outgoing, progress: Progress, within: timedelta, body_max: int
    ) -> Reply | NoReply:
        try:
            async with asyncio.timeout(within.total_seconds()) as deadline:
                return await self._exchange(outgoing, progress, deadline, body_max)
        except TimeoutError:
            text = f"no complete reply within {within.total_seconds():g} s"
            return NoReply(progress.proves_nothing_left, text)
        except BEFORE_SENDING as error:
            return NoReply(not progress.left, _told(error))
        except TooLarge:
            return NoReply(False, f"a body of more than {body_max} bytes", is_too_large=True)
        except Exception as error:  # noqa: BLE001 - whatever it is, the request may have landed
            return NoReply(not progress.has_slot, _told(error))

    async def _exchange(
        self, outgoing: Outgoing, progress: Progress, deadline: asyncio.Timeout, body_max: int
    ) -> Reply:
        async with self._lanes.lane() as lane:
            progress.has_slot = True
            request = _request(outgoing, progress, _timeouts(deadline))
            try:
                response = await lane.transport.handle_async_request(request)
            except (httpx.PoolTimeout, asyncio.CancelledError):
                # Cut off before it was sent, httpcore may keep its place in the pool for ever.
                if not progress.left:
                    self._lanes.replace(lane)
                raise
            try:
                body = await _read(response, body_max)
            finally:
                await response.aclose()
            return Reply(response.status_code, response.headers, body)


@dataclass(slots=True)
class Progress:
    """How far a request got, as httpcore's trace tells it, always before the step it names.

    A transport that traces nothing proves nothing: then only the wait for a slot is known.
    """

    has_slot: bool = False
    began_to_connect: bool = False
    left: bool = False

    async def trace(self, event: str, info: Mapping[str, Any]) -> None:
        """Note the two events that matter. A CONNECT to a proxy holds nothing of the request."""
        if event == "connection.connect_tcp.started":
            self.began_to_connect = True
        elif _begins_to_send(event) and not _asks_for_a_tunnel(info):
            self.left = True

    @property
    def proves_nothing_left(self) -> bool:
        """Whether the request ended in the wait for a slot, or while connecting."""
        return not self.has_slot or (self.began_to_connect and not self.left)


def _begins_to_send(event: str) -> bool:
    return "send_request" in event and event.endswith(".started")


def _asks_for_a_tunnel(info: Mapping[str, Any]) -> bool:
    return getattr(info.get("request"), "method", None) == b"CONNECT"


def _request(outgoing: Outgoing, progress: Progress, timeouts: dict[str, float]) -> httpx.Request:
    return httpx.Request(
        outgoing.method,
        _address(outgoing.url),
        headers={**HEADERS, **outgoing.headers},
        content=outgoing.body,
        extensions={"trace": progress.trace, "timeout": timeouts},
    )


@lru_cache(maxsize=16)
def _address(url: str) -> httpx.URL:
    """Parsing costs 40 µs, and every create of an account goes to one of four addresses."""
    return httpx.URL(url)


def _timeouts(deadline: asyncio.Timeout) -> dict[str, float]:
    """The parts, from what is left of the whole: none can hold a call longer than the deadline."""
    end, now = deadline.when(), asyncio.get_running_loop().time()
    left = max(0.0, end - now) if end is not None else 0.0
    connect = left * CONNECT_SHARE
    return {"connect": connect, "read": left, "write": left, "pool": POOL_WAIT_SECONDS}


async def _read(response: httpx.Response, body_max: int) -> bytes:
    chunks: list[bytes] = []
    size = 0
    # As it comes where nothing is to be decompressed: two generators less around each chunk.
    is_plain = "content-encoding" not in response.headers
    stream = response.stream if is_plain else response.aiter_bytes()
    assert isinstance(stream, AsyncIterable)
    async for chunk in stream:
        size += len(chunk)
        if size > body_max:
            raise TooLarge
        chunks.append(chunk)
    return b"".join(chunks)


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
