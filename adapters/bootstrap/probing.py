"""Two cheap reads of an account, told more fully than the port does: for the doctor only."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import httpx

from reconciler.call_outcome import Again

from ..graph.fault import read_fault
from ..graph.outcome import line_of
from ..graph.paging import read_date
from ..graph.paths import Unsendable, labels_edge
from ..graph.reply import Reply
from ..settings import Settings
from .asking import asked_for, content_of, told


@dataclass(frozen=True, slots=True, kw_only=True)
class Probed:
    """What the API said. `clock_difference` is its clock minus ours, None where it told no time.

    `again` is when to ask anew, as for any call; None where no reply came, or nothing was asked.
    `headers` are those of the reply, empty where none came.
    """

    answers: bool
    detail: str
    again: Again | None = None
    clock_difference: timedelta | None = None
    headers: httpx.Headers


async def probe(settings: Settings, account_id: str) -> Probed:
    """Ask for one ad label. Never raises; the detail holds no secret."""
    before = datetime.now(UTC)
    try:
        edge = labels_edge(account_id, "id")
    except Unsendable as error:
        return Probed(answers=False, detail=str(error), headers=httpx.Headers())
    back = await asked_for(settings, edge, {"limit": "1"})
    if not isinstance(back, Reply):
        return Probed(answers=False, detail=told(back), headers=httpx.Headers())
    return _probed(back, before, datetime.now(UTC))


async def label_count(settings: Settings, account_id: str) -> int | None:
    """How many ad labels the account has; None where the API does not say (facts 1.16)."""
    counted = {"limit": "1", "summary": "total_count"}
    summary = content_of(await asked_for(settings, labels_edge(account_id, "id"), counted)).get(
        "summary"
    )
    count = summary.get("total_count") if isinstance(summary, dict) else None
    return count if isinstance(count, int) and not isinstance(count, bool) else None


def _probed(back: Reply, before: datetime, after: datetime) -> Probed:
    date = read_date(back.headers)
    # The header has whole seconds: on average half of one was cut off.
    half = timedelta(seconds=0.5)
    return Probed(
        answers=back.status == 200,
        detail=told(back),
        again=line_of(read_fault(back)).again,
        clock_difference=date + half - (before + (after - before) / 2) if date else None,
        headers=back.headers,
    )
