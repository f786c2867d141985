"""The log of an account in a batch: what is read, how often, and what is said at each bound."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from reconciler import batch_log
from reconciler.activity_log import Creation, LoggedCreations, UnreadLog
from reconciler.batch_log import AccountLog
from reconciler.log_question import LogAnswer, Question, Said

NOON = datetime(2026, 3, 10, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)
OURS, THEIRS = "77001", "88002"


@dataclass(slots=True)
class Api:
    """A log of creations. `reads` are the times asked for; `rows_max` and more is too long."""

    creations: list[Creation] = field(default_factory=list)
    reads: list[tuple[datetime, datetime]] = field(default_factory=list)
    rows_max: int = 1_000
    is_hidden: bool = False
    now_is: datetime = NOON + 24 * HOUR

    async def logged_creations(
        self, account_id: str, since: datetime, until: datetime
    ) -> LoggedCreations | UnreadLog:
        assert account_id == "act_1"
        self.reads.append((since, until))
        if self.is_hidden:
            return UnreadLog(pages=1)
        rows = [one for one in self.creations if one.at is None or since <= one.at < until]
        if len(rows) > self.rows_max:
            return UnreadLog(is_too_long=True, pages=5)
        return LoggedCreations(creations=tuple(rows))

    async def now(self) -> datetime:
        return self.now_is


def log_of(api: Api, pages: list[int] | None = None) -> AccountLog:
    outside: Any = SimpleNamespace(ledger=api, graph=api)
    return AccountLog("act_1", outside, (pages if pages is not None else []).append)


def asks(*ids: str, hour: float = 0.5, lasting: timedelta = MINUTE, **more: Any) -> Question:
    """About so many hours after noon."""
    since = NOON + hour * HOUR
    given = {"settled": None, **more}
    return Question(ids=frozenset(ids), since=since, until=since + lasting, **given)


def answers(log: AccountLog, *questions: Question) -> list[LogAnswer]:
    return asyncio.run(log.answers(questions))


def told(log: AccountLog, *questions: Question) -> list[dict[str, str]]:
    """What each is told, where all are."""
    given = answers(log, *questions)
    assert {one.said for one in given} == {Said.TOLD}
    return [dict(one.apps) for one in given]


def made(external_id: str, hour: float = 0.5, app: str = OURS) -> Creation:
    return Creation(external_id, app, NOON + hour * HOUR)


def test_one_reading_serves_all_who_ask_about_an_hour_and_those_who_ask_later() -> None:
    api = Api([made("1"), made("2", app=THEIRS)])
    log = log_of(api)

    assert told(log, asks("1"), asks("2", "3")) == [{"1": OURS}, {"2": THEIRS}]
    assert told(log, asks("2")) == [{"2": THEIRS}]
    assert api.reads == [(NOON, NOON + HOUR)]


def test_neighbours_are_read_in_one_go_and_what_nobody_asks_about_is_not_read() -> None:
    api = Api([made("1", 1.5)])
    log = log_of(api)

    assert told(log, asks("1", lasting=2 * HOUR), asks("9", hour=7.5)) == [{"1": OURS}, {}]
    assert api.reads == [(NOON, NOON + 3 * HOUR), (NOON + 7 * HOUR, NOON + 8 * HOUR)]


def test_neighbours_that_somebody_will_ask_about_are_read_along() -> None:
    api = Api([made("1"), made("2", 2.5)])
    log = log_of(api)
    log.foresee(NOON + HOUR / 2, NOON + 2 * HOUR + MINUTE)
    log.foresee(NOON + 9 * HOUR, NOON + 9 * HOUR)

    assert told(log, asks("1")) == [{"1": OURS}]
    assert told(log, asks("2", hour=2.5)) == [{"2": OURS}]
    assert api.reads == [(NOON, NOON + 3 * HOUR)]


def test_each_is_told_only_of_the_time_that_it_asks_about() -> None:
    """As a reading of its own would be."""
    log = log_of(Api([made("1", 0.9), made("1", 0.1, THEIRS)]))

    assert told(log, asks("1", hour=0.1), asks("1", hour=0.9), asks("1", hour=0.5)) == [
        {"1": THEIRS}, {"1": OURS}, {}
    ]  # fmt: skip


def test_a_row_without_a_readable_time_answers_whoever_asks_about_its_reading() -> None:
    log = log_of(Api([Creation("1", OURS, None)]))

    assert told(log, asks("1"), asks("1", lasting=2 * HOUR)) == [{"1": OURS}] * 2


def test_who_settled_after_an_hour_was_read_has_it_read_again() -> None:
    api = Api()
    log = log_of(api)
    before, after = api.now_is, api.now_is + MINUTE
    assert told(log, asks("1", settled=before)) == [{}]
    api.creations.append(made("1"))
    api.now_is = after

    assert told(log, asks("1", settled=before)) == [{}]
    assert told(log, asks("1", settled=before), asks("1", settled=after)) == [{"1": OURS}] * 2
    assert len(api.reads) == 2


def test_what_is_too_long_in_one_go_is_read_in_shorter_ones() -> None:
    api = Api([made(str(n), n / 4) for n in range(32)], rows_max=8)
    log = log_of(api)

    (answer,) = answers(log, asks("2", "30", lasting=7 * HOUR))

    assert answer == LogAnswer(said=Said.TOLD, apps={"2": OURS, "30": OURS})
    assert [until - since for since, until in api.reads] == [
        8 * HOUR, 4 * HOUR, 2 * HOUR, 2 * HOUR, 2 * HOUR, 2 * HOUR
    ]  # fmt: skip


def test_an_hour_that_is_too_long_is_not_asked_for_again_and_nothing_rests_on_it() -> None:
    api = Api([made(str(n)) for n in range(9)], rows_max=8)
    log = log_of(api)

    for _ in range(2):
        given = answers(log, asks("1"), asks("2", hour=0.9, lasting=HOUR), asks("3", hour=2.5))
        assert [one.said for one in given] == [Said.BEYOND, Said.BEYOND, Said.TOLD]
        assert [dict(one.apps) for one in given] == [{}] * 3
    assert api.reads.count((NOON, NOON + HOUR)) == 1


def test_at_the_bound_of_pages_nothing_more_is_read_and_what_was_read_still_answers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(batch_log, "PAGES_MAX", 1)
    api = Api([made("1"), made("2", 5.5)])
    log = log_of(api)

    assert told(log, asks("1")) == [{"1": OURS}]
    given = answers(log, asks("1"), asks("2", hour=5.5), asks("1", lasting=HOUR))

    assert [one.said for one in given] == [Said.TOLD, Said.BEYOND, Said.BEYOND]
    assert given[0].apps == {"1": OURS}
    assert len(api.reads) == log.pages == 1


def test_a_log_that_the_api_does_not_show_is_asked_again_with_the_next_documents_only() -> None:
    api = Api([made("1")], is_hidden=True)
    log = log_of(api)

    given = answers(log, asks("1"), asks("1", hour=5.5))

    assert [one.said for one in given] == [Said.UNREAD] * 2
    assert len(api.reads) == 1
    api.is_hidden = False
    assert told(log, asks("1")) == [{"1": OURS}]


def test_a_bound_of_ours_outweighs_what_the_api_withholds() -> None:
    api = Api([made(str(n)) for n in range(9)], rows_max=8)
    log = log_of(api)
    assert answers(log, asks("1"))[0].said is Said.BEYOND
    api.is_hidden = True

    assert answers(log, asks("1", lasting=HOUR))[0].said is Said.BEYOND


def test_what_was_read_first_is_forgotten_first_and_read_again_where_it_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(batch_log, "KEPT_MAX", 2)
    api = Api([made(str(n), n + 0.5) for n in range(4)])
    log = log_of(api)

    for hour in (0, 1, 2, 3, 3, 0):
        assert told(log, asks(str(hour), hour=hour + 0.5)) == [{str(hour): OURS}]

    assert [since for since, _ in api.reads] == [NOON + n * HOUR for n in (0, 1, 2, 3, 0)]


def test_pages_are_told_as_they_are_asked_for() -> None:
    pages: list[int] = []
    log = log_of(Api([made(str(n)) for n in range(9)], rows_max=8), pages)

    answers(log, asks("1"), asks("2", hour=5.5))

    assert (pages, log.pages) == ([5, 1], 6)


def test_nothing_is_read_where_nobody_asks() -> None:
    api = Api()

    assert answers(log_of(api)) == []
    assert api.reads == []
