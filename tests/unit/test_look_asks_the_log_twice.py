"""A look whose second walk shows a new row asks the activity log again, and forgets nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from fixtures.funnel_world import (
    LIMITS,
    all_told,
    attempt,
    bare,
    call,
    document,
    item,
    seconds,
    walk,
)
from reconciler.activity_log import MARGIN, Creation, LoggedCreations, UnreadLog
from reconciler.listing import Keep, Listing, Row, WalkRequest
from reconciler.look import look
from reconciler.outside import Outside
from reconciler.policy import Legacy
from reconciler.ports import Around, Surroundings

FIRST, SECOND = (0, 300), (4_000, 4_300)
"""Start and end of two attempts, far apart."""

TWO_TIMES = document(
    item("a1", "Spring", part=None, calls=(call(attempt=1),)),
    item("a2", "Autumn", part=None, calls=(call(attempt=2, start=SECOND[0] + 1),)),
    attempts=tuple(
        attempt(number, start=start, lease=end)
        for number, (start, end) in enumerate((FIRST, SECOND), 1)
    ),
    part=None,
)
THEIRS = bare("1001", "Spring", created=FIRST[0] + 4)
OURS = bare("1002", "Autumn", created=SECOND[0] + 4)
MADE = (Creation("1001", "88002", seconds(4)), Creation("1002", "77001", seconds(4_004)))


@dataclass(slots=True)
class Api:
    """Each walk shows what it is told to; the log is what was made, or is hidden from then on."""

    walks: list[tuple[Row, ...]]
    reads_shown: int = 9
    reads: list[tuple[datetime, datetime]] = field(default_factory=list)
    seconds_passed: int = 6_000

    async def walk(self, request: WalkRequest, keep: Keep, *_: Any, **__: Any) -> Listing:
        self.seconds_passed += 10
        rows = filter(keep, self.walks.pop(0))
        return walk(*rows, statuses=request.statuses, started_at=seconds(self.seconds_passed))

    async def logged_creations(
        self, _: str, since: datetime, until: datetime
    ) -> LoggedCreations | UnreadLog:
        self.reads.append((since, until))
        if len(self.reads) > self.reads_shown:
            return UnreadLog()
        first, behind = since - MARGIN, until + MARGIN
        return LoggedCreations(
            creations=tuple(one for one in MADE if one.at and first <= one.at < behind)
        )

    async def now(self) -> datetime:
        return seconds(self.seconds_passed)

    async def around(self, _: str, __: Around) -> Surroundings:
        return Surroundings()


async def said(api: Api) -> dict[str, str]:
    ports: Any = {"ledger": api, "graph": api, "clock": None, "chance": None}
    outside = Outside(**ports, limits=LIMITS, owner="us", legacy=Legacy(app_id="77001"))
    return all_told((await look(TWO_TIMES, TWO_TIMES.items, outside)).judgement)


async def test_what_the_first_question_was_told_stands_beside_the_second() -> None:
    """The second one reaches over the window of one item only."""
    api = Api([(THEIRS,), (THEIRS, OURS)])

    assert await said(api) == {"a1": "absent", "a2": "found 1002 by provenance"}
    (first, _), (second, _) = api.reads
    assert first < seconds(4) < second


async def test_it_stands_too_where_the_second_is_not_answered() -> None:
    api = Api([(THEIRS,), (THEIRS, OURS)], reads_shown=1)

    assert await said(api) == {"a1": "absent", "a2": "found 1002 by name_and_time"}
