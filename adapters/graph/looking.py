"""What the client reads: walks, whole or narrowed, the activity log, labels, and cheap probes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Final

from reconciler.activity_log import LoggedCreations, UnreadLog
from reconciler.listing import IncompleteListing, Keep, Listing, Walk, WalkRequest
from reconciler.model import Reason

from .activities import activities_edge, read_creations
from .answer import Redact, short
from .narrowing import IGNORED, Narrowing, Strayed, narrowed, only_with
from .pace import Pace
from .paging import GivenUp, PageReader
from .paths import Edge, Unsendable, account_path, children_edge, labels_edge
from .reply import NoReply
from .requests import Requests
from .sending import Sender
from .walk import Bounds, Walker
from .wire import Page, read_page

PROBE_BODY_MAX: Final = 2**20
"""Bytes of the reply to a probe; one label has fewer than a hundred."""

Now = Callable[[], Awaitable[datetime]]


class Looking:
    """What the client does to look. Sends GET only."""

    def __init__(
        self,
        *,
        requests: Requests,
        sender: Sender,
        pace: Pace,
        reader: PageReader,
        bounds: Bounds,
        narrowing: Narrowing,
        redact: Redact,
        within: timedelta,
    ) -> None:
        self._requests = requests
        self._sender = sender
        self._pace = pace
        self._reader = reader
        self._bounds = bounds
        self._narrowing = narrowing
        self._redact = redact
        self._within = within

    async def walk(
        self, request: WalkRequest, keep: Keep, now: Now, step: Callable[[], None]
    ) -> Walk:
        """What cannot be asked for is a walk that shows nothing."""
        try:
            edge = children_edge(request)
        except Unsendable as error:
            return await self._unwalkable(request, str(error), now)
        return await self._walker(request, edge, keep, now, step).run()

    async def walk_ours(
        self, request: WalkRequest, label: str, keep: Keep, now: Now, step: Callable[[], None]
    ) -> Walk | None:
        """Where it did not end, the whole walk is to find out why."""
        try:
            edge = narrowed(children_edge(request), label)
        except Unsendable:
            return None
        if not self._narrowing.is_on(edge.account_id, request.kind):
            return None
        try:
            walk = await self._walker(request, edge, only_with(label, keep), now, step).run()
        except Strayed:
            self._narrowing.turn_off(edge.account_id, IGNORED)
            return None
        if isinstance(walk, IncompleteListing) and walk.reason is Reason.LISTING_INCOMPLETE:
            self._narrowing.turn_off(edge.account_id, walk.detail)
        return walk if isinstance(walk, Listing) else None

    def _walker(
        self, request: WalkRequest, edge: Edge, keep: Keep, now: Now, step: Callable[[], None]
    ) -> Walker:
        return Walker(
            request=request,
            edge=edge,
            reader=self._reader,
            bounds=self._bounds,
            redact=self._redact,
            keep=keep,
            now=now,
            step=step,
        )

    async def logged_creations(
        self, account_id: str, since: datetime, until: datetime
    ) -> LoggedCreations | UnreadLog:
        """From the activity log of these times."""
        try:
            edge = activities_edge(account_id, since, until)
        except Unsendable:
            return UnreadLog()
        return await read_creations(self._reader, edge)

    async def has_label(self, account_id: str, name: str) -> bool | None:
        """Compared exactly; stops at the first label of that name."""
        try:
            edge = labels_edge(account_id, "id,name")
        except Unsendable:
            return None
        return await self._has_label(edge, name)

    async def _has_label(self, edge: Edge, name: str) -> bool | None:
        after: str | None = None
        for _ in range(self._bounds.pages_max):
            got = await self._reader.read_as(read_page, edge, after)
            if isinstance(got, GivenUp):
                return None
            if any(row.name == name for row in got.page.rows):
                return True
            if got.page.after is None:
                return False
            if got.page.after == after:
                return None
            after = got.page.after
        return None

    async def probe(self, account_id: str) -> bool:
        """One request, never asked again: the account may be throttled."""
        try:
            outgoing = self._requests.page(labels_edge(account_id, "id"), {"limit": "1"})
        except Unsendable:
            return False
        if outgoing is None or self._pace.block(account_path(account_id)) is not None:
            return False
        back = await self._sender.send(outgoing, self._within, PROBE_BODY_MAX)
        if isinstance(back, NoReply):
            return False
        self._pace.note(account_path(account_id), back.headers)
        return back.status == 200 and isinstance(read_page(back.body), Page)

    async def _unwalkable(self, request: WalkRequest, why: str, now: Now) -> IncompleteListing:
        at = await now()
        return IncompleteListing(
            request=request,
            reason=Reason.LISTING_INCOMPLETE,
            detail=short(why, self._redact),
            pages=0,
            row_count=0,
            started_at=at,
            ended_at=at,
        )
