"""A reply is recorded from the command line, holds nothing of anybody, and plays back as it was."""

import asyncio
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import SecretStr

from adapters.graph.client import GraphClient
from adapters.graph.tokens import Tokens
from fixtures.graph.app import FakeGraph
from fixtures.graph.scene import ADSET
from fixtures.replay import Replay, response_of
from reconciler.call_outcome import Answer, CreateRequest
from reconciler.listing import IncompleteListing, Listing, Statuses, Walk, WalkRequest
from reconciler.model import Container, ContainerKind, Kind, Outcome, Reason
from tests.e2e.command_line import TOKEN, Ran, Shell

SECOND = timedelta(seconds=1)
PLACE = Container(kind=ContainerKind.ADSET, id=ADSET)
LISTING = ("record", "listing", "--account", "act_1001", "--container", f"adset:{ADSET}")


async def _now() -> datetime:
    return datetime(2026, 3, 10, tzinfo=UTC)


async def _at_once(_: timedelta) -> None:
    """No wait."""


def client(*recordings: Any) -> GraphClient:
    return GraphClient(
        tokens=Tokens(default=SecretStr(TOKEN)),
        url="http://graph.test",
        transport=Replay(*recordings),
        sleep=_at_once,
    )


def walked(*recordings: Any) -> Walk:
    request = WalkRequest(
        account_id="act_1001", container=PLACE, kind=Kind.AD, statuses=Statuses.EVERY_STATUS
    )
    return asyncio.run(client(*recordings).walk(request, lambda _: True, _now))


def created(recording: Any) -> Answer:
    request = CreateRequest(account_id="act_1001", kind=Kind.CAMPAIGN, params={"name": "n"})
    return asyncio.run(client(recording).create(request, within=SECOND))


def nothing_of_anybody(ran: Ran, graph: FakeGraph) -> bool:
    told = {entity.id for entity in graph.world.log} | {entity.name for entity in graph.world.log}
    secrets = {TOKEN, *told, ADSET, "act_1001", "127.0.0.1"}
    return not any(secret in ran.out + ran.err for secret in secrets if secret)


def test_a_recorded_listing_is_walked_as_the_real_one_was(shell: Shell, graph: FakeGraph) -> None:
    shell.run("publish", shell.submitted("Acme / spring", "Acme / spring", "Acme / autumn"))
    for name in ("Acme / spring", "Bolt & Co"):
        graph.world.colleague_creates("ads", name, parent_id=ADSET)

    ran = shell.run(*LISTING)

    walk = walked(ran.json)
    assert (ran.code, ran.json["schema"]) == (0, "recording/1")
    assert isinstance(walk, Listing)
    assert len({row.id for row in walk.rows}) == 5
    marks = [row.marks for row in walk.rows]
    assert sum(len(seen.label_parts) for seen in marks) == 3
    assert len({part for seen in marks for part in seen.document_parts}) == 1
    assert sum(len(seen.item_parts) for seen in marks) == 2, "the twins"
    assert len({row.adset_id for row in walk.rows}) == 1
    assert nothing_of_anybody(ran, graph)
    assert "Acme" not in ran.out


def test_a_page_that_was_not_the_last_asks_for_more(shell: Shell, graph: FakeGraph) -> None:
    for number in range(3):
        graph.world.colleague_creates("ads", f"Acme {number}", parent_id=ADSET)

    ran = shell.run(*LISTING, "--limit", "2")

    walk = walked(ran.json)
    assert "next" in ran.json["reply"]["body"]["paging"]
    assert (isinstance(walk, Listing), walk.pages) == (True, 2)
    assert nothing_of_anybody(ran, graph)


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("throttle:minutes=7", Reason.THROTTLED),
        ("access_lost", Reason.ACCESS),
        ("html_page", Reason.LISTING_INCOMPLETE),
        ("page_error", Reason.LISTING_INCOMPLETE),
    ],
)
def test_what_went_wrong_is_judged_alike_when_it_is_played_back(
    shell: Shell, graph: FakeGraph, fault: str, reason: Reason
) -> None:
    """R028 among them: an HTML page is no page, whatever its status."""
    graph.faults.add(fault)

    ran = shell.run(*LISTING)

    walk = walked(*[ran.json] * 3)
    assert isinstance(walk, IncompleteListing)
    assert walk.reason is reason
    assert nothing_of_anybody(ran, graph)


@pytest.mark.parametrize(
    ("fault", "outcome"), [("validation_error", Outcome.REJECTED), (None, Outcome.UNKNOWN)]
)
def test_the_create_that_is_to_be_refused_makes_nothing_whatever_the_api_says(
    shell: Shell, graph: FakeGraph, fault: str | None, outcome: Outcome
) -> None:
    """Validation only: what passes is answered without an id (facts 4.7)."""
    before = len(graph.world.log)
    if fault is not None:
        graph.faults.add(fault)

    ran = shell.run("record", "refused", "--account", "1001")

    (sent,) = graph.requests
    assert (sent.method, sent.edge) == ("POST", "campaigns")
    assert "validate_only" in str(sent.body)
    assert len(graph.world.log) == before
    assert created(ran.json).outcome is outcome


def test_an_error_envelope_is_recorded(shell: Shell, graph: FakeGraph) -> None:
    ran = shell.run("record", "error", "--account", "1001")

    assert ran.json["reply"]["body"]["error"]["code"] == 100
    assert created(ran.json).outcome is Outcome.REJECTED
    assert {call.method for call in graph.requests} == {"GET"}


def test_a_node_is_recorded(shell: Shell, graph: FakeGraph) -> None:
    ran = shell.run(*("record", "node", "--account", "1001", "--node", ADSET, "--kind", "adset"))

    body = json.loads(response_of(ran.json["reply"]).content)
    assert ran.code == 0
    assert {"id", "name", "status"} <= body.keys()
    assert body["id"] != ADSET
    assert nothing_of_anybody(ran, graph)


def test_where_no_reply_comes_it_says_why(shell: Shell, graph: FakeGraph) -> None:
    graph.faults.add("connection_lost")

    ran = shell.run(*LISTING)

    assert (ran.code, ran.json["reply"]) == (1, None)
    assert ran.json["detail"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("record", "node", "--account", "1001"),
        ("record", "listing", "--account", "1001", "--node", "5"),
        ("record", "node", "--account", "1001", "--node", "me/permissions"),
        ("record", "listing", "--account", "1001", "--container", "ad:5"),
        ("record", "listing", "--account", "1001", "--container", "adset:../5"),
        ("record", "listing"),
        ("record", "everything", "--account", "1001"),
    ],
)
def test_what_makes_no_sense_asks_nothing(
    shell: Shell, graph: FakeGraph, arguments: tuple[str, ...]
) -> None:
    assert shell.run(*arguments).code == 64
    assert graph.requests == []
