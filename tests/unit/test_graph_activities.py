"""The activity log, read: which rows tell an app, what is asked, and what is not read at all."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from adapters.graph.activities import PAGES_MAX, LogPage, read_log_page
from adapters.graph.client import GraphClient
from adapters.graph.tokens import Tokens
from adapters.graph.wire import NotAPage
from reconciler.activity_log import UnreadLog
from reconciler.log_question import Question

NOON = datetime(2026, 3, 10, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def creation(**changed: Any) -> dict[str, Any]:
    """Facts 9.15, of an ad."""
    plain = {
        "event_type": "create_ad",
        "event_time": "2026-03-10T12:00:04+0000",
        "object_id": "1001",
        "object_type": "ADGROUP",
        "application_id": "77001",
    }
    return plain | changed


def page(*rows: Any, after: str | None = None) -> dict[str, Any]:
    more = {"cursors": {"after": after}, "next": f"https://graph.test/?after={after}"}
    return {"data": list(rows)} | ({"paging": more} if after else {})


def creations(*rows: Any) -> Any:
    read = read_log_page(json.dumps(page(*rows)).encode())
    assert isinstance(read, LogPage)
    return tuple((one.external_id, one.app_id) for one in read.creations)


@pytest.mark.parametrize(
    ("event", "what"),
    [
        ("create_campaign_group", "CAMPAIGN_GROUP"),
        ("create_ad_set", "CAMPAIGN"),
        ("create_ad", "ADGROUP"),
    ],
)
def test_creations_are_told_by_their_old_names(event: str, what: str) -> None:
    """Facts 6.3, 6.4: what the log calls a campaign is an ad set."""
    row = creation(event_type=event, object_type=what)

    assert creations(row) == (("1001", "77001"),)


@pytest.mark.parametrize(
    "changed",
    [
        {"event_type": "update_ad_run_status"},
        {"event_type": "create_campaign_legacy"},
        {"event_type": "create_ad_set"},
        {"object_type": "CAMPAIGN"},
        {"object_type": None},
        {"event_type": ["create_ad"]},
        {"application_id": None},
        {"application_id": ""},
        {"application_id": {"new": "77001"}},
        {"object_id": None},
        {"object_id": "act_1"},
    ],
)
def test_a_row_that_is_no_clear_creation_tells_nothing(changed: dict[str, Any]) -> None:
    assert creations(creation(**changed), None, "row", creation(object_id="2")) == (("2", "77001"),)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"Service Unavailable",
        b"null",
        b"[]",
        b'{"data":{}}',
        b'{"error":{"code":1}}',
        b'{"data":[],"error":{}}',
        b'{"data":[],"paging":[]}',
        b'{"data":[],"paging":{"next":"https://graph.test/"}}',
    ],
)
def test_what_is_no_page_of_the_log_is_not_an_empty_one(body: bytes) -> None:
    assert isinstance(read_log_page(body), NotAPage)


@given(
    st.binary()
    | st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=4),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["data", "paging", "next", *creation()]), inner)
        ),
        max_leaves=12,
    ).map(lambda value: json.dumps(value).encode())
)
def test_no_body_breaks_the_reading(body: bytes) -> None:
    assert isinstance(read_log_page(body), LogPage | NotAPage)


# --- over the wire --------------------------------------------------------------------------------


class Api(httpx.AsyncBaseTransport):
    """Answers with these, one after the other, the last one for ever."""

    def __init__(self, *answers: tuple[int, Any]) -> None:
        self.answers = answers
        self.asked: list[httpx.Request] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        status, content = self.answers[min(len(self.asked), len(self.answers)) - 1]
        return httpx.Response(status, json=content)


async def _at_once(_: timedelta) -> None:
    """No wait."""


async def apps(api: Api, *ids: str, account: str = "act_1") -> Any:
    client = GraphClient(
        tokens=Tokens(default=SecretStr("canary-token")),
        url="http://graph.test",
        transport=api,
        sleep=_at_once,
    )
    read = await client.logged_creations(account, NOON, NOON + HOUR)
    if isinstance(read, UnreadLog):
        return read
    asked = Question(ids=frozenset(ids), since=NOON, until=NOON + HOUR, settled=None)
    return asked.told(read.creations)


async def test_every_request_is_bounded_in_time_and_bears_no_token_in_its_address() -> None:
    """Facts 6.6, 7.9."""
    api = Api((200, page(creation(), after="c1")), (200, page()))

    assert await apps(api, "1001", "1002") == {"1001": "77001"}

    for request in api.asked:
        since, until = (int(request.url.params[name]) for name in ("since", "until"))
        assert since <= NOON.timestamp()
        assert until > (NOON + HOUR).timestamp()
        assert "canary" not in str(request.url)
    assert [request.url.params.get("after") for request in api.asked] == [None, "c1"]


async def test_what_two_rows_give_to_two_apps_is_left_out() -> None:
    twice = [creation(), creation(application_id="88002"), creation(object_id="2"),
             creation(object_id="2")]  # fmt: skip

    assert await apps(Api((200, page(*twice))), "1001", "2") == {"2": "77001"}


@pytest.mark.parametrize(
    "answer",
    [
        (400, {"error": {"code": 100}}),
        (400, {"error": {"code": 190}}),
        (400, {"error": {"code": 80004}}),
        (500, {"error": {"code": 1}}),
        (200, {"data": 7}),
    ],
)
@pytest.mark.parametrize("first", [0, 1])
async def test_a_log_that_is_not_read_to_its_end_tells_nothing(
    answer: tuple[int, Any], first: int
) -> None:
    api = Api(*[(200, page(creation(), after="c1"))] * first, answer)

    assert await apps(api, "1001") == UnreadLog(pages=first + 1)


@pytest.mark.parametrize("cursors", ["the same", "ever new ones"])
async def test_a_log_without_an_end_is_given_up(cursors: str) -> None:
    endless = Api(*[
        (200, page(creation(), after=f"c{number if cursors == 'ever new ones' else 0}"))
        for number in range(PAGES_MAX + 5)
    ])  # fmt: skip

    is_too_long = cursors == "ever new ones"
    pages = PAGES_MAX if is_too_long else 2
    assert await apps(endless, "1001") == UnreadLog(is_too_long=is_too_long, pages=pages)
    assert len(endless.asked) == pages


async def test_the_log_of_an_id_that_is_no_accounts_is_not_asked_for() -> None:
    api = Api((200, page()))

    assert await apps(api, "1001", account="act_act_1") == UnreadLog()
    assert api.asked == []
