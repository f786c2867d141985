"""Walks over a scripted API: what is complete, what is not, and what each is asked for."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from adapters.graph.client import GraphClient
from adapters.graph.tokens import Tokens
from reconciler.listing import IncompleteListing, Keep, Listing, Statuses, Walk, WalkRequest
from reconciler.model import Container, ContainerKind, Kind, Reason

T0 = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)
REQUEST = WalkRequest(
    account_id="act_1001",
    container=Container(kind=ContainerKind.ADSET, id="2001"),
    kind=Kind.AD,
    statuses=Statuses.EVERY_STATUS,
)
Reply = httpx.Response | Exception
Handler = Callable[[httpx.Request], httpx.Response]


class Script:
    """Answers requests with the given replies in turn, the last one for ever, and keeps them."""

    def __init__(self, *replies: Reply) -> None:
        self.replies = list(replies)
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(reply, Exception):
            raise reply
        return reply

    def asked(self, name: str) -> list[str | None]:
        return [request.url.params.get(name) for request in self.requests]


class Api:
    """Pages over `count` rows, refusing any limit above `limit_max` as too heavy."""

    def __init__(self, count: int, limit_max: int = 10_000) -> None:
        self.rows = [{"id": str(n + 1), "name": f"n{n + 1}"} for n in range(count)]
        self.limit_max = limit_max
        self.asked: list[tuple[str | None, int]] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        after, limit = request.url.params.get("after"), int(request.url.params["limit"])
        self.asked.append((after, limit))
        if limit > self.limit_max:
            return failed(1, status=500, message="Please reduce the amount of data you're asking")
        begin = int(after or 0)
        end = begin + limit
        return page(self.rows[begin:end], str(end) if end < len(self.rows) else None)


def page(rows: list[Any], after: str | None = None, **headers: str) -> httpx.Response:
    """A page that goes on at `after`, or ends; like the API it shows cursors on the last one."""
    paging: dict[str, Any] = {"cursors": {"before": "b", "after": after or "end"}}
    if after is not None:
        paging["next"] = f"https://elsewhere.example/x?access_token=TESTTOKEN123&after={after}"
    return httpx.Response(200, json={"data": rows, "paging": paging}, headers=headers)


def failed(code: int, subcode: int | None = None, status: int = 400, **more: Any) -> httpx.Response:
    error = {"code": code, "error_subcode": subcode, "message": "m"} | more
    return httpx.Response(status, json={"error": error})


def ids(*numbers: int) -> list[dict[str, Any]]:
    return [{"id": str(n), "name": f"n{n}"} for n in numbers]


async def no_sleep(_: timedelta) -> None:
    """Retries pause for no time."""


def client(handler: Handler, **settings: Any) -> GraphClient:
    return GraphClient(
        tokens=Tokens(default=SecretStr("OURTOKEN999")),
        url="http://graph.test",
        transport=httpx.MockTransport(handler),
        sleep=no_sleep,
        **settings,
    )


async def walked(
    handler: Handler,
    keep: Keep = lambda row: True,
    request: WalkRequest = REQUEST,
    **settings: Any,
) -> Walk:
    graph = client(handler, **settings)
    try:
        return await graph.walk(request, keep, at_t0)
    finally:
        await graph.aclose()


async def at_t0() -> datetime:
    return T0


def names(walk: Walk) -> list[str | None]:
    assert isinstance(walk, Listing), walk
    return [row.name for row in walk.rows]


def incomplete(walk: Walk) -> IncompleteListing:
    assert isinstance(walk, IncompleteListing), walk
    return walk


# --- the end ------------------------------------------------------------------------------------


async def test_the_same_cursor_on_a_last_page_is_not_followed() -> None:
    """R021: exactly two GETs."""
    last = {"data": ids(2), "paging": {"cursors": {"before": "MQ", "after": "Mg"}, "previous": "p"}}
    script = Script(page(ids(1), "Mg"), httpx.Response(200, json=last))

    assert names(await walked(script)) == ["n1", "n2"]
    assert script.asked("after") == [None, "Mg"]


async def test_empty_pages_that_go_on_for_ever_end_at_a_bound() -> None:
    """R022: never absent."""
    numbers = iter(range(10_000))
    walk = incomplete(await walked(lambda _: page([], str(next(numbers))), max_pages=50))

    assert (walk.reason, walk.pages) == (Reason.LISTING_INCOMPLETE, 50)
    assert "cap" in walk.detail


async def test_an_empty_page_in_the_middle_is_not_the_end() -> None:
    """Facts 1.3."""
    script = Script(page(ids(1), "a"), page([], "b"), page([], "c"), page(ids(2)))

    walk = await walked(script)

    assert names(walk) == ["n1", "n2"]
    assert isinstance(walk, Listing)
    assert (walk.pages, walk.row_count) == (4, 2)


async def test_a_short_page_is_not_the_end() -> None:
    """R023, facts 1.2: 45 ad sets in pages of 25, ours is number 44."""
    api = Api(45)
    walk = await walked(api, lambda row: row.name == "n44", page_size=25)

    assert names(walk) == ["n44"]
    assert api.asked == [(None, 25), ("25", 25)]
    assert isinstance(walk, Listing)
    assert walk.row_count == 45


async def test_a_link_without_cursors_is_enough() -> None:
    """R024: only its `after` is taken; host, token and limit are ours."""
    link = "https://evil.example/steal?access_token=TESTTOKEN123&limit=1&after=abc%3D"
    first = httpx.Response(200, json={"data": ids(1), "paging": {"next": link}})
    script = Script(first, httpx.Response(200, json={"data": ids(2)}))

    assert names(await walked(script)) == ["n1", "n2"]
    assert script.asked("after") == [None, "abc="]
    assert {request.url.host for request in script.requests} == {"graph.test"}
    assert script.asked("limit") == ["500", "500"]


async def test_no_data_at_all_is_a_complete_empty_listing() -> None:
    """R025."""
    assert names(await walked(Script(httpx.Response(200, json={"data": []})))) == []


async def test_a_body_without_data_is_no_empty_listing() -> None:
    """R025."""
    walk = incomplete(await walked(Script(httpx.Response(200, json={"paging": {}}))))

    assert walk.reason is Reason.LISTING_INCOMPLETE


@pytest.mark.parametrize("cursors", [["a", "a"], ["a", "b", "a"], ["a", "b", "b"]])
async def test_a_cursor_that_comes_again_is_no_progress(cursors: list[str]) -> None:
    script = Script(*[page(ids(n), cursor) for n, cursor in enumerate(cursors, 1)], page([]))

    assert "cursor came again" in incomplete(await walked(script)).detail


# --- errors on the way ----------------------------------------------------------------------------


async def test_a_lost_cursor_restarts_the_walk_once_with_nothing_of_the_old_one() -> None:
    """R026."""
    script = Script(page(ids(1, 2), "a"), failed(2642), page(ids(2), "c"), page(ids(3)))

    walk = await walked(script)

    assert names(walk) == ["n2", "n3"]
    assert isinstance(walk, Listing)
    assert (walk.row_count, walk.pages, walk.saw_an_id_twice) == (2, 2, False)
    assert script.asked("after") == [None, "a", None, "c"]


async def test_a_cursor_lost_twice_is_incomplete() -> None:
    """R026."""
    script = Script(page(ids(1), "a"), failed(2642), page(ids(1), "a"), failed(2642))

    walk = incomplete(await walked(script))

    assert walk.reason is Reason.LISTING_INCOMPLETE
    assert "2642" in walk.detail
    assert len(script.requests) == 4


@pytest.mark.parametrize(
    "trouble",
    [
        failed(1, status=500),
        failed(2, status=500),
        httpx.Response(502, text="<html>"),
        httpx.Response(500, json={"data": []}),
        httpx.Response(404, json={"data": []}),
        httpx.Response(200, text="<html>ok</html>"),
        httpx.Response(400, text="<html>no</html>"),
        httpx.Response(200, text="null"),
        httpx.Response(200, json={"data": [{"name": "no id"}]}),
        httpx.Response(200, json={"data": [], "error": {"code": 2}}),
        httpx.ReadTimeout("slow"),
        httpx.ConnectError("refused"),
        httpx.RemoteProtocolError("gone"),
        RuntimeError("odd"),
    ],
    ids=str,
)
class TestTroubleThatMayPass:
    """R027, R028: the same cursor is asked again a few times; a part is never the whole."""

    async def test_it_passes(self, trouble: Reply) -> None:
        script = Script(page(ids(1), "a"), trouble, trouble, page(ids(2), "b"), page(ids(3)))

        assert names(await walked(script)) == ["n1", "n2", "n3"]
        assert script.asked("after") == [None, "a", "a", "a", "b"]

    async def test_it_stays(self, trouble: Reply) -> None:
        script = Script(page(ids(1), "a"), trouble)

        walk = incomplete(await walked(script))

        assert (walk.reason, walk.pages, walk.row_count) == (Reason.LISTING_INCOMPLETE, 1, 1)
        assert walk.detail.startswith("page 2: ")
        assert len(script.requests) == 4


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (failed(17, 2446079), Reason.THROTTLED),
        (failed(80004, 2446079), Reason.THROTTLED),
        (failed(613), Reason.THROTTLED),
        (failed(4), Reason.THROTTLED),
        (failed(17, 2446079, status=200), Reason.THROTTLED),
        (httpx.Response(429), Reason.THROTTLED),
        (failed(190, 463), Reason.ACCESS),
        (failed(10, status=403), Reason.ACCESS),
        (failed(200), Reason.ACCESS),
        (failed(294), Reason.ACCESS),
        (failed(100, 33), Reason.ACCESS),
        (failed(368), Reason.ACCESS),
        (failed(100), Reason.LISTING_INCOMPLETE),
        (failed(100, 1487561), Reason.LISTING_INCOMPLETE),
        (failed(2500), Reason.LISTING_INCOMPLETE),
    ],
    ids=str,
)
@pytest.mark.parametrize("pages_before", [0, 1])
async def test_an_error_that_will_not_pass_by_itself_ends_the_walk(
    reply: httpx.Response, reason: Reason, pages_before: int
) -> None:
    """R027 (17 in the middle), R033 (one bad status), R045: told apart, never zero matches."""
    script = Script(*[page(ids(1), "a")] * pages_before, reply)

    walk = incomplete(await walked(script))

    assert walk.reason is reason
    assert len(script.requests) == pages_before + 1


async def test_a_throttle_says_how_long_and_the_detail_says_where() -> None:
    usage = {"x-ad-account-usage": '{"acc_id_util_pct":100,"reset_time_duration":240}'}
    throttled = failed(17, 2446079, fbtrace_id="Afix")
    throttled.headers.update(usage)

    walk = incomplete(await walked(Script(page(ids(1), "a"), throttled)))

    assert walk.wait == timedelta(seconds=240)
    assert walk.detail == "page 2: HTTP 400, code 17, subcode 2446079, trace Afix: m"


async def test_a_redirect_is_not_followed() -> None:
    script = Script(httpx.Response(302, headers={"location": "http://graph.test/elsewhere"}))

    assert incomplete(await walked(script)).reason is Reason.LISTING_INCOMPLETE
    assert {request.url.path for request in script.requests} == {"/v26.0/2001/ads"}


# --- page size ------------------------------------------------------------------------------------


async def test_a_page_that_is_too_heavy_is_halved_and_the_size_is_remembered() -> None:
    """R029: 60 ad sets, nothing above 25 is served; no row is skipped and no size tried twice."""
    api = Api(60, limit_max=25)
    graph = client(api, page_size=100)
    request = REQUEST

    walk = await graph.walk(request, lambda row: True, at_t0)
    first_walk = list(api.asked)
    again = await graph.walk(request, lambda row: True, at_t0)

    assert names(walk) == names(again) == [f"n{n}" for n in range(1, 61)]
    assert first_walk == [(None, 100), (None, 50), (None, 25), ("25", 25), ("50", 25)]
    assert api.asked[5:] == [(None, 25), ("25", 25), ("50", 25)]


async def test_the_size_falls_to_one_row_and_not_below() -> None:
    """R029, facts 1.14: no client may ask for zero rows. What did not work is not remembered."""
    api = Api(3, limit_max=0)

    graph = client(api, page_size=5)

    walks = [incomplete(await graph.walk(REQUEST, lambda row: True, at_t0)) for _ in range(2)]

    assert {walk.reason for walk in walks} == {Reason.LISTING_INCOMPLETE}
    assert [limit for _, limit in api.asked] == [5, 2, 1] * 2


async def test_a_smaller_page_in_the_middle_keeps_the_cursor() -> None:
    """Facts 1.15."""
    heavy = failed(1, status=500, message="Please reduce the amount of data you're asking for")
    script = Script(page(ids(1), "a"), heavy, page(ids(2)))

    assert names(await walked(script, page_size=10)) == ["n1", "n2"]
    assert list(zip(script.asked("after"), script.asked("limit"), strict=True)) == [
        (None, "10"),
        ("a", "10"),
        ("a", "5"),
    ]
