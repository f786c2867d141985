"""Whatever the API answers: no request goes elsewhere, and every port method answers in values."""

from __future__ import annotations

import json
import ssl
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import httpx
from hypothesis import HealthCheck, event, example, given, settings
from hypothesis import strategies as st
from pydantic import SecretStr

from adapters.graph.client import GraphClient
from adapters.graph.redaction import Redaction
from adapters.graph.tokens import Tokens
from reconciler.call_outcome import Again, Answer, CreateRequest
from reconciler.listing import IncompleteListing, Listing, Statuses, WalkRequest
from reconciler.model import Container, ContainerKind, Kind, Outcome

NOON = datetime(2026, 3, 10, 12, tzinfo=UTC)
CREATE = CreateRequest(account_id="act_1001", kind=Kind.AD, params={"name": "Spring"})
WALK = WalkRequest(
    account_id="act_1001",
    container=Container(kind=ContainerKind.ADSET, id="2001"),
    kind=Kind.AD,
    statuses=Statuses.EVERY_STATUS,
)
REDACTION = Redaction()
"""One for all examples: each would leave its filter on the loggers."""

Handler = Callable[[httpx.Request], httpx.Response]


async def now() -> datetime:
    return NOON


async def no_sleep(_: timedelta) -> None:
    """Pauses take no time."""


def client(handler: Handler) -> GraphClient:
    return GraphClient(
        tokens=Tokens(default=SecretStr("OURTOKEN999")),
        app_secret=SecretStr("OURSECRET999"),
        url="https://graph.test:8443/base",
        transport=httpx.MockTransport(handler),
        redaction=REDACTION,
        sleep=no_sleep,
        max_pages=20,
    )


# --- where requests go ----------------------------------------------------------------------------

HOSTS = st.sampled_from(
    [
        "https://evil.example/x",
        "http://graph.test:8443/base",
        "//evil.example",
        "https://graph.test:8443@evil.example/",
        "https://graph.test.evil.example/",
        "https://evil.example#graph.test",
        "https:\\\\evil.example",
        "\r\nHost: evil.example",
        "file:///etc/passwd",
        "/relative",
        "",
        "https://[::1",
    ]
)
CURSORS = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        ["a&access_token=x", "a#b", "a\r\nX: y", "../../evil", "%2F%2Fevil", "//evil", "a?b=c", "@"]
    ),
)
NEXTS = st.one_of(
    st.builds(lambda host, cursor: f"{host}?after={cursor}", HOSTS, CURSORS),
    st.builds("{}{}".format, HOSTS, st.text(max_size=10)),
    st.text(max_size=30),
    st.integers() | st.booleans() | st.lists(st.text(max_size=3), max_size=2),
)
PAGINGS = st.fixed_dictionaries(
    {},
    optional={
        "next": NEXTS,
        "previous": NEXTS,
        "cursors": st.fixed_dictionaries({}, optional={"after": CURSORS, "before": CURSORS}),
    },
)
REDIRECTS = st.builds(
    lambda status, to: httpx.Response(status, headers={"location": to.encode("utf-8", "replace")}),
    st.sampled_from([300, 301, 302, 303, 307, 308]),
    HOSTS.filter(lambda host: "\r" not in host),
)
GOING_ON = st.builds(
    lambda link, cursor: {"next": link, "cursors": {"after": cursor}},
    HOSTS.filter(bool),
    CURSORS.filter(bool),
)
PAGES = (GOING_ON | PAGINGS).map(
    lambda paging: httpx.Response(200, json={"data": [], "paging": paging})
)
CREATED = st.builds(
    lambda id_, next_: httpx.Response(200, json={"id": id_, "paging": {"next": next_}}),
    st.text(max_size=5) | st.just("7"),
    NEXTS,
)


@given(replies=st.lists(PAGES | REDIRECTS | CREATED, min_size=1, max_size=8), data=st.data())
async def test_no_request_leaves_for_another_host_whatever_next_and_redirects_say(
    replies: list[httpx.Response], data: st.DataObject
) -> None:
    asked: list[httpx.Request] = []

    def handler(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        given = replies[(len(asked) - 1) % len(replies)]
        return httpx.Response(given.status_code, headers=given.headers, content=given.content)

    graph = client(handler)
    await graph.walk(WALK, lambda row: True, now)
    await graph.has_label("act_1001", "rc1-x")
    await graph.probe("act_1001")
    await graph.create(CREATE, within=timedelta(seconds=5))
    await graph.aclose()

    event(f"went on: {any('after' in request.url.params for request in asked)}")
    assert sum(request.method == "POST" for request in asked) == 1
    for request in asked:
        url = request.url
        assert (url.scheme, url.host, url.port) == ("https", "graph.test", 8443)
        assert url.path in (
            "/base/v26.0/2001/ads",
            "/base/v26.0/act_1001/adlabels",
            "/base/v26.0/act_1001/ads",
        )
        assert request.headers["host"] == "graph.test:8443"
        assert "access_token" not in dict(url.params)
        assert not url.fragment


# --- what is answered -----------------------------------------------------------------------------

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=6)
    | st.sampled_from(["7", "id", "2642", "rc1-aaaaaaaaaaaaaaaa"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "id",
                    "error",
                    "code",
                    "error_subcode",
                    "message",
                    "is_transient",
                    "data",
                    "paging",
                    "next",
                    "cursors",
                    "after",
                    "name",
                    "adlabels",
                    "success",
                    "summary",
                    "error_data",
                    "error_user_msg",
                    "fbtrace_id",
                ]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)
ERRORS = st.builds(
    lambda code, subcode, transient: {
        "error": {"code": code, "error_subcode": subcode, "is_transient": transient}
    },
    st.integers(-5, 700) | st.sampled_from([2500, 2642, 80004, "190", None, 1.5, [], 10**40]),
    st.sampled_from([None, 33, 99, 2446079, 1487390, "33", {}]),
    st.sampled_from([None, True, False, "true"]),
)
ROWS = st.lists(
    st.fixed_dictionaries(
        {"id": st.integers(1, 9).map(str) | JSON},
        optional={"name": JSON, "adlabels": JSON, "created_time": JSON, "account_id": JSON},
    ),
    max_size=3,
)
WHOLE = st.one_of(
    st.just({"id": "7"}),
    st.builds(lambda rows: {"data": rows}, ROWS),
    st.builds(lambda rows, paging: {"data": rows, "paging": paging}, ROWS, PAGINGS | GOING_ON),
)
BODIES = st.one_of(
    WHOLE.map(lambda value: json.dumps(value).encode()),
    st.just(b'{"id":"7"}'),
    st.just(b'{"data":[]}'),
    st.binary(max_size=60),
    JSON.map(lambda value: json.dumps(value).encode()),
    ERRORS.map(lambda value: json.dumps(value).encode()),
    st.sampled_from(
        [
            b"Service Unavailable",
            b"null",
            b'"x"',
            b"[" * 20_000,
            b'{"id":"7"',
            b'{"id":' + b"9" * 5_000 + b"}",
            b'{"data":[{"id":"1"}],"paging":{"next":"x"}}',
            b'{"id":"\\ud800"}',
            b"\xff\xfe{\x00",
        ]
    ),
)
HEADERS = st.lists(
    st.tuples(
        st.sampled_from(
            [
                "date",
                "content-encoding",
                "content-type",
                "content-length",
                "retry-after",
                "x-app-usage",
                "x-ad-account-usage",
                "x-business-use-case-usage",
                "location",
            ]
        ),
        st.sampled_from(["gzip", "deflate", "x", "", "-1", "[]", "{}", "Tue, 99 Foo 1 1:1:1"])
        | st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=20)
        | JSON.map(json.dumps),
    ),
    max_size=4,
)
EXCEPTIONS = st.sampled_from(
    [
        httpx.ConnectError("x"),
        httpx.ReadTimeout("x"),
        httpx.RemoteProtocolError("x"),
        httpx.DecodingError("x"),
        httpx.ProxyError("x"),
        httpx.InvalidURL("x"),
        ssl.SSLError("x"),
        OSError(104, "reset"),
        TimeoutError(),
        UnicodeDecodeError("utf-8", b"x", 0, 1, "x"),
        RecursionError("x"),
        MemoryError("x"),
        AssertionError("x"),
        StopIteration("x"),
        KeyError("x"),
        ExceptionGroup("x", [ValueError("y")]),
    ]
)


@st.composite
def answers(draw: st.DrawFn) -> httpx.Response | Exception:
    """A reply of any status, headers and body, or what a library may raise."""
    if draw(st.integers(0, 9)) == 9:
        return draw(EXCEPTIONS)
    others = [201, 204, 302, 400, 401, 403, 429, 500, 502, 599]
    status = draw(st.just(200) | st.sampled_from(others))
    fields = draw(st.just([]) | HEADERS)
    headers = [(name.encode(), value.encode()) for name, value in fields]
    return _Raw(status, headers, draw(BODIES))


class _Raw(httpx.Response):
    """Bytes as they came over the wire: nothing is decoded or put right before the client sees."""

    def __init__(self, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
        super().__init__(status, headers=headers, stream=httpx.ByteStream(body))


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(given_=st.lists(answers(), min_size=1, max_size=5))
@example([_Raw(200, [(b"content-encoding", b"gzip")], b'{"id":"7"}')])
async def test_whatever_comes_every_method_answers_in_values(
    given_: list[httpx.Response | Exception],
) -> None:
    count = 0

    def handler(_: httpx.Request) -> httpx.Response:
        nonlocal count
        answer = given_[count % len(given_)]
        count += 1
        if isinstance(answer, Exception):
            raise answer
        content = answer.stream
        assert isinstance(content, httpx.ByteStream)
        return httpx.Response(answer.status_code, headers=answer.headers.raw, stream=content)

    graph = client(handler)
    answer = await graph.create(CREATE, within=timedelta(seconds=5))
    first = given_[0]
    walk = await graph.walk(WALK, lambda row: True, now)
    label = await graph.has_label("act_1001", "rc1-aaaaaaaaaaaaaaaa")
    probed = await graph.probe("act_1001")
    await graph.aclose()

    assert isinstance(answer, Answer)
    event(answer.outcome)
    event(type(walk).__name__)
    assert isinstance(walk, (Listing, IncompleteListing))
    assert label in (True, False, None)
    assert probed in (True, False)
    assert_is_careful(answer, first)


def assert_is_careful(answer: Answer, first: httpx.Response | Exception) -> None:
    """A create is closed only by what is clear."""
    if answer.outcome is Outcome.CREATED:
        assert isinstance(first, httpx.Response)
        assert 200 <= first.status_code < 300
    if answer.outcome is Outcome.REJECTED:
        assert isinstance(first, httpx.Response)
        assert first.status_code < 500
    if answer.outcome is Outcome.NOT_SENT:
        assert isinstance(first, (httpx.ConnectError, httpx.ProxyError))
    if isinstance(first, httpx.Response) and first.status_code >= 500:
        assert answer.outcome is Outcome.UNKNOWN
    if answer.error is not None:
        assert b"\0" not in answer.error.message.encode()  # a database takes it
    assert answer.again in Again
    assert answer.wait is None or timedelta(0) < answer.wait <= timedelta(days=7)


SECRETS = ("OURTOKEN999", "OURSECRET999")


@given(
    wrapping=st.sampled_from(
        [
            '{{"error":{{"code":100,"message":"bad {0}"}}}}',
            '{{"error":{{"code":1,"error_user_msg":"{0}","fbtrace_id":"{0}"}}}}',
            '{{"data":[{{"id":"1","name":"{0}"}}],"paging":{{"x":"{0}"}}}}',
            "<html>{0}</html>",
            "{0}",
        ]
    ),
    secret=st.sampled_from(SECRETS),
    status=st.sampled_from([200, 400, 500]),
)
async def test_a_secret_that_the_api_throws_back_is_in_nothing_that_is_returned(
    wrapping: str, secret: str, status: int
) -> None:
    """R096."""
    body = wrapping.format(secret).encode()
    graph = client(lambda _: httpx.Response(status, content=body))

    answer = await graph.create(CREATE, within=timedelta(seconds=5))
    walk = await graph.walk(WALK, lambda row: True, now)
    await graph.aclose()

    told = repr((answer, walk)) if not isinstance(walk, Listing) else _stored(answer, walk)
    assert secret not in told


def _stored(answer: Answer, walk: Listing) -> str:
    """Of a row, what is kept is its data; its name is compared as it came, and never printed."""
    return repr((answer, [row.data for row in walk.rows]))
