"""The API of a history as the real client meets it: over HTTP, in process, on virtual time.

A request's weather becomes a fault of the fake API that strikes this request alone. What no fault
does as a history needs it (no byte left, landing late by so much) takes the simulator's own way.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

import httpx
from pydantic import SecretStr

from adapters.graph.client import GraphClient
from adapters.graph.tokens import Tokens
from fixtures.graph import AnsweringOptions, FakeGraph
from fixtures.graph.call import Call
from fixtures.simulator.api import SimulatedGraph
from fixtures.world_graph import US, Passage, Weather, WorldGraph
from reconciler.call_outcome import Answer, CreateRequest
from reconciler.listing import Keep, Walk, WalkRequest

TOKEN: Final = "fake-token"

STRIKES: Final[Mapping[Weather, str]] = {
    Weather.REPLY_LOST: "reply_lost_after_commit",
    Weather.MADE_TWICE: "created_twice",
    Weather.ERROR_BEFORE: "error_before_commit",
    Weather.ERROR_AFTER: "error_after_commit",
    Weather.THROTTLED: "throttle:with_headers=false",
    Weather.THROTTLED_AFTER: "throttle:commit=true,with_headers=false",
    Weather.REFUSED: "access_lost",
    Weather.INVALID: "validation_error",
}
"""The fault that each weather is. Fair needs none."""

MISHAPS: Final = ("lost_cursor", "page_error", "repeated_rows", "empty_page")

_PASSAGE: ContextVar[Passage | None] = ContextVar("passage", default=None)
"""What the create meets that is on its way in this task; None: it is no create."""


class NumberedFake(FakeGraph):
    """The fake API, whose log calls a create by the number under which the history noted it."""

    def _note(self, call: Call) -> None:
        FakeGraph._note(self, call)
        passage = _PASSAGE.get()
        if passage is not None:
            call.number = passage.number


class _Noting(httpx.AsyncBaseTransport):
    """Hands on, and shows every reply's body."""

    def __init__(self, inner: httpx.ASGITransport, note: Callable[[bytes], None]) -> None:
        self._inner = inner
        self._note = note

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """One request."""
        response = await self._inner.handle_async_request(request)
        body = await response.aread()
        self._note(body)
        headers = response.headers
        return httpx.Response(response.status_code, headers=headers, content=body, request=request)


@dataclass(slots=True, kw_only=True)
class OverTheClient(SimulatedGraph):
    """One client for all processes; `requests` counts what went through it."""

    client: GraphClient = field(init=False)
    fake: NumberedFake = field(init=False)

    def __post_init__(self) -> None:
        options = AnsweringOptions(tokens={TOKEN: US})
        latency = self.sky.latency.total_seconds()
        self.fake = NumberedFake(self.world, options=options, latency_seconds=latency)
        for weather, strike in STRIKES.items():
            self.fake.faults.add(strike, count=None, method="POST", when=_meets(weather))
        for mishap in MISHAPS:
            share = self.profile.bad_page / len(MISHAPS)
            self.fake.faults.add(mishap, count=None, chance=share, when=lambda _: not self.calm)
        self.client = GraphClient(
            url="http://graph.test",
            tokens=Tokens(default=SecretStr(TOKEN)),
            transport=_Noting(httpx.ASGITransport(self.fake), self._note_rows),
            page_size=self.page_size,
            fraction=self.chance.random,
            narrows=True,
        )

    @property
    def requests(self) -> int:
        """How many requests the fake answered."""
        return len(self.fake.requests)

    async def _pass(self, request: CreateRequest, passage: Passage, within: timedelta) -> Answer:
        if passage.weather is not Weather.FAIR and passage.weather not in STRIKES:
            return await WorldGraph._pass(self, request, passage, within)
        before = _PASSAGE.set(passage)
        try:
            return await self.client.create(request, within=within)
        finally:
            _PASSAGE.reset(before)

    async def _walk_through(
        self,
        request: WalkRequest,
        keep: Keep,
        now: Callable[[], Awaitable[datetime]],
        step: Callable[[], None],
    ) -> Walk:
        if len(self.walks) in self.sky.blind:
            return await WorldGraph.walk(self, request, keep, now, step=step)
        self.walks.append(request)
        return await self.client.walk(request, keep, now, step=step)

    async def _walk_ours_through(
        self,
        request: WalkRequest,
        label: str,
        keep: Keep,
        now: Callable[[], Awaitable[datetime]],
        step: Callable[[], None],
    ) -> Walk | None:
        return await self.client.walk_ours(request, label, keep, now, step=step)

    def _note_rows(self, body: bytes) -> None:
        """What a listing gave, as it stood in the reply's bytes (S4)."""
        try:
            said = json.loads(body)
        except ValueError:
            return
        rows = said.get("data", ()) if isinstance(said, dict) else ()
        for row in rows:
            self.given.setdefault(str(row["id"]), []).append(row)

    async def has_label(self, account_id: str, name: str) -> bool | None:
        """The real look for a label."""
        self.label_walks += 1
        return await self.client.has_label(account_id, name)


def _meets(weather: Weather) -> Callable[[Call], bool]:
    def meets(_: Call) -> bool:
        passage = _PASSAGE.get()
        return passage is not None and passage.weather is weather

    return meets
