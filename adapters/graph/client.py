"""The `Graph` port over real HTTP: one create at most once, walks proven complete, cheap probes."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from typing import Final

import httpx
from pydantic import SecretStr

from reconciler.activity_log import LoggedCreations, UnreadLog
from reconciler.call_outcome import Answer, CreateRequest
from reconciler.errors import InvalidSettings
from reconciler.listing import Keep, Walk, WalkRequest

from .creating import Creating
from .looking import Looking
from .narrowing import Narrowing
from .pace import Pace
from .paging import PageReader, PageSizes
from .paths import Endpoint, Unsendable, account_path
from .redaction import Redaction
from .request_class import Ended
from .requests import Requests
from .sending import Sender
from .tokens import Keyring, TokenSource
from .transport import IN_FLIGHT_PER_CLIENT, Lanes
from .walk import Bounds

READS_AT_ONCE: Final = 32
"""Walks of as many accounts go on side by side; each waits for the API nearly all the time."""


async def _sleep(duration: timedelta) -> None:
    await asyncio.sleep(duration.total_seconds())


class GraphClient:
    """One per process and event loop; safe for any number of tasks. Close it with `aclose`.

    `tokens` is asked for an account's token before each request. `concurrency` is how many creates
    run at once; reads get `READS_AT_ONCE` slots beside them. `read_timeout` is the deadline of one
    page, `throttle_max_wait` the longest that a usage header may keep it from asking. `narrows`:
    what bears our label is asked for first. `transport` None is the real network. `ended` is told
    the class of each request. Installs the redaction on the HTTP libraries' loggers.
    """

    def __init__(
        self,
        *,
        tokens: TokenSource,
        app_secret: SecretStr | None = None,
        url: str = "https://graph.facebook.com",
        version: str = "v26.0",
        page_size: int = 500,
        max_pages: int = 2_000,
        max_rows: int = 1_000_000,
        concurrency: int = 10,
        read_timeout: timedelta = timedelta(seconds=30),
        throttle_max_wait: timedelta = timedelta(hours=1),
        narrows: bool = False,
        redaction: Redaction | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        ended: Ended = lambda _: None,
        sleep: Callable[[timedelta], Awaitable[None]] = _sleep,
        fraction: Callable[[], float] = random.random,
    ) -> None:
        if min(page_size, max_pages, max_rows, concurrency) < 1:
            raise InvalidSettings("page size, bounds and concurrency must be at least 1")
        redact = redaction or Redaction()
        redact.guard_logging()
        self._keyring = Keyring(tokens, app_secret, redact)
        self._pace = Pace(throttle_max_wait, self.token_print)
        slots = concurrency + READS_AT_ONCE
        self._lanes = Lanes(-(-slots // IN_FLIGHT_PER_CLIENT), url, transport)
        requests = Requests(Endpoint(url, version), self._keyring)
        sender = Sender(self._lanes, ended)
        self._creating = Creating(
            requests=requests,
            sender=sender,
            pace=self._pace,
            redact=redact,
            sleep=sleep,
            ended=ended,
        )
        reader = PageReader(
            requests=requests,
            sender=sender,
            pace=self._pace,
            sizes=PageSizes(page_size),
            redact=redact,
            within=read_timeout,
            sleep=sleep,
            fraction=fraction,
        )
        self._looking = Looking(
            requests=requests,
            sender=sender,
            pace=self._pace,
            reader=reader,
            bounds=Bounds(pages_max=max_pages, rows_max=max_rows),
            narrowing=Narrowing(is_on=narrows),
            redact=redact,
            within=read_timeout,
        )

    async def create(self, request: CreateRequest, *, within: timedelta) -> Answer:
        """See `ports.Graph.create`."""
        return await self._creating.create(request, within)

    async def create_many(
        self, requests: Sequence[CreateRequest], *, within: timedelta
    ) -> tuple[Answer, ...]:
        """See `ports.Graph.create_many`."""
        return await self._creating.create_many(requests, within)

    async def keep_pace(self, account_id: str, *, within: timedelta) -> None:
        """See `ports.Graph.keep_pace`."""
        await self._creating.keep_pace(account_id, within)

    async def walk(
        self,
        request: WalkRequest,
        keep: Keep,
        now: Callable[[], Awaitable[datetime]],
        *,
        step: Callable[[], None] = lambda: None,
    ) -> Walk:
        """See `ports.Graph.walk`. `keep` sees rows before their `data` is read."""
        return await self._looking.walk(request, keep, now, step)

    async def walk_ours(
        self,
        request: WalkRequest,
        label: str,
        keep: Keep,
        now: Callable[[], Awaitable[datetime]],
        *,
        step: Callable[[], None] = lambda: None,
    ) -> Walk | None:
        """See `ports.Graph.walk_ours`."""
        return await self._looking.walk_ours(request, label, keep, now, step)

    async def logged_creations(
        self, account_id: str, since: datetime, until: datetime
    ) -> LoggedCreations | UnreadLog:
        """See `ports.Graph.logged_creations`."""
        return await self._looking.logged_creations(account_id, since, until)

    async def has_label(self, account_id: str, name: str) -> bool | None:
        """See `ports.Graph.has_label`."""
        return await self._looking.has_label(account_id, name)

    async def probe(self, account_id: str) -> bool:
        """See `ports.Graph.probe`."""
        return await self._looking.probe(account_id)

    def is_app_throttled(self, account_id: str) -> bool:
        """See `ports.Graph.is_app_throttled`."""
        try:
            return self._pace.is_app_wide(account_path(account_id))
        except Unsendable:
            return False

    def token_print(self, account_id: str) -> str | None:
        """See `ports.Graph.token_print`. None also for an id that is no account's."""
        try:
            return self._keyring.print_of(account_id)
        except Unsendable:
            return None

    async def aclose(self) -> None:
        """Close all connections."""
        await self._lanes.aclose()
