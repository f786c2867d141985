"""Gets one page of a list: asks again, with a smaller page where it was too heavy, or gives up.

A page asked again with the same cursor belongs to the same walk (facts 1.15), so nothing here can
skip a row: it returns the page after the cursor, or says why there is none.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final, Generic, TypeVar

import httpx

from reconciler.call_outcome import Again
from reconciler.model import Reason

from .answer import Redact, short
from .fault import read_fault
from .outcome import APP_WIDE, line_of
from .pace import Pace
from .paths import Edge
from .reply import NoReply, Reply
from .requests import Requests
from .sending import Sender
from .throttle import wait_asked
from .wire import NotAPage, Page, read_page

TRIES_MAX: Final = 3
"""Requests for one page that may fail by trouble on the way; then the walk is given up."""

PAUSE: Final = timedelta(milliseconds=200)
"""Doubled with each failure, full jitter: 0.6 s in all on average. A look holds a lease."""

HALVINGS_MAX: Final = 20
"""From any page size the API takes (10 digits at most) down to one row."""

PAGE_BODY_MAX: Final = 64 * 2**20
"""Bytes; 500 rows of what we ask for take 0.3 MB."""

EDGES_REMEMBERED_MAX: Final = 10_000

LOST_CURSOR: Final = "E39"
TOO_HEAVY: Final = "E03"


P = TypeVar("P")

ReadBody = Callable[[bytes], P | NotAPage]
"""From the body of a 200 to a page of one kind, or why it is none."""


@dataclass(frozen=True, slots=True)
class Got(Generic[P]):
    """A page. `date` is the API's clock as it answered, None where no `Date` could be read."""

    page: P
    date: datetime | None


async def _nothing() -> None:
    """No clock is read before a request."""


def _no_step() -> None:
    """Nobody watches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenUp:
    """No page. `detail` is redacted; `cursor_is_lost` asks for a new walk (facts 1.9)."""

    reason: Reason
    detail: str
    wait: timedelta | None = None
    cursor_is_lost: bool = False


@dataclass(frozen=True, slots=True)
class _AskAgain:
    """Not this time. `smaller`: never unchanged (facts 1.13)."""

    detail: str
    smaller: bool = False


class PageSizes:
    """The rows to ask for at once, remembered per edge in this process: what worked stays."""

    def __init__(self, default: int) -> None:
        self._default = default
        self._sizes: OrderedDict[str, int] = OrderedDict()

    def of(self, edge: Edge) -> int:
        """The size to ask for now."""
        return self._sizes.get(edge.path, self._default)

    def halve(self, edge: Edge, asked: int) -> bool:
        """Ask for half of what was too much, or less, from now on; False where that was one row.

        What was asked counts: ten walks of one edge that fail together halve it once, not ten
        times.
        """
        self._sizes[edge.path] = min(self.of(edge), max(1, asked // 2))
        if len(self._sizes) > EDGES_REMEMBERED_MAX:
            self._sizes.popitem(last=False)
        return asked > 1

    def forget(self, edge: Edge) -> None:
        """Begin with the default again: what is remembered did not work."""
        self._sizes.pop(edge.path, None)


class PageReader:
    """Reads pages of any edge. `sleep` and `fraction` (0 to 1) are passed in, for tests."""

    def __init__(
        self,
        *,
        requests: Requests,
        sender: Sender,
        pace: Pace,
        sizes: PageSizes,
        redact: Redact,
        within: timedelta,
        sleep: Callable[[timedelta], Awaitable[None]],
        fraction: Callable[[], float],
    ) -> None:
        self._requests = requests
        self._sender = sender
        self._pace = pace
        self._sizes = sizes
        self._redact = redact
        self._within = within
        self._sleep = sleep
        self._fraction = fraction

    async def read(
        self,
        edge: Edge,
        after: str | None,
        *,
        before_each: Callable[[], Awaitable[None]],
        step: Callable[[], None],
    ) -> Got[Page] | GivenUp:
        """The page after a cursor (None: the first). `step` is called as each request ends."""
        return await self.read_as(read_page, edge, after, before_each=before_each, step=step)

    async def read_as(
        self,
        read_body: ReadBody[P],
        edge: Edge,
        after: str | None,
        *,
        before_each: Callable[[], Awaitable[None]] = _nothing,
        step: Callable[[], None] = _no_step,
    ) -> Got[P] | GivenUp:
        """The same of a list of another kind, whose pages `read_body` reads."""
        failures = 0
        for _ in range(TRIES_MAX + HALVINGS_MAX):
            blocked = await self._paced(edge)
            if blocked is not None:
                return blocked
            await before_each()
            limit = self._sizes.of(edge)
            found = await self._ask(read_body, edge, after, limit)
            step()
            if not isinstance(found, _AskAgain):
                return found
            if found.smaller and self._sizes.halve(edge, limit):
                continue
            failures += 1
            if found.smaller:
                self._sizes.forget(edge)
            if found.smaller or failures == TRIES_MAX:
                return GivenUp(reason=Reason.LISTING_INCOMPLETE, detail=found.detail)
            await self._sleep(PAUSE * 2**failures * self._fraction())
        return GivenUp(reason=Reason.LISTING_INCOMPLETE, detail="asked too often")

    def forget_size(self, edge: Edge) -> None:
        """The next walk begins with full pages: in small ones this one never got to its end."""
        self._sizes.forget(edge)

    async def _paced(self, edge: Edge) -> GivenUp | None:
        """Waits as the account's usage asks; where it is to be left alone, the look ends here."""
        if (pause := self._pace.pause(edge.account_id, self._within)) > timedelta(0):
            await self._sleep(pause)
        block = self._pace.block(edge.account_id)
        if block is None:
            return None
        return GivenUp(reason=Reason.THROTTLED, detail=block.why, wait=block.wait)

    async def _ask(
        self, read_body: ReadBody[P], edge: Edge, after: str | None, limit: int
    ) -> Got[P] | GivenUp | _AskAgain:
        page = {"limit": str(limit)}
        outgoing = self._requests.page(edge, page if after is None else {**page, "after": after})
        if outgoing is None:
            return GivenUp(reason=Reason.ACCESS, detail=f"no token for {edge.account_id}")
        back = await self._sender.send(outgoing, self._within, PAGE_BODY_MAX)
        if isinstance(back, NoReply):
            return _AskAgain(short(back.message, self._redact), smaller=back.is_too_large)
        return self._judged(read_body, edge, back)

    def _judged(
        self, read_body: ReadBody[P], edge: Edge, reply: Reply
    ) -> Got[P] | GivenUp | _AskAgain:
        """A page only from a 200 (facts 2.8: an error may hide in one)."""
        page = read_body(reply.body) if reply.status == 200 else NotAPage("")
        if isinstance(page, NotAPage):
            return self._trouble(edge, reply, page.why)
        self._pace.note(edge.account_id, reply.headers)
        return Got(page, read_date(reply.headers))

    def _trouble(self, edge: Edge, reply: Reply, why: str) -> GivenUp | _AskAgain:
        """The outcome table, read for a listing: what may be asked again, and when."""
        fault = read_fault(reply)
        line = line_of(fault)
        is_throttle = line.again is Again.THROTTLED
        is_app_wide = line.number in APP_WIDE
        self._pace.note(
            edge.account_id, reply.headers, is_throttle=is_throttle, is_app_wide=is_app_wide
        )
        numbers = f"HTTP {fault.status}, code {fault.code}, subcode {fault.subcode}"
        trace = f", trace {fault.trace_id}" if fault.trace_id else ""
        detail = short(f"{numbers}{trace}: {fault.message or why}", self._redact)
        if line.number == TOO_HEAVY:
            return _AskAgain(detail, smaller=True)
        if line.number != LOST_CURSOR and line.again is Again.BACKOFF:
            return _AskAgain(detail)
        return GivenUp(
            reason=_REASONS.get(line.again, Reason.LISTING_INCOMPLETE),
            detail=detail,
            wait=wait_asked(reply.headers) if is_throttle else None,
            cursor_is_lost=line.number == LOST_CURSOR,
        )


_REASONS: Final = {Again.THROTTLED: Reason.THROTTLED, Again.ACCESS: Reason.ACCESS}


def read_date(headers: httpx.Headers) -> datetime | None:
    """The `Date` header, whole seconds, aware; None where it is missing or no HTTP date."""
    try:
        date = parsedate_to_datetime(headers.get("date", ""))
    except (ValueError, TypeError, OverflowError):
        return None
    return date if date.tzinfo is not None else None
