"""When an account is closed, for how long, and what opens it again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest

from fixtures.samples import LIMITS, at
from fixtures.stage import Stage
from fixtures.world_graph import Sky, Weather
from reconciler.access import closed_because, refused, throttled
from reconciler.model import Account, Reason

OPEN = Account(id="act_1001")


def minutes(count: float) -> timedelta:
    return timedelta(minutes=count)


def test_a_throttled_account_is_closed_for_what_the_headers_ask() -> None:
    """R093: no hammering."""
    assert throttled(OPEN, at(0), minutes(30), LIMITS).until == at(1800)


def test_without_headers_it_is_closed_for_the_longest_backoff() -> None:
    assert throttled(OPEN, at(0), None, LIMITS).until == at(600)


def test_no_header_closes_it_for_longer_than_the_bound() -> None:
    assert throttled(OPEN, at(0), minutes(6000), LIMITS).until == at(3600)


def test_a_shorter_throttle_never_shortens_a_longer_one() -> None:
    long = throttled(OPEN, at(0), minutes(30), LIMITS)

    assert throttled(long, at(1), minutes(1), LIMITS) is long


def test_a_refusal_of_the_same_token_changes_nothing() -> None:
    """R095: one auth failure for the account, not one for every document."""
    closed = refused(OPEN, at(0), "p1", LIMITS)

    assert refused(closed, at(9), "p1", LIMITS) is closed


def test_an_account_that_reads_but_refuses_creates_is_asked_less_and_less_often() -> None:
    first = refused(OPEN, at(0), "p1", LIMITS)
    opened = replace(OPEN, failures=3)

    assert first.until == at(5)
    assert refused(opened, at(0), "p1", LIMITS).until == at(40)


@pytest.fixture
def stage() -> Iterator[Stage]:
    made = Stage(sky=Sky(otherwise=Weather.REFUSED))
    yield made
    made.close()


def closed(stage: Stage, account: Account) -> Reason | None:
    return stage.time.run(closed_because(account, stage.process()))


def lost(stage: Stage, **how: object) -> Account:
    account = replace(refused(OPEN, stage.time.now(), "t1", LIMITS), **how)  # type: ignore[arg-type]
    stage.time.run(stage.ledger.set_account(account, OPEN))
    return account


def test_an_open_account_is_open(stage: Stage) -> None:
    assert closed(stage, OPEN) is None


def test_a_throttle_ends_by_time_alone(stage: Stage) -> None:
    account = throttled(OPEN, stage.time.now(), minutes(1), LIMITS)

    assert closed(stage, account) is Reason.THROTTLED
    stage.time.pass_(minutes(1))
    assert closed(stage, account) is None


def test_lost_access_is_probed_when_its_time_has_come_and_then_later_and_later(
    stage: Stage,
) -> None:
    account = lost(stage)
    stage.time.pass_(timedelta(seconds=5))

    assert closed(stage, account) is Reason.ACCESS
    after = stage.time.run(stage.ledger.account("act_1001"))
    assert after.failures == 1
    assert after.until is not None
    assert after.until >= stage.time.now()


def test_before_its_time_nothing_is_asked(stage: Stage) -> None:
    account = lost(stage)
    stage.sky.otherwise = Weather.FAIR

    assert closed(stage, account) is Reason.ACCESS


def test_a_cheap_read_that_succeeds_opens_it(stage: Stage) -> None:
    account = lost(stage)
    stage.sky.otherwise = Weather.FAIR
    stage.time.pass_(timedelta(seconds=5))

    assert closed(stage, account) is None
    assert stage.time.run(stage.ledger.account("act_1001")).reason is None


def test_another_token_opens_it_at_once_and_nobody_is_told_to_renew_it_again(
    stage: Stage,
) -> None:
    account = lost(stage)
    stage.graph.token = "t2"

    assert closed(stage, account) is None
    assert stage.time.run(stage.ledger.account("act_1001")) == OPEN


def test_what_somebody_else_wrote_meanwhile_stands(stage: Stage) -> None:
    account = lost(stage)
    newer = replace(account, failures=7)
    stage.time.run(stage.ledger.set_account(newer, account))
    stage.time.pass_(timedelta(seconds=5))

    closed(stage, account)

    assert stage.time.run(stage.ledger.account("act_1001")) == newer
