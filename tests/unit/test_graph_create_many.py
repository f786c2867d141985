"""The client sends several creates in one POST, once, and answers for each, whatever comes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from datetime import timedelta
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from adapters.graph.client import GraphClient
from adapters.graph.tokens import Tokens
from reconciler.call_outcome import Again, Answer, CreateRequest
from reconciler.model import Kind, Outcome

WITHIN = timedelta(seconds=5)
TOKEN = Tokens(default=SecretStr("OURTOKEN999"))
BLOCKS = json.dumps({"1001": [{"type": "ads_management", "estimated_time_to_regain_access": 5}]})

Handler = Callable[[httpx.Request], Coroutine[None, None, httpx.Response]]


class Api:
    """Remembers what it was asked; answers each with `reply`."""

    def __init__(self, reply: Any, status: int = 200) -> None:
        self.asked: list[httpx.Request] = []
        self._reply = reply
        self._status = status

    async def __call__(self, request: httpx.Request) -> httpx.Response:
        """One reply."""
        self.asked.append(request)
        return httpx.Response(self._status, json=self._reply)

    def operations(self) -> list[dict[str, Any]]:
        """Of the only request there was."""
        (request,) = self.asked
        batch: list[dict[str, Any]] = json.loads(form(request)["batch"])
        return batch


def form(request: httpx.Request) -> dict[str, str]:
    return dict(httpx.QueryParams(request.content.decode()))


def client(handler: Handler, tokens: Tokens = TOKEN) -> GraphClient:
    return GraphClient(
        tokens=tokens,
        app_secret=SecretStr("OURSECRET999"),
        url="https://graph.test",
        transport=httpx.MockTransport(handler),
    )


def create(name: str, **params: Any) -> CreateRequest:
    return CreateRequest(account_id="act_1001", kind=Kind.AD, params={"name": name, **params})


def made(external_id: str, *headers: tuple[str, str]) -> dict[str, Any]:
    named = [{"name": name, "value": value} for name, value in headers]
    return {"code": 200, "headers": named, "body": json.dumps({"id": external_id})}


async def test_several_creates_are_one_post_to_the_root_of_the_version() -> None:
    api = Api([made("901"), made("902")])

    answers = await client(api).create_many([create("A"), create("B")], within=WITHIN)

    (request,) = api.asked
    assert (request.method, str(request.url)) == ("POST", "https://graph.test/v26.0/")
    assert request.headers["authorization"] == "Bearer OURTOKEN999"
    assert set(form(request)) == {"batch", "include_headers", "appsecret_proof"}
    assert "OURTOKEN999" not in request.content.decode()
    assert [each["body"] for each in api.operations()] == ["name=A", "name=B"]
    assert [answer.external_id for answer in answers] == ["901", "902"]


async def test_what_cannot_be_sent_is_refused_and_keeps_nobody_else_back() -> None:
    api = Api([made("901"), made("903")])
    requests = [create("A"), create("B", fields="id"), create("C")]

    first, second, third = await client(api).create_many(requests, within=WITHIN)

    assert [each["body"] for each in api.operations()] == ["name=A", "name=C"]
    assert (first.external_id, third.external_id) == ("901", "903")
    assert (second.outcome, second.again) == (Outcome.REJECTED, Again.NEVER)


async def test_where_nothing_can_be_sent_nothing_is() -> None:
    api = Api([])

    answers = await client(api).create_many([create("A", fields="id")] * 2, within=WITHIN)

    assert [answer.outcome for answer in answers] == [Outcome.REJECTED] * 2
    assert api.asked == []


async def test_without_a_token_nothing_is_sent() -> None:
    api = Api([])

    answers = await client(api, Tokens()).create_many([create("A")] * 2, within=WITHIN)

    assert [(a.outcome, a.again) for a in answers] == [(Outcome.NOT_SENT, Again.ACCESS)] * 2
    assert api.asked == []


async def test_creates_of_two_accounts_are_our_own_mistake() -> None:
    other = CreateRequest(account_id="act_1002", kind=Kind.AD, params={"name": "B"})

    with pytest.raises(AssertionError):
        await client(Api([])).create_many([create("A"), other], within=WITHIN)


async def test_a_block_that_one_child_announces_keeps_the_next_request_back() -> None:
    """Facts 3.7: the usage of a batch stands in its children's headers."""
    api = Api([made("901"), made("902", ("X-Business-Use-Case-Usage", BLOCKS))])
    graph = client(api)

    first, second = await graph.create_many([create("A"), create("B")], within=WITHIN)
    later = await graph.create_many([create("C"), create("D")], within=WITHIN)

    assert (first.again, second.again) == (Again.NEVER, Again.THROTTLED)
    assert (second.external_id, second.wait) == ("902", timedelta(minutes=5))
    assert [(a.outcome, a.again) for a in later] == [(Outcome.NOT_SENT, Again.THROTTLED)] * 2
    assert len(api.asked) == 1


async def test_a_throttled_batch_is_unknown_and_keeps_the_next_request_back() -> None:
    api = Api({"error": {"code": 80004, "error_subcode": 2446079}}, status=400)
    graph = client(api)

    answers = await graph.create_many([create("A"), create("B")], within=WITHIN)
    later = await graph.create(create("C"), within=WITHIN)

    assert [(a.outcome, a.again) for a in answers] == [(Outcome.UNKNOWN, Again.THROTTLED)] * 2
    assert (later.outcome, later.again) == (Outcome.NOT_SENT, Again.THROTTLED)


@pytest.mark.parametrize(
    "reply",
    [
        lambda refused: [made("901"), refused],
        lambda refused: [refused],
        lambda refused: [made("901"), made("901"), refused],
    ],
)
async def test_a_throttle_that_only_one_answer_shows_keeps_the_next_request_back(
    reply: Callable[[Any], Any],
) -> None:
    """Also where nobody can say whose answer it is: the account is the same (facts 2.11)."""
    refused = {"code": 400, "body": json.dumps({"error": {"code": 80004}})}
    api = Api(reply(refused))
    graph = client(api)

    answers = await graph.create_many([create("A"), create("B")], within=WITHIN)
    later = await graph.create(create("C"), within=WITHIN)

    assert (answers[-1].outcome, answers[-1].again) == (Outcome.UNKNOWN, Again.THROTTLED)
    assert (later.outcome, later.again) == (Outcome.NOT_SENT, Again.THROTTLED)
    assert len(api.asked) == 1


async def test_one_deadline_runs_over_the_whole() -> None:
    async def hang(_: httpx.Request) -> httpx.Response:
        await asyncio.Event().wait()
        raise AssertionError("never")

    answers = await client(hang).create_many([create("A")] * 3, within=timedelta(milliseconds=20))

    assert [answer.outcome for answer in answers] == [Outcome.UNKNOWN] * 3


async def test_a_connection_that_was_refused_sent_none_of_them() -> None:
    async def refuse(_: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused")

    answers = await client(refuse).create_many([create("A"), create("B")], within=WITHIN)

    assert [(a.outcome, a.again) for a in answers] == [(Outcome.NOT_SENT, Again.NOW)] * 2


@pytest.mark.parametrize("reply", [None, [None, None], [made("901")], {}, "Service Unavailable"])
async def test_nothing_is_ever_sent_a_second_time(reply: Any) -> None:
    """Facts 4.14: the official client's batch sends what came back as null again."""
    api = Api(reply)

    answers = await client(api).create_many([create("A"), create("B")], within=WITHIN)

    assert [answer.outcome for answer in answers] == [Outcome.UNKNOWN] * 2
    assert len(api.asked) == 1
    assert all(isinstance(answer, Answer) for answer in answers)
