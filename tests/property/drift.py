"""What may happen to an edge while somebody pages through it, none of which hides a lasting row.

Each request meets one happening. Deleting and renaming spare the rows that last; what a page
passes by, a later one gives. So whoever reads to the end has been given every row that was there
throughout, however odd the way.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

import httpx
from hypothesis import strategies as st

from fixtures.graph import FakeGraph, GraphError
from fixtures.graph.answering import trace_id
from fixtures.graph.call import Call
from fixtures.graph.fault import Fault, Proceed, Setting, at_listings
from fixtures.graph.graph_error import bad_cursor, too_deep, too_heavy_page, unknown_failure
from fixtures.graph.reply import Reply, raw_reply, refused
from fixtures.graph.world import World


class What(StrEnum):
    """Happenings, from the harmless to those that must end the walk. Each takes a small number."""

    CALM = "calm"
    INSERT = "insert"  # others create rows at the head
    DELETE = "delete"  # others delete a row that need not last: shown or not, the cursor's too
    RENAME = "rename"  # others rename one
    REPEAT = "repeat"  # the page begins with rows of the one before
    POSTPONE = "postpone"  # the page passes rows by, and the next gives them: another order
    SHUFFLE = "shuffle"  # the page gives its rows backwards
    EMPTY = "empty"  # no rows, and `next`
    CLAMP = "clamp"  # from now on pages are this small, whatever is asked for
    HEAVY = "heavy"  # from now on larger pages are too heavy
    NO_CURSORS = "no cursors"  # `next` alone
    NUMBERS = "numbers"  # ids as numbers
    SPARSE = "sparse"  # rows are nothing but their id and name
    TROUBLE = "trouble"  # one failure that may pass
    LOST = "lost"  # all cursors are lost
    SAME_CURSOR = "same cursor"  # `next` leads to the same page again
    THROTTLED = "throttled"
    TOO_DEEP = "too deep"


HARD: Final = frozenset({What.SAME_CURSOR, What.THROTTLED, What.TOO_DEEP})
"""No walk can go on after one of these."""

Happening = tuple[What, int]
happenings = st.tuples(st.sampled_from(What), st.integers(1, 4))


@dataclass
class Drift:
    """Lets happenings befall the listings of an ad set of `count` ads, one a request, in order.

    `lasting` are the ids that no happening touches; `given` what the walk since its last beginning
    was given, `ended` whether it was told that this is the end.
    """

    graph: FakeGraph
    count: int
    lasting: set[str] = field(default_factory=set)
    given: list[str] = field(default_factory=list)
    ended: bool = False
    _passing: list[str] = field(default_factory=list)
    _owed: int = 0
    _light_enough: int = 1_000_000
    _happenings: list[Happening] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Every third ad is one that others will delete or rename."""
        for number in range(self.count):
            made = self.graph.world.colleague_creates("ads", f"ad {number}", parent_id="2001")
            passing = number % 3 == 1
            self._passing.append(made.id) if passing else self.lasting.add(made.id)

    def befalls(self, happenings: Iterable[Happening]) -> None:
        """Begin. After the last of them all is calm."""
        self._happenings = list(happenings)
        self.graph.faults.add(Fault("drift", at_listings, strike=self._strike, lasting=True))

    async def _strike(self, call: Call, proceed: Proceed, setting: Setting) -> Reply:
        if "after" not in call.query:
            self.given, self.ended, self._owed = [], False, 0
        what, number = self._happenings.pop(0) if self._happenings else (What.CALM, 0)
        self._begins(what, number, setting.world)
        reply = self._refusal(what, number, call) or await self._page(what, number, call, proceed)
        self._note(reply)
        self._follows(what, number, setting.world)
        return reply

    def _begins(self, what: What, number: int, world: World) -> None:
        if what is What.CLAMP:
            world.options.limit_max = number
        elif what is What.HEAVY:
            self._light_enough = number
        elif what is What.LOST:
            world.invalidate_cursors()

    def _refusal(self, what: What, number: int, call: Call) -> Reply | None:
        if int(call.query["limit"]) > self._light_enough:
            return refused(too_heavy_page(), trace_id(call))
        match what:
            case What.LOST if "after" in call.query:
                return refused(bad_cursor(), trace_id(call))
            case What.TROUBLE:
                return _trouble(number, trace_id(call))
            case What.THROTTLED:
                return refused(GraphError(80004, subcode=2446079), trace_id(call))
            case What.TOO_DEEP:
                return refused(too_deep(), trace_id(call))
        return None

    async def _page(self, what: What, number: int, call: Call, proceed: Proceed) -> Reply:
        # Never the whole page before: a cursor that comes again is no progress to any walk.
        rows_max = min(int(call.query["limit"]), self.graph.world.options.limit_max)
        repeated = min(number, rows_max - 1) if what is What.REPEAT else 0
        call.overlap = self._owed + repeated
        call.is_blank = what is What.EMPTY
        call.repeats_cursor = what is What.SAME_CURSOR
        call.skip = number if what is What.POSTPONE and not self._owed else 0
        reply = await proceed(call)
        if call.skip and not _next_in(reply):  # nothing after it could give what it passed by
            call.skip = 0
            reply = await proceed(call)
        if reply.status == 200:
            self._owed = call.skip and call.skip + len(_rows(reply))
            _dress(what, reply)
        return reply

    def _note(self, reply: Reply) -> None:
        if reply.status == 200 and isinstance(reply.payload, dict):
            self.given += [str(row["id"]) for row in _rows(reply)]
            self.ended = not _next_in(reply)

    def _follows(self, what: What, number: int, world: World) -> None:
        if what is What.INSERT:
            for _ in range(number):
                world.colleague_creates("ads", "new", parent_id="2001")
        elif what is What.DELETE and self._passing and world.options.cursor_binding == "item":
            world.delete(self._passing.pop(-1 if number % 2 else 0))
        elif what is What.RENAME and self._passing:
            world.rename(self._passing[number % len(self._passing)], f"renamed {number}")


def _trouble(number: int, trace: str) -> Reply:
    """One of the failures that may pass."""
    if number == 1:
        return refused(unknown_failure(), trace)
    if number == 2:
        return raw_reply(b"<html>502</html>", status=502)
    if number == 3:
        return raw_reply(b"Service Unavailable")
    raise httpx.ReadError("reset")


def _rows(reply: Reply) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = reply.payload["data"]
    return rows


def _next_in(reply: Reply) -> bool:
    return isinstance(reply.payload, dict) and "next" in reply.payload.get("paging", {})


def _dress(what: What, reply: Reply) -> None:
    """The same rows in another guise."""
    match what:
        case What.SHUFFLE:
            _rows(reply).reverse()
        case What.NO_CURSORS:
            reply.payload.get("paging", {}).pop("cursors", None)
        case What.NUMBERS:
            for row in _rows(reply):
                row["id"] = int(row["id"])
        case What.SPARSE:
            reply.payload["data"] = [
                {name: row[name] for name in ("id", "name")} for row in _rows(reply)
            ]
