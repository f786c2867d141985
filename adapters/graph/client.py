"""The `Graph` port over real HTTP: one create at most once, walks proven complete, cheap probes."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

import httpx
from pydantic import SecretStr

from reconciler.call_outcome import Again, Answer, CreateRequest
from reconciler.errors import InvalidSettings
from reconciler.listing import IncompleteListing, Keep, Listing, Walk, WalkRequest
from reconciler.model import CallError, Outcome, Reason

from .activities import activities_edge, read_apps
from .answer import answer_to_create, short
from .create_batch import answers_to_batch, operation
from .narrowing import IGNORED, Narrowing, Strayed, narrowed, only_with
from .outcome import APP_WIDE
from .pace import Block, Pace
from .paging import GivenUp, PageReader, PageSizes
from .paths import Edge, Endpoint, Unsendable, account_path, children_edge, labels_edge
from .redaction import Redaction
from .reply import NoReply
from .requests import Requests
from .sending import Outgoing, Sender
from .tokens import Keyring, TokenSource
from .transport import IN_FLIGHT_PER_CLIENT, Lanes
from .walk import Bounds, Walker
from .wire import Page, read_page

CREATE_BODY_MAX: Final = 2**20
"""Bytes of the reply to one POST; a real create's has fewer than a hundred."""

READS_AT_ONCE: Final = 32
"""Walks of as many accounts go on side by side; each waits for the API nearly all the time."""

LOCAL: Final = "local"
"""The `row` of an error that was found before anything was sent, so by no line of the table."""


async def _sleep(duration: timedelta) -> None:
    await asyncio.sleep(duration.total_seconds())


class GraphClient:
    """One per process and event loop; safe for any number of tasks. Close it with `aclose`.

    `tokens` is asked for an account's token before each request. `concurrency` is how many creates
    run at once; reads get `READS_AT_ONCE` slots beside them. `read_timeout` is the deadline of one
    page, `throttle_max_wait` the longest that a usage header may keep it from asking. `narrows`:
    what bears our label is asked for first. `transport` None is the real network. Installs the
    redaction on the HTTP libraries' loggers.
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
        sleep: Callable[[timedelta], Awaitable[None]] = _sleep,
        fraction: Callable[[], float] = random.random,
    ) -> None:
        if min(page_size, max_pages, max_rows, concurrency) < 1:
            raise InvalidSettings("page size, bounds and concurrency must be at least 1")
        self._redact = redaction or Redaction()
        self._redact.guard_logging()
        self._keyring = Keyring(tokens, app_secret, self._redact)
        self._requests = Requests(Endpoint(url, version), self._keyring)
        slots = concurrency + READS_AT_ONCE
        self._lanes = Lanes(-(-slots // IN_FLIGHT_PER_CLIENT), url, transport)
        self._sender = Sender(self._lanes)
        self._bounds = Bounds(pages_max=max_pages, rows_max=max_rows)
        self._read_timeout = read_timeout
        self._pace = Pace(throttle_max_wait, self.token_print)
        self._narrowing = Narrowing(is_on=narrows)
        self._sleep = sleep
        self._reader = PageReader(
            requests=self._requests,
            sender=self._sender,
            pace=self._pace,
            sizes=PageSizes(page_size),
            redact=self._redact,
            within=read_timeout,
            sleep=sleep,
            fraction=fraction,
        )

    async def create(self, request: CreateRequest, *, within: timedelta) -> Answer:
        """See `ports.Graph.create`. What cannot be sent at all is answered without sending."""
        try:
            outgoing = self._requests.create(request)
        except Unsendable as error:
            return self._not_sent(Outcome.REJECTED, Again.NEVER, str(error))
        if outgoing is None:
            return self._without_token()
        return await self._create(account_path(request.account_id), outgoing, within)

    async def _create(self, account: str, outgoing: Outgoing, within: timedelta) -> Answer:
        """Never waits by itself: between the check of the lease and the request nothing passes."""
        if (block := self._pace.block(account)) is not None:
            return self._blocked(block)
        back = await self._sender.send(outgoing, within, CREATE_BODY_MAX)
        answer = answer_to_create(back, self._redact)
        return answer if isinstance(back, NoReply) else self._noted(account, answer, back.headers)

    async def create_many(
        self, requests: Sequence[CreateRequest], *, within: timedelta
    ) -> tuple[Answer, ...]:
        """See `ports.Graph.create_many`. What cannot be sent is answered without keeping others."""
        operations: dict[int, dict[str, Any]] = {}
        answers: dict[int, Answer] = {}
        for place, request in enumerate(requests):
            try:
                operations[place] = operation(request)
            except Unsendable as error:
                answers[place] = self._not_sent(Outcome.REJECTED, Again.NEVER, str(error))
        if operations:
            sent = [requests[place] for place in operations]
            told = await self._create_many(sent, list(operations.values()), within)
            answers.update(zip(operations, told, strict=True))
        return tuple(answers[place] for place in range(len(requests)))

    async def _create_many(
        self, sent: list[CreateRequest], operations: list[dict[str, Any]], within: timedelta
    ) -> list[Answer]:
        account = account_path(sent[0].account_id)
        if any(account_path(request.account_id) != account for request in sent):
            raise AssertionError("the creates of one request are of one account")
        outgoing = self._requests.create_many(account, operations)
        if outgoing is None:
            return [self._without_token()] * len(sent)
        if (block := self._pace.block(account)) is not None:
            return [self._blocked(block)] * len(sent)
        back = await self._sender.send(outgoing, within, CREATE_BODY_MAX)
        told = answers_to_batch(back, sent, self._redact)
        return [self._noted(account, child.answer, child.headers) for child in told]

    async def keep_pace(self, account_id: str, *, within: timedelta) -> None:
        """See `ports.Graph.keep_pace`. No wait for an id that is no account's."""
        try:
            pause = self._pace.pause(account_path(account_id), within)
        except Unsendable:
            return
        if pause > timedelta(0):
            await self._sleep(pause)

    def _noted(self, account: str, answer: Answer, headers: httpx.Headers) -> Answer:
        """A clear answer may announce that the next one would be refused: then it says so too."""
        is_throttle = answer.again is Again.THROTTLED
        is_app_wide = answer.error is not None and answer.error.row in APP_WIDE
        block = self._pace.note(account, headers, is_throttle=is_throttle, is_app_wide=is_app_wide)
        announces = block is not None and answer.outcome in (Outcome.CREATED, Outcome.REJECTED)
        return replace(answer, again=Again.THROTTLED, wait=block) if announces else answer

    async def walk(
        self,
        request: WalkRequest,
        keep: Keep,
        now: Callable[[], Awaitable[datetime]],
        *,
        step: Callable[[], None] = lambda: None,
    ) -> Walk:
        """See `ports.Graph.walk`. `keep` sees rows before their `data` is read."""
        try:
            edge = children_edge(request)
        except Unsendable as error:
            return await self._unwalkable(request, str(error), now)
        return await self._walker(request, edge, keep, now, step).run()

    async def walk_ours(
        self,
        request: WalkRequest,
        label: str,
        keep: Keep,
        now: Callable[[], Awaitable[datetime]],
        *,
        step: Callable[[], None] = lambda: None,
    ) -> Walk | None:
        """See `ports.Graph.walk_ours`. Where it did not end, the whole walk is to find out why."""
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
        self,
        request: WalkRequest,
        edge: Edge,
        keep: Keep,
        now: Callable[[], Awaitable[datetime]],
        step: Callable[[], None],
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

    async def apps_that_made(
        self, account_id: str, ids: frozenset[str], since: datetime, until: datetime
    ) -> Mapping[str, str] | None:
        """See `ports.Graph.apps_that_made`."""
        try:
            edge = activities_edge(account_id, since, until)
        except Unsendable:
            return None
        return await read_apps(self._reader, edge, ids)

    async def has_label(self, account_id: str, name: str) -> bool | None:
        """See `ports.Graph.has_label`. Compared exactly; stops at the first label of that name."""
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
        """See `ports.Graph.probe`. One request, never asked again: the account may be throttled."""
        try:
            outgoing = self._requests.page(labels_edge(account_id, "id"), {"limit": "1"})
        except Unsendable:
            return False
        if outgoing is None or self._pace.block(account_path(account_id)) is not None:
            return False
        back = await self._sender.send(outgoing, self._read_timeout, CREATE_BODY_MAX)
        if isinstance(back, NoReply):
            return False
        self._pace.note(account_path(account_id), back.headers)
        return back.status == 200 and isinstance(read_page(back.body), Page)

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

    def _blocked(self, block: Block) -> Answer:
        error = CallError(row=LOCAL, message=block.why)
        outcome, again = Outcome.NOT_SENT, Again.THROTTLED
        return Answer(outcome=outcome, again=again, error=error, wait=block.wait)

    def _without_token(self) -> Answer:
        return self._not_sent(Outcome.NOT_SENT, Again.ACCESS, "no token for this account")

    def _not_sent(self, outcome: Outcome, again: Again, why: str) -> Answer:
        error = CallError(row=LOCAL, message=short(why, self._redact))
        return Answer(outcome=outcome, again=again, error=error)

    async def _unwalkable(
        self, request: WalkRequest, why: str, now: Callable[[], Awaitable[datetime]]
    ) -> IncompleteListing:
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
