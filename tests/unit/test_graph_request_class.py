"""How a request is sorted for the figures, and that every request is, once."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from adapters.graph.client import GraphClient
from adapters.graph.reply import NoReply, Reply
from adapters.graph.request_class import SHORT, RequestKind, class_of
from adapters.graph.tokens import Tokens
from reconciler.call_outcome import CreateRequest
from reconciler.model import Kind

WITHIN = timedelta(seconds=5)


def error(code: int, **more: Any) -> bytes:
    return json.dumps({"error": {"code": code, **more}}).encode()


@pytest.mark.parametrize(
    ("back", "result"),
    [
        (Reply(200, body=b'{"id":"901"}'), "answered"),
        (Reply(200, body=b"[null]"), "answered"),
        (Reply(200, body=b'{"data":[' + b" " * SHORT + b"]}"), "answered"),
        (Reply(400, body=error(100)), "rejected"),
        (Reply(400, body=error(80004, error_subcode=2446079)), "throttled"),
        (Reply(429, body=b"slow down"), "throttled"),
        (Reply(400, body=error(190)), "access"),
        (Reply(500, body=error(2, is_transient=True)), "trouble"),
        (Reply(200, body=error(17)), "throttled"),
        (Reply(200, body=b"Service Unavailable"), "trouble"),
        (Reply(200, body=b"null"), "trouble"),
        (Reply(302), "trouble"),
        (NoReply(True, "refused"), "not_sent"),
        (NoReply(False, "reset"), "no_reply"),
    ],
)
def test_what_came_of_a_request_is_one_of_seven_things(back: Reply | NoReply, result: str) -> None:
    """Facts 2.7 and 2.8: neither no JSON nor an error is an answer, whatever the status."""
    assert class_of(RequestKind.READ, back) == f"read_{result}"


class Figures(list[str]):
    """What the client told, in its order."""

    def of(self, handler: Any) -> GraphClient:
        """A client of an API that answers so."""
        return GraphClient(
            tokens=Tokens(default=SecretStr("OURTOKEN999")),
            url="https://graph.test",
            transport=httpx.MockTransport(handler),
            ended=self.append,
        )


def create(name: str) -> CreateRequest:
    return CreateRequest(account_id="act_1001", kind=Kind.AD, params={"name": name})


async def test_each_create_of_a_batch_is_told_and_so_is_the_batch_around_them() -> None:
    """Facts 3.11: for the API each of them is a call."""
    throttled = {"code": 400, "body": error(80004).decode()}
    reply = [{"code": 200, "body": '{"id":"901"}'}, throttled, None]

    async def answer(_: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json=reply)

    figures = Figures()
    await figures.of(answer).create_many([create("A"), create("B"), create("C")], within=WITHIN)

    assert figures == ["batch_answered", "create_answered", "create_throttled", "create_no_reply"]


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ([None, None], ["batch_answered", "create_no_reply", "create_no_reply"]),
        ([None], ["batch_answered", "create_no_reply", "create_no_reply"]),
        ({"error": {"code": 17}}, ["batch_throttled", "create_throttled", "create_throttled"]),
    ],
)
async def test_what_stands_in_place_of_the_answers_is_told_of_every_create(
    reply: Any, told: list[str]
) -> None:
    async def answer(_: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json=reply)

    figures = Figures()
    await figures.of(answer).create_many([create("A"), create("B")], within=WITHIN)

    assert figures == told


async def test_creates_and_probes_are_told_once_each_and_what_was_not_sent_is_not() -> None:
    async def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json={"id": "901"} if request.method == "POST" else {"data": []})

    figures = Figures()
    graph = figures.of(answer)
    await graph.create(create("A"), within=WITHIN)
    await graph.create(
        CreateRequest(account_id="no account", kind=Kind.AD, params={}), within=WITHIN
    )
    await graph.probe("act_1001")

    assert figures == ["create_answered", "read_answered"]


async def test_a_request_that_is_given_up_before_its_reply_is_told_too() -> None:
    """It may have landed, and has cost a call."""
    began = asyncio.Event()

    async def hang(_: httpx.Request) -> httpx.Response:
        began.set()
        await asyncio.Event().wait()
        raise AssertionError("never")

    figures = Figures()
    asked = asyncio.create_task(figures.of(hang).create(create("A"), within=WITHIN))
    await began.wait()
    asked.cancel()
    await asyncio.gather(asked, return_exceptions=True)

    assert figures == ["create_no_reply"]
