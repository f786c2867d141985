"""What a walk makes of rows, bounds and clocks; labels and probes; and that no secret gets out."""

import json
from datetime import datetime, timedelta

import httpx
import pytest
from pydantic import SecretStr

from adapters.graph.client import GraphClient
from adapters.graph.tokens import Tokens
from reconciler.listing import Listing, Statuses, WalkRequest
from reconciler.model import Container, ContainerKind, Kind, Reason
from reconciler.ports import Graph
from tests.unit.test_graph_walk import (
    REQUEST,
    T0,
    Api,
    Reply,
    Script,
    at_t0,
    client,
    failed,
    ids,
    incomplete,
    names,
    page,
    walked,
)

# --- bounds, drift, rows --------------------------------------------------------------------------


async def test_a_cap_on_rows_is_not_the_end() -> None:
    """R032: cap 500, 501 rows."""
    assert "cap" in incomplete(await walked(Api(501), page_size=100, max_rows=500)).detail
    assert isinstance(await walked(Api(500), page_size=100, max_rows=500), Listing)


async def test_a_cap_on_pages_is_not_the_end() -> None:
    assert "cap" in incomplete(await walked(Api(50), page_size=10, max_pages=4)).detail
    assert isinstance(await walked(Api(50), page_size=10, max_pages=5), Listing)


async def test_an_id_on_two_pages_counts_once() -> None:
    """R031."""
    walk = await walked(Script(page(ids(1, 921), "a"), page(ids(921, 2))))

    assert names(walk) == ["n1", "n921", "n2"]
    assert isinstance(walk, Listing)
    assert (walk.row_count, walk.saw_an_id_twice) == (3, True)


async def test_an_id_twice_is_noticed_where_nobody_wants_its_row() -> None:
    walk = await walked(Script(page(ids(1), "a"), page(ids(1))), lambda row: False)

    assert isinstance(walk, Listing)
    assert (walk.rows, walk.row_count, walk.saw_an_id_twice) == ((), 1, True)


async def test_two_readings_of_one_id_are_both_kept() -> None:
    rows = (
        [{"id": "1", "name": "wanted"}],
        [{"id": "1", "name": "renamed"}],
        [{"id": "1", "name": "wanted"}],
    )
    script = Script(page(rows[0], "a"), page(rows[1], "b"), page(rows[2]))

    walk = await walked(script, lambda row: row.name == "wanted")

    assert names(walk) == ["wanted", "renamed"]
    assert isinstance(walk, Listing)
    assert (walk.row_count, walk.saw_an_id_twice) == (1, True)


async def test_a_first_reading_that_was_narrowed_away_is_read_again() -> None:
    """Both readings must be judged, so a new walk keeps the id whatever it says."""
    other, wanted = {"id": "1", "name": "other"}, {"id": "1", "name": "wanted"}
    script = Script(page([other], "a"), page([wanted]), page([other], "a"), page([wanted]))

    walk = await walked(script, lambda row: row.name == "wanted")

    assert names(walk) == ["other", "wanted"]
    assert script.asked("after") == [None, "a", None, "a"]


async def test_rows_without_the_asked_fields_are_rows() -> None:
    """R035."""
    rows = [
        {"id": "1"},
        {"id": "2", "name": "x"},
        {"id": "3", "name": None, "created_time": "2026-03-10T12:00:00+0000"},
        {"id": "4", "name": "whole", "created_time": "2026-03-10T12:00:00+0000"},
    ]

    walk = await walked(Script(page(rows)))

    assert isinstance(walk, Listing)
    assert [(row.id, row.name, row.created_time) for row in walk.rows] == [
        ("1", None, None),
        ("2", "x", None),
        ("3", None, "2026-03-10T12:00:00+0000"),
        ("4", "whole", "2026-03-10T12:00:00+0000"),
    ]
    assert [row.data for row in walk.rows] == rows


async def test_names_come_back_as_they_were_sent() -> None:
    """R050."""
    wanted = ["É", "🇫🇷 👩‍👩‍👧 Soldes", "50% & plus+more #1"]
    rows = [{"id": str(n), "name": name} for n, name in enumerate(wanted, 1)]

    assert names(await walked(Script(page(rows)))) == wanted


# --- requests, secrets ----------------------------------------------------------------------------


async def test_every_page_carries_our_token_in_the_header_and_the_proof() -> None:
    """R030, R097: nothing of the link's own credentials is used."""
    script = Script(page(ids(1), "a"), page(ids(2)))

    assert isinstance(await walked(script, app_secret=SecretStr("app-secret")), Listing)
    assert [request.headers["authorization"] for request in script.requests] == [
        "Bearer OURTOKEN999"
    ] * 2
    assert script.asked("access_token") == [None, None]
    proofs = script.asked("appsecret_proof")
    assert proofs[0] == proofs[1]
    assert proofs[0]


async def test_every_page_asks_for_plain_fields_and_a_list_of_statuses() -> None:
    """R033; design, section 8."""
    script = Script(page(ids(1), "a"), page(ids(2)))
    await walked(script)

    fields = "id,name,account_id,campaign_id,adset_id,status,effective_status,created_time,adlabels"
    assert set(script.asked("fields")) == {f"{fields},source_ad_id"}
    statuses = {json.dumps(json.loads(each or "")) for each in script.asked("effective_status")}
    assert len(statuses) == 1
    assert "ARCHIVED" in statuses.pop()


async def test_a_walk_without_a_token_or_with_an_odd_id_is_incomplete() -> None:
    script = Script(page([]))
    graph = GraphClient(tokens=Tokens(), transport=httpx.MockTransport(script))
    odd = WalkRequest(
        account_id="act_act_1001",
        container=Container(kind=ContainerKind.ACCOUNT, id="act_act_1001"),
        kind=Kind.AD,
        statuses=Statuses.NO_FILTER,
    )

    assert incomplete(await graph.walk(REQUEST, lambda row: True, at_t0)).reason is Reason.ACCESS
    assert "act_act" in incomplete(await walked(script, request=odd)).detail
    assert script.requests == []


async def test_no_secret_is_in_what_a_walk_returns() -> None:
    """R096."""
    leaky = {
        "id": "1",
        "name": "x",
        "access_token": "TESTTOKEN123",
        "u": "?access_token=TESTTOKEN123",
    }
    walk = await walked(Script(page([leaky], "a"), page(ids(2))))
    lost = await walked(Script(httpx.ReadError("at ?access_token=TESTTOKEN123 OURTOKEN999")))
    told = await walked(Script(failed(100, message="access_token=TESTTOKEN123 OURTOKEN999")))

    assert isinstance(walk, Listing)
    for each in (walk, lost, told):
        assert "TESTTOKEN123" not in repr(each)
        assert "OURTOKEN999" not in repr(each)


# --- clock, steps, labels, probe ------------------------------------------------------------------


class Clock:
    """A ledger's clock that moves on by `tick` at each reading."""

    def __init__(self, tick: timedelta) -> None:
        self.tick = tick
        self.at = T0 - tick

    async def now(self) -> datetime:
        self.at += self.tick
        return self.at


@pytest.mark.parametrize(
    ("dates", "difference"),
    [
        (["Tue, 10 Mar 2026 12:00:00 GMT"], -0.5),
        (["Tue, 10 Mar 2026 12:00:07 GMT"], 6.5),
        (["Tue, 10 Mar 2026 12:00:00 GMT", None, "Tue, 10 Mar 2026 12:00:00 GMT"], -6.5),
        (["Tue, 10 Mar 2026 12:01:00 GMT", None, "Tue, 10 Mar 2026 12:00:06 GMT"], 59.5),
        ([None, "Tue, 10 Mar 2026 13:00:00 GMT", None], None),
        ([None, None, "Tue, 10 Mar 2026 12:00:00 GMT"], -4.5),
        (["yesterday"], None),
        (["Tue, 10 Mar 2026 12:00:00"], None),
    ],
)
async def test_the_clock_difference_is_the_worst_of_first_and_last_page(
    dates: list[str | None], difference: float | None
) -> None:
    """A6: `Date` plus half a second, against the middle of the request, the ledger's time."""
    pages = [
        page(ids(n), None if n == len(dates) else str(n), **({"Date": date} if date else {}))
        for n, date in enumerate(dates, 1)
    ]
    clock = Clock(timedelta(seconds=2))
    graph = client(Script(*pages))

    walk = await graph.walk(REQUEST, lambda row: True, clock.now)

    assert isinstance(walk, Listing)
    expected = None if difference is None else timedelta(seconds=difference)
    assert walk.clock_difference == expected
    assert walk.started_at == T0
    assert walk.ended_at == clock.at


async def test_each_request_is_a_step() -> None:
    steps: list[int] = []
    graph = client(Script(page(ids(1), "a"), failed(2, status=500), page(ids(2))))

    await graph.walk(REQUEST, lambda row: True, at_t0, step=lambda: steps.append(1))

    assert len(steps) == 3


@pytest.mark.parametrize(
    ("replies", "wanted"),
    [
        ([page([{"id": "1", "name": "rc1-x"}])], True),
        ([page([], "a"), page([{"id": "1", "name": "rc1-x"}], "b")], True),
        ([page([{"id": "1", "name": "RC1-X"}, {"id": "2"}])], False),
        ([page([], "a"), page([])], False),
        ([page([], "a"), failed(190)], None),
        ([page([], "a"), failed(2642)], None),
        ([failed(2, status=500)], None),
        ([page([], "a"), page([], "a")], None),
        ([httpx.Response(200, json={})], None),
    ],
)
async def test_a_label_is_there_or_not_or_it_is_not_known(
    replies: list[httpx.Response], wanted: bool | None
) -> None:
    script = Script(*replies)

    assert await client(script).has_label("act_1001", "rc1-x") is wanted
    assert script.requests[0].url.path == "/v26.0/act_1001/adlabels"


async def test_labels_that_never_end_are_not_known() -> None:
    numbers = iter(range(10_000))
    graph = client(lambda _: page([], str(next(numbers))), max_pages=20)

    assert await graph.has_label("act_1001", "x") is None


@pytest.mark.parametrize(
    ("reply", "wanted"),
    [
        (page([]), True),
        (page(ids(1), "a"), True),
        (failed(190), False),
        (failed(17, status=200), False),
        (httpx.Response(200, text="Service Unavailable"), False),
        (httpx.Response(302), False),
        (httpx.Response(500, json={"data": []}), False),
        (httpx.ConnectError("x"), False),
    ],
)
async def test_a_probe_is_one_read(reply: Reply, wanted: bool) -> None:
    script = Script(reply)

    assert await client(script).probe("1001") is wanted
    assert [request.url.raw_path for request in script.requests] == [
        b"/v26.0/act_1001/adlabels?fields=id&limit=1"
    ]


def test_the_client_fulfils_the_port() -> None:
    port: Graph = client(Script(page([])))

    assert port.token_print("act_1001")


async def test_an_id_that_is_no_accounts_is_answered_in_values() -> None:
    """R046."""
    script = Script(page([]))
    graph = client(script)

    assert await graph.probe("act_act_1") is False
    assert await graph.has_label("act_act_1", "x") is None
    assert graph.token_print("act_act_1") is None
    assert script.requests == []
