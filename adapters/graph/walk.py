"""Walks an edge to its end, keeping the rows that matter, or says that it did not get there.

The end is an absent `next` and nothing else (facts 1.2 to 1.5). Everything short of it is an
`IncompleteListing`: a page given up, a cursor that comes again, a bound, rows that cannot be read.
One restart is allowed: a new walk, from the first page, with nothing of the old one. Memory follows
the kept rows, one set of ids, and the cursors; a `Row` is made of the kept ones only.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from reconciler.listing import IncompleteListing, Keep, Listing, Row, Walk, WalkRequest
from reconciler.model import Reason

from .answer import Redact
from .paging import GivenUp, Got, PageReader
from .paths import Edge
from .rows import row_of
from .text import as_stored
from .wire import Page, RowOnWire

RESTARTS_MAX: Final = 1

HALF_A_SECOND: Final = timedelta(milliseconds=500)
"""A `Date` is cut to whole seconds: on average it was half a second later."""

Now = Callable[[], Awaitable[datetime]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How far a walk goes. At either bound it is incomplete, with "cap" in its detail (R032)."""

    pages_max: int
    rows_max: int


@dataclass(slots=True)
class Pass:
    """What one walk has seen. A restart begins with a new one."""

    started_at: datetime | None = None
    asked_at: datetime | None = None
    ids: set[str] = field(default_factory=set)
    kept: dict[str, list[Row]] = field(default_factory=dict)
    cursors: set[str] = field(default_factory=set)
    pages: int = 0
    saw_an_id_twice: bool = False
    clock_differences: list[timedelta] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Restart:
    """This walk proves nothing; another may."""

    detail: str


class Walker:
    """One walk of one edge. Used once."""

    def __init__(
        self,
        *,
        request: WalkRequest,
        edge: Edge,
        reader: PageReader,
        bounds: Bounds,
        redact: Redact,
        keep: Keep,
        now: Now,
        step: Callable[[], None],
    ) -> None:
        self._request = request
        self._edge = edge
        self._reader = reader
        self._bounds = bounds
        self._redact = redact
        self._keep = keep
        self._now = now
        self._step = step
        self._keep_anyway: set[str] = set()
        self._pass = Pass()

    async def run(self) -> Walk:
        """Walk; at most once more after a lost cursor or two readings of which one is gone."""
        detail = ""
        for _ in range(1 + RESTARTS_MAX):
            self._pass = Pass()
            ended = await self._walk_once()
            if not isinstance(ended, _Restart):
                return ended
            detail = ended.detail
        return await self._incomplete(Reason.LISTING_INCOMPLETE, f"{detail}, again after a restart")

    async def _walk_once(self) -> Walk | _Restart:
        after: str | None = None
        for _ in range(self._bounds.pages_max):
            got = await self._reader.read(
                self._edge, after, before_each=self._stamp, step=self._step
            )
            if isinstance(got, GivenUp):
                return await self._given_up(got)
            trouble = await self._take(got)
            if trouble is not None:
                return trouble
            after = got.page.after
            if after is None:
                return await self._complete()
        self._reader.forget_size(self._edge)
        return await self._cap(f"more than {self._bounds.pages_max} pages")

    async def _stamp(self) -> None:
        """Read the ledger's clock just before a request, for the start and the clock difference."""
        self._pass.asked_at = await self._now()
        if self._pass.started_at is None:
            self._pass.started_at = self._pass.asked_at

    async def _take(self, got: Got[Page]) -> Walk | _Restart | None:
        """None: on to the next page, or the end."""
        self._pass.pages += 1
        if self._pass.pages == 1 or got.page.after is None:
            await self._compare_clocks(got.date)
        trouble = self._take_rows(got.page)
        if trouble is not None:
            return trouble
        if len(self._pass.ids) > self._bounds.rows_max:
            return await self._cap(f"more than {self._bounds.rows_max} rows")
        if got.page.after in self._pass.cursors:
            return await self._incomplete(Reason.LISTING_INCOMPLETE, "a cursor came again")
        if got.page.after is not None:
            self._pass.cursors.add(got.page.after)
        return None

    async def _compare_clocks(self, date: datetime | None) -> None:
        asked_at = self._pass.asked_at
        if date is not None and asked_at is not None:
            midpoint = asked_at + (await self._now() - asked_at) / 2
            self._pass.clock_differences.append(date + HALF_A_SECOND - midpoint)

    def _take_rows(self, page: Page) -> _Restart | None:
        seen, keep, anyway = self._pass.ids, self._keep, self._keep_anyway
        for index, wire in enumerate(page.rows):
            if wire.id in seen:
                trouble = self._take_again(wire, page, index)
                if trouble is not None:
                    return trouble
                continue
            seen.add(wire.id)
            if keep(wire) or wire.id in anyway:
                self._pass.kept[wire.id] = [self._whole(page, index)]
        return None

    def _take_again(self, wire: RowOnWire, page: Page, index: int) -> _Restart | None:
        """The same row twice counts once (R031). Two readings are both kept if either is wanted.

        Where the first was narrowed away before the second turned out to be wanted, it is gone: a
        new walk keeps that id whatever it says.
        """
        self._pass.saw_an_id_twice = True
        readings = self._pass.kept.get(wire.id)
        if readings is None and self._keep(wire):
            self._keep_anyway.add(wire.id)
            return _Restart("an id came twice with different data")
        if readings is not None:
            whole = self._whole(page, index)
            readings.extend([] if whole in readings else [whole])
        return None

    def _whole(self, page: Page, index: int) -> Row:
        given = page.given(index)
        return row_of(given, self._request.kind, as_stored(given, self._redact))

    async def _given_up(self, got: GivenUp) -> Walk | _Restart:
        detail = f"page {self._pass.pages + 1}: {got.detail}"
        if got.cursor_is_lost:
            return _Restart(detail)
        return await self._incomplete(got.reason, detail, got.wait)

    async def _cap(self, what: str) -> IncompleteListing:
        return await self._incomplete(Reason.LISTING_INCOMPLETE, f"cap: {what}")

    async def _incomplete(
        self, reason: Reason, detail: str, wait: timedelta | None = None
    ) -> IncompleteListing:
        ended_at = await self._now()
        return IncompleteListing(
            request=self._request,
            reason=reason,
            detail=detail,
            pages=self._pass.pages,
            row_count=len(self._pass.ids),
            started_at=self._pass.started_at or ended_at,
            ended_at=ended_at,
            wait=wait,
        )

    async def _complete(self) -> Listing:
        ended_at = await self._now()
        return Listing(
            request=self._request,
            rows=tuple(row for readings in self._pass.kept.values() for row in readings),
            pages=self._pass.pages,
            row_count=len(self._pass.ids),
            started_at=self._pass.started_at or ended_at,
            ended_at=ended_at,
            clock_difference=max(self._pass.clock_differences, key=abs, default=None),
            saw_an_id_twice=self._pass.saw_an_id_twice,
        )
