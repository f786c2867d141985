"""Where a name would decide: what the activity log is asked, and what its answer changes.

A look of one document and a batch ask the same, and take the same for an answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

from .activity_log import MARGIN, Creation
from .copying import replace
from .listing import Listing
from .model import Attempt, Document, Grade, Intent, Item, Reason, Timings
from .policy import Policy, is_in_log
from .settling import settle_at, window
from .verdict import Found, Inconclusive, Verdict

SAID_BY_NAMES: Final = frozenset(
    {Reason.AMBIGUOUS, Reason.CONTESTED, Reason.OVER_CAP, Reason.PROVENANCE}
)
"""What keeps a verdict from being given may be another app's rows."""


class Said(StrEnum):
    """How a question to the log ended. *Closed.*"""

    TOLD = "told"
    UNREAD = "unread"  # the API did not show it: judged as without the log
    BEYOND = "beyond"  # a bound of ours forbade to read it: nothing is claimed without it


@dataclass(frozen=True, slots=True, kw_only=True)
class LogAnswer:
    """What the log says of the rows that it was asked about: id to the app that created it."""

    said: Said
    apps: Mapping[str, str] = field(default_factory=dict)

    def added_to(self, policy: Policy) -> Policy:
        """The rules, with what it says."""
        if self.said is Said.UNREAD:
            return policy
        return replace(policy, provenance=self.apps, must_be_logged=self.said is Said.BEYOND)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Who made the entities of these ids, by the rows between two moments, `MARGIN` added.

    `settled` is the ledger time from which on the log may be read for it.
    """

    ids: frozenset[str]
    since: datetime
    until: datetime
    settled: datetime | None

    @property
    def seconds(self) -> tuple[int, int]:
        """First second of the time it is about, and the first one behind it."""
        return seconds_of(self.since, self.until)

    def is_about(self, creation: Creation) -> bool:
        """Whether this row belongs to the answer."""
        if creation.external_id not in self.ids:
            return False
        first, behind = self.seconds
        return creation.at is None or first <= creation.at.timestamp() < behind

    def told(self, creations: Iterable[Creation]) -> Mapping[str, str]:
        """The app of each id that is told of.

        An entity that two rows give to two apps is left out: one of them is wrong.
        """
        apps: dict[str, set[str]] = {}
        for creation in filter(self.is_about, creations):
            apps.setdefault(creation.external_id, set()).add(creation.app_id)
        return {one: app for one, those in apps.items() if len(those) == 1 for app in those}


def seconds_of(since: datetime, until: datetime) -> tuple[int, int]:
    """First second of a time with its margin, and the first one behind it."""
    return int((since - MARGIN).timestamp()), int((until + MARGIN).timestamp())


def question_of(
    document: Document,
    judged: Iterable[Item],
    verdicts: Mapping[str, Verdict],
    listings: Iterable[Listing],
    current: Timings,
) -> Question | None:
    """What to ask of a document that was judged so, without the log; None: no name decides.

    As far as the windows of what is judged by name reach, about every row that was listed.
    """
    by_name = list(_by_name(judged, verdicts))
    spans = [span for one in by_name for span in window(one, document.attempts, current)]
    ids = frozenset(row.id for walk in listings for row in walk.rows)
    if not spans or not ids:
        return None
    return Question(
        ids=ids,
        since=min(start for start, _ in spans),
        until=max(end for _, end in spans),
        settled=_settled(by_name, document.attempts, current),
    )


def reach_of(
    document: Document, judged: Iterable[Item], current: Timings
) -> tuple[datetime, datetime] | None:
    """As far as any question about these items can reach; None: the log is not asked about any."""
    intents = [item.intent for item in judged if item.intent and is_in_log(item.intent)]
    spans = [span for one in intents for span in window(one, document.attempts, current)]
    if not spans:
        return None
    return min(start for start, _ in spans), max(end for _, end in spans)


def left_to_log(verdicts: Mapping[str, Verdict]) -> tuple[str, ...]:
    """Ids of the rows for which only their names speak, and perhaps the log, which was read.

    Of one name no more are known than its evidence shows (`EXAMPLES_MAX`); such a crowd is never
    claimed.
    """
    return tuple(sorted({row for said in verdicts.values() for row in _left(said)}))


def _left(verdict: Verdict) -> Iterable[str]:
    """Nothing of an item of which something else keeps the verdict, for then nobody asks."""
    if isinstance(verdict, Inconclusive) and verdict.reason not in SAID_BY_NAMES:
        return ()
    return verdict.evidence.body.get("log") or ()


def _by_name(judged: Iterable[Item], verdicts: Mapping[str, Verdict]) -> Iterable[Intent]:
    """Intents found by name, or not found only because too many rows have it or the log must
    tell."""
    for item in judged:
        said = verdicts.get(item.key)
        if item.intent is not None and is_in_log(item.intent) and _is_by_name(said):
            yield item.intent


def _is_by_name(verdict: Verdict | None) -> bool:
    if isinstance(verdict, Found):
        return verdict.grade is Grade.NAME_AND_TIME
    return isinstance(verdict, Inconclusive) and verdict.reason in SAID_BY_NAMES


def _settled(
    intents: Iterable[Intent], attempts: Iterable[Attempt], current: Timings
) -> datetime | None:
    times = (settle_at(intent, attempts, current) for intent in intents)
    return max((time for time in times if time is not None), default=None)
