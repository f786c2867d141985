"""The activity log of one account in a batch: each hour of it read once, for all its documents.

An hour is read when a name first depends on it, and again only for a document that settled after
it was read: no answer is older than the one that a look of its own might have got. At `PAGES_MAX`
nothing more is read, and nothing is claimed of which the log would have had to tell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from .activity_log import Creation, LoggedCreations
from .log_question import LogAnswer, Question, Said, seconds_of
from .outside import Outside

HOUR: Final = 3_600
"""Seconds. An hour is known by its number since 1970."""

HOURS_AT_ONCE: Final = 24
"""Neighbours that somebody will ask about are read in one go, as long as they are not too long."""

PAGES_MAX: Final = 2_000
"""Asked for in one account and plan: the log shares the allowance of creates (facts 6.8)."""

KEPT_MAX: Final = 100_000
"""Creations of an account that are remembered, beside those read last: the oldest are forgotten,
and read again where they are asked for."""


Read = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class _Hour:
    """What was read of an hour, and the ledger time before that; None: too long to be read."""

    read_at: datetime
    creations: tuple[Creation, ...] | None


class AccountLog:
    """Answers questions about one account. `pages` counts what was asked for; `read` is told of
    pages as they are asked for."""

    def __init__(self, account_id: str, outside: Outside, read: Read = lambda _: None) -> None:
        self._account_id = account_id
        self._outside = outside
        self._tell_read = read
        self._hours: dict[int, _Hour] = {}  # what was read last stands last
        self._foreseen: set[int] = set()
        self._at_once = HOURS_AT_ONCE
        self.pages = 0

    def foresee(self, since: datetime, until: datetime) -> None:
        """Somebody may ask about this time: where it is next to what is read, it is read along."""
        self._foreseen.update(_hours_of(*seconds_of(since, until)))

    async def answers(self, questions: Sequence[Question]) -> list[LogAnswer]:
        """An answer to each, in their order. Once the API shows nothing it is not asked on."""
        asking = _by_hour(questions)
        answers = [_Answering(question) for question in questions]
        is_shown = True
        for hour in sorted(asking):
            if is_shown and not self._knows(hour, asking[hour]):
                is_shown = await self._read(self._from(hour, asking))
            said = self._said(hour, asking[hour], is_shown=is_shown)
            _tell(said, asking[hour], answers)
        return [one.answer() for one in answers]

    def _knows(self, hour: int, asking: _Asking) -> bool:
        known = self._hours.get(hour)
        return known is not None and (asking.settled is None or known.read_at >= asking.settled)

    def _said(self, hour: int, asking: _Asking, *, is_shown: bool) -> tuple[Creation, ...] | Said:
        if self._knows(hour, asking):
            told = self._hours[hour].creations
            return Said.BEYOND if told is None else told
        return Said.BEYOND if is_shown else Said.UNREAD

    def _from(self, hour: int, asking: Mapping[int, _Asking]) -> range:
        """This hour, and those behind it that have to be read too, or will have to be."""
        behind = hour + 1
        while (
            behind - hour < self._at_once
            and (behind in asking or behind in self._foreseen)
            and not self._knows(behind, asking.get(behind, _Asking()))
        ):
            behind += 1
        return range(hour, behind)

    async def _read(self, hours: range) -> bool:
        """The first of these at least, unless a bound forbids it. False: the API shows nothing."""
        self._forget()
        while self.pages < PAGES_MAX:
            at = await self._outside.ledger.now()
            since, until = (datetime.fromtimestamp(n * HOUR, UTC) for n in (hours[0], hours.stop))
            read = await self._outside.graph.logged_creations(self._account_id, since, until)
            self.pages += read.pages
            self._tell_read(read.pages)
            if isinstance(read, LoggedCreations):
                self._keep(hours, at, read.creations)
                return True
            if not read.is_too_long:
                return False
            if len(hours) == 1:
                self._hours[hours[0]] = _Hour(at, None)
                return True
            self._at_once = len(hours) // 2
            hours = hours[: self._at_once]
        return True

    def _keep(self, hours: range, at: datetime, creations: Iterable[Creation]) -> None:
        """What has no readable time may be of any of these hours."""
        by_hour: dict[int, list[Creation]] = {hour: [] for hour in hours}
        for one in creations:
            own = hours if one.at is None else (int(one.at.timestamp()) // HOUR,)
            for hour in own:
                if hour in by_hour:
                    by_hour[hour].append(one)
        for hour, those in by_hour.items():
            self._hours.pop(hour, None)
            self._hours[hour] = _Hour(at, tuple(those))

    def _forget(self) -> None:
        kept = sum(len(hour.creations or ()) for hour in self._hours.values())
        for hour in list(self._hours):
            if kept <= KEPT_MAX:
                return
            kept -= len(self._hours.pop(hour).creations or ())


@dataclass(slots=True)
class _Asking:
    """Which questions are about an hour, by number, and from when on it may be read for all."""

    numbers: list[int] = field(default_factory=list)
    settled: datetime | None = None

    def add(self, number: int, question: Question) -> None:
        """One more."""
        self.numbers.append(number)
        times = (self.settled, question.settled)
        self.settled = max((time for time in times if time is not None), default=None)


def _by_hour(questions: Sequence[Question]) -> dict[int, _Asking]:
    asking: dict[int, _Asking] = {}
    for number, question in enumerate(questions):
        for hour in _hours_of(*question.seconds):
            asking.setdefault(hour, _Asking()).add(number, question)
    return asking


def _hours_of(first: int, behind: int) -> range:
    return range(first // HOUR, (behind - 1) // HOUR + 1)


@dataclass(slots=True)
class _Answering:
    """A question, and what was said of it so far."""

    question: Question
    said: Said = Said.TOLD
    rows: list[Creation] = field(default_factory=list)

    def answer(self) -> LogAnswer:
        """What was not read whole counts for nothing."""
        if self.said is not Said.TOLD:
            return LogAnswer(said=self.said)
        return LogAnswer(said=Said.TOLD, apps=self.question.told(self.rows))


def _tell(
    said: tuple[Creation, ...] | Said, asking: _Asking, answers: Sequence[_Answering]
) -> None:
    """Of an hour, to all that ask about it; a bound of ours outweighs what the API withholds."""
    asked = [answers[number] for number in asking.numbers]
    if isinstance(said, Said):
        for one in asked:
            one.said = Said.BEYOND if Said.BEYOND in (said, one.said) else said
        return
    ids = frozenset().union(*(one.question.ids for one in asked))
    wanted: dict[str, list[Creation]] = {}
    for row in said:
        if row.external_id in ids:
            wanted.setdefault(row.external_id, []).append(row)
    if wanted:
        for one in asked:
            for external_id in one.question.ids & wanted.keys():
                one.rows += wanted[external_id]
