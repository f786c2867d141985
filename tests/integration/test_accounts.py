"""Accounts over HTTP: one that lost access is met once, and one document's is never another's."""

from __future__ import annotations

from datetime import timedelta

import pytest
from pydantic import SecretStr

from adapters.graph.tokens import Tokens
from fixtures.graph.scene import ACCOUNT
from fixtures.world_graph import US
from reconciler.limits import Limits
from reconciler.model import BlockReason, DocumentState, ItemState
from tests.crash.plans import ONE_AD, TREE, Plan
from tests.integration.http_stage import HttpStage, SetUp, crashed, live, states

OTHER = "act_1002"


@pytest.fixture
def stage(set_up: SetUp) -> HttpStage:
    return set_up()


REFUSALS = [
    "access_lost",
    "access_lost:code=102",
    "access_lost:code=10",
    "access_lost:code=200",
    "access_lost:code=368",
    "access_lost:code=100",
    "access_lost:code=190,status=401",
]


@pytest.mark.parametrize("fault", REFUSALS)
def test_twenty_documents_of_an_account_that_lost_access_meet_it_once(
    stage: HttpStage, fault: str
) -> None:
    """R045, R095: then it is probed, less and less often, and all go on when it is back."""
    stage.fake.faults.add(fault)
    waiting = [stage.submit(ONE_AD, new=True, publish=True) for _ in range(20)]

    for document_id in waiting:
        stage.advance(document_id)

    assert stage.view(waiting[-1]).account.reason is BlockReason.ACCESS
    assert len(stage.fake.requests) == 1
    for _ in range(20):
        stage.time.pass_(timedelta(minutes=3))
        for document_id in waiting:
            stage.advance(document_id)
    probes = stage.fake.count("GET", "adlabels")
    assert (stage.fake.count("POST"), len(stage.fake.requests)) == (1, 1 + probes)
    assert 1 <= probes <= 20
    stage.fake.faults.clear()
    stage.time.pass_(stage.limits.backoff_cap)
    for document_id in waiting:
        document = stage.run_until_rest(document_id)
        assert document.state is DocumentState.PUBLISHED
        assert live(stage, document) == [1]


@pytest.mark.parametrize("fault", REFUSALS)
def test_lost_access_is_no_empty_list(stage: HttpStage, fault: str) -> None:
    """R045: the ad is there, and nobody says that it is not."""
    document_id = crashed(stage)
    stage.fake.faults.add(fault, method="GET")

    for _ in range(5):
        stage.settle(document_id)
        stage.time.pass_(timedelta(minutes=5))

    assert states(stage.document(document_id)) == [ItemState.PENDING]
    assert stage.view(document_id).account.reason is BlockReason.ACCESS
    stage.fake.faults.clear()
    assert live(stage, stage.run_until_rest(document_id)) == [1]
    assert stage.fake.count("POST") == 1


def two_accounts(set_up: SetUp) -> HttpStage:
    """A stage with a second account, which has a token of its own."""
    tokens = Tokens(default=SecretStr("fake-token"), by_account={OTHER: SecretStr("other-token")})
    stage = set_up(limits=Limits(concurrency=1), client={"tokens": tokens})
    stage.fake.options.tokens["other-token"] = US
    stage.world.add_account(OTHER)
    stage.world.place("campaigns", "1502", account_id=OTHER, name="c")
    stage.world.place("adsets", "2002", account_id=OTHER, parent_id="1502", name="s")
    stage.world.place("adcreatives", "3002", account_id=OTHER, name="k")
    return stage


def in_other(plan: Plan) -> Plan:
    """The same plan for the other account."""
    items = [
        {**item, "params": {**item["params"], "creative": {"creative_id": "3002"}}}
        if item["kind"] == "ad"
        else item
        for item in plan["items"]
    ]
    moved = {**plan, "account_id": OTHER, "items": items}
    return moved | ({"container": {"kind": "adset", "id": "2002"}} if "container" in plan else {})


def test_one_account_loses_access_and_the_other_goes_on(set_up: SetUp) -> None:
    """R045."""
    stage = two_accounts(set_up)
    stage.fake.options.tokens.pop("other-token")
    refused, fine = stage.submit(in_other(ONE_AD)), stage.submit(ONE_AD)

    stage.publish(refused)

    assert stage.publish(fine).view.document.state is DocumentState.PUBLISHED
    assert stage.view(refused).account.reason is BlockReason.ACCESS
    assert stage.view(fine).account.reason is None


@pytest.mark.parametrize("plan", [ONE_AD, TREE], ids=["ad", "tree"])
def test_the_same_plan_in_two_accounts_is_two_documents_that_never_meet(
    set_up: SetUp, plan: Plan
) -> None:
    """R043: each path begins with what its document stores, never with the last reply."""
    stage = two_accounts(set_up)
    ours, theirs = stage.submit(plan), stage.submit(in_other(plan))
    stage.fake.faults.add("reply_lost_after_commit", nth=1, count=2)

    for document_id in (ours, theirs):
        stage.publish(document_id)
    documents = [stage.run_until_rest(each) for each in (ours, theirs)]

    assert [document.state for document in documents] == [DocumentState.PUBLISHED] * 2
    for document, account in zip(documents, (ACCOUNT, OTHER), strict=True):
        assert set(live(stage, document)) == {1}
        for item in document.items:
            assert item.intent is not None
            assert stage.world.entities[item.intent.external_id or ""].account_id == account
    for call in stage.fake.requests:
        if call.method == "POST" or call.edge == "adlabels":
            assert call.token == ("other-token" if call.node == OTHER else "fake-token")
