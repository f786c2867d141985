"""What usage headers do to publishing and looking, over HTTP in virtual time: facts section 3."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from itertools import pairwise

import pytest
from pydantic import SecretStr

from adapters.graph.tokens import Tokens
from fixtures.graph.scene import ACCOUNT
from fixtures.world_graph import US
from reconciler import publish
from reconciler.lifecycle import shown_next
from reconciler.limits import Limits
from reconciler.model import BlockReason, DocumentState, ItemState, NextAction, Outcome
from tests.crash.plans import FOUR_ADS, ONE_AD, Plan
from tests.integration.http_stage import (
    TOKEN,
    HttpStage,
    SetUp,
    colleagues_create,
    crashed,
    live,
    states,
)

SEVEN_MINUTES = timedelta(minutes=7)
OTHER = "act_1002"


@pytest.fixture
def stage(set_up: SetUp) -> HttpStage:
    return set_up()


def gaps(stage: HttpStage, method: str) -> list[float]:
    """Seconds between the requests of a method."""
    times = [call.at for call in stage.fake.requests if call.method == method]
    return [(b - a).total_seconds() for a, b in pairwise(times)]


def elsewhere(stage: HttpStage) -> Plan:
    """The plan of one ad for another account."""
    if OTHER not in stage.world.accounts:
        stage.world.add_account(OTHER)
        stage.world.place("campaigns", "1502", account_id=OTHER, name="c")
        stage.world.place("adsets", "2002", account_id=OTHER, parent_id="1502", name="s")
    return {**ONE_AD, "account_id": OTHER, "container": {"kind": "adset", "id": "2002"}}


# --- before the block -----------------------------------------------------------------------------


@pytest.mark.parametrize(("percent", "pause"), [(70, 0), (80, 1), (95, 4), (99, 4.8)])
def test_creates_slow_down_before_the_block(set_up: SetUp, percent: float, pause: float) -> None:
    stage = set_up(limits=Limits(concurrency=1))
    stage.fake.faults.add(f"usage:percent={percent}")
    document_id = stage.submit(FOUR_ADS)

    document = stage.publish(document_id).view.document

    assert document.state is DocumentState.PUBLISHED
    assert gaps(stage, "POST") == pytest.approx([0.05 + pause] * 3)


@pytest.mark.parametrize("code", [4, 17, 80004])
def test_pages_slow_down_by_whichever_header_is_fullest(set_up: SetUp, code: int) -> None:
    stage = set_up(page_size=1)
    document_id = crashed(stage)
    colleagues_create(stage, 3)
    stage.fake.faults.add(f"usage:percent=95,code={code}")

    assert states(stage.settle(document_id).view.document) == [ItemState.CONFIRMED]

    assert min(gaps(stage, "GET")) == pytest.approx(4.05)


def test_a_short_call_timeout_has_short_pauses_and_every_call_its_whole_time(
    set_up: SetUp,
) -> None:
    """A2: the pause comes before the check of the lease, and takes nothing from the call."""
    second = timedelta(seconds=1)
    limits = Limits(call_timeout=second, concurrency=1)
    stage = set_up(limits=limits)
    stage.fake.faults.add("usage:percent=100")
    stage.fake.faults.add("hang", nth=2, method="POST")
    document_id = stage.submit(FOUR_ADS)

    document = stage.publish(document_id).view.document

    assert gaps(stage, "POST") == pytest.approx([0.05 + 0.25])
    first, lost = (item.intent.calls[0] for item in document.items[:2] if item.intent)
    assert (first.outcome, lost.outcome) == (Outcome.CREATED, Outcome.UNKNOWN)
    sent = stage.fake.requests[1].at
    assert lost.ended_at == sent + second


# --- a block that is announced --------------------------------------------------------------------


@pytest.mark.parametrize(("after", "code"), [(1, 80004), (2, 80004), (1, 17)])
def test_a_create_that_announces_a_block_is_the_last_until_it_is_over(
    set_up: SetUp, after: int, code: int
) -> None:
    """No worker and no other process meets the block: nobody is ever refused."""
    stage = set_up(limits=Limits(concurrency=1))
    stage.fake.faults.add(
        f"usage:percent=100,minutes=7,code={code}", nth=after, count=1, method="POST"
    )
    document_id = stage.submit(FOUR_ADS)
    waiting = stage.submit(ONE_AD, new=True, publish=True)

    stage.publish(document_id)
    stage.forget()
    stage.advance(document_id)
    stage.advance(waiting)

    view = stage.view(document_id)
    assert stage.fake.count("POST") == after
    assert view.account.reason is BlockReason.THROTTLED
    step = shown_next(view.document, view.account, view.now)
    assert (step.action, step.until) == (NextAction.WAIT, view.account.until)
    left = (view.account.until or view.now) - stage.time.now()
    assert timedelta(minutes=6, seconds=58) < left <= SEVEN_MINUTES
    for each in (document_id, waiting):
        assert stage.run_until_rest(each).state is DocumentState.PUBLISHED
    assert gaps(stage, "POST")[after - 1] >= 419
    assert stage.fake.count("POST") == 5


def test_the_last_create_of_a_document_tells_the_others_of_the_block(stage: HttpStage) -> None:
    stage.fake.faults.add("usage:percent=100,minutes=7", count=1, method="POST")
    document_id = stage.submit(ONE_AD)

    document = stage.publish(document_id).view.document

    assert document.state is DocumentState.PUBLISHED
    assert stage.view(document_id).account.reason is BlockReason.THROTTLED


def test_other_accounts_go_on_while_one_is_blocked(stage: HttpStage) -> None:
    """R093."""
    stage.fake.faults.add("throttle:minutes=30", count=None, on_node=ACCOUNT)
    blocked = stage.submit(ONE_AD)
    free = stage.submit(elsewhere(stage), new=True)

    stage.publish(blocked)

    assert stage.publish(free).view.document.state is DocumentState.PUBLISHED


@pytest.mark.parametrize(
    ("code", "is_app_wide"), [(4, True), (341, True), (17, False), (613, False)]
)
@pytest.mark.parametrize("process", ["the same", "another"])
def test_a_limit_of_the_whole_app_closes_every_account_of_the_token_at_once(
    stage: HttpStage, code: int, is_app_wide: bool, process: str
) -> None:
    """Facts E11, E15: the other account would be refused too, and lengthen the block (2.11)."""
    met, other = stage.submit(ONE_AD), stage.submit(elsewhere(stage), new=True, publish=True)
    stage.fake.faults.add(f"throttle:code={code},minutes=7", count=1, method="POST")

    stage.publish(met)
    if process == "another":
        stage.forget()
    stage.advance(other)

    assert stage.fake.count("POST") == (1 if is_app_wide else 2)
    until = [stage.view(each).account.until for each in (met, other)]
    assert (until[0] == until[1]) is is_app_wide
    for each in (met, other):
        assert stage.run_until_rest(each).state is DocumentState.PUBLISHED


@pytest.mark.parametrize("code", [4, 341])
def test_a_look_that_meets_a_limit_of_the_app_closes_the_others_too(
    stage: HttpStage, code: int
) -> None:
    document_id = crashed(stage)
    other = stage.submit(elsewhere(stage), new=True, publish=True)
    stage.fake.faults.add(f"throttle:code={code},minutes=7", count=1, method="GET")

    stage.settle(document_id)

    assert stage.view(other).account.reason is BlockReason.THROTTLED
    assert stage.run_until_rest(other).state is DocumentState.PUBLISHED


def test_an_account_with_a_token_of_another_app_stays_open(set_up: SetUp) -> None:
    tokens = Tokens(default=SecretStr(TOKEN), by_account={OTHER: SecretStr("other-token")})
    stage = set_up(client={"tokens": tokens})
    stage.fake.options.tokens["other-token"] = US
    met, other = stage.submit(ONE_AD), stage.submit(elsewhere(stage), new=True, publish=True)
    stage.fake.faults.add("throttle:code=4,minutes=7", count=1, method="POST")

    stage.publish(met)
    stage.advance(other)

    assert stage.fake.count("POST") == 2
    assert stage.document(other).state is DocumentState.PUBLISHED


def test_a_page_that_announces_a_block_ends_the_look_until_it_is_over(set_up: SetUp) -> None:
    stage = set_up(page_size=1)
    document_id = crashed(stage)
    colleagues_create(stage, 3)
    stage.fake.faults.add("usage:percent=100,minutes=7", count=1, method="GET")

    document = stage.settle(document_id).view.document

    assert states(document) == [ItemState.PENDING]
    assert stage.fake.count("GET") == 1
    assert document.lease is None
    due_in = (document.due_at or stage.time.now()) - stage.time.now()
    assert timedelta(minutes=6, seconds=58) < due_in <= SEVEN_MINUTES
    assert live(stage, stage.run_until_rest(document_id)) == [1]
    assert stage.fake.count("POST") == 1


# --- a throttle -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "put_off"),
    [
        ("throttle:code=17,minutes=30", timedelta(minutes=30)),
        ("throttle:code=80004,minutes=30", timedelta(minutes=30)),
        ("throttle:code=17,with_headers=false", timedelta(minutes=10)),
        ("throttle:code=613,minutes=100000", timedelta(hours=1)),
    ],
)
def test_a_throttled_look_is_put_off_and_nobody_hammers(
    stage: HttpStage, fault: str, put_off: timedelta
) -> None:
    """R093: by the header, else by the longest backoff; never beyond the bound."""
    document_id = crashed(stage)
    stage.fake.faults.add(fault, count=1, method="GET")

    document = stage.settle(document_id).view.document
    stage.settle(document_id)
    stage.forget()
    stage.settle(document_id)

    assert states(document) == [ItemState.PENDING]
    assert document.lease is None
    assert stage.fake.count("GET") == 1
    left = (stage.view(document_id).account.until or stage.time.now()) - stage.time.now()
    assert put_off - timedelta(seconds=2) < left <= put_off
    assert live(stage, stage.run_until_rest(document_id)) == [1]


def test_a_document_beside_a_throttled_one_sends_nothing_before_the_ledger_knows(
    set_up: SetUp,
) -> None:
    """In one process: the second attempt is under way when the first one's create is refused."""
    stage = set_up(limits=Limits(concurrency=1))
    stage.fake.faults.add("throttle:minutes=7", nth=2, count=None, method="POST")
    first, second = stage.submit(FOUR_ADS), stage.submit(ONE_AD, new=True)
    worker = stage.process()

    async def both() -> None:
        await asyncio.gather(publish.publish(first, worker), publish.publish(second, worker))

    stage.time.run(both())

    assert stage.fake.count("POST") == 2
    stage.fake.faults.clear()
    for each in (first, second):
        assert stage.run_until_rest(each).state is DocumentState.PUBLISHED


def test_a_clear_no_beside_an_announced_block_is_still_a_no(stage: HttpStage) -> None:
    stage.fake.faults.add("usage:percent=100,minutes=7", count=1, method="POST")
    stage.fake.faults.add("validation_error")
    document_id = stage.submit(ONE_AD)

    document = stage.publish(document_id).view.document

    assert states(document) == [ItemState.REJECTED]
    assert document.state is DocumentState.FAILED
    assert stage.view(document_id).account.reason is BlockReason.THROTTLED
