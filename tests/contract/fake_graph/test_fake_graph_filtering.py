"""Server-side narrowing as a plain HTTP client meets it (facts 5.3 to 5.5, 5.13)."""

import json

import httpx
import pytest

from fixtures.graph import FakeGraph, SteppedClock
from tests.contract.fake_graph.fault_requests import create

ADS = "/v26.0/act_1001/ads"


async def narrowed(
    client: httpx.AsyncClient, field: str, operator: str, value: object, path: str = ADS
) -> list[str]:
    """Names of the rows that one clause leaves, oldest first."""
    clause = json.dumps([{"field": field, "operator": operator, "value": value}])
    reply = await client.get(path, params={"filtering": clause, "fields": "name"})
    assert reply.status_code == 200, reply.text
    return [row["name"] for row in reply.json()["data"]][::-1]


@pytest.fixture
async def start(client: httpx.AsyncClient, clock: SteppedClock) -> int:
    """Three ads, a minute between each; the unix second of the first."""
    first = int(clock.now.timestamp())
    for name, labels in (("Red", ["x"]), ("red hat", ["x", "y"]), ("Blue", [])):
        adlabels = json.dumps([{"name": each} for each in labels])
        await create(client, name=name, adlabels=adlabels)
        clock.advance(60)
    return first


@pytest.mark.parametrize(
    ("field", "operator", "value", "left"),
    [
        ("name", "EQUAL", "Red", "Red"),
        ("ad.name", "NOT_EQUAL", "Red", "red hat, Blue"),
        ("name", "CONTAIN", "RED", "Red, red hat"),
        ("name", "NOT_CONTAIN", "RED", "Blue"),
        ("name", "IN", ["Red", "Blue", "Green"], "Red, Blue"),
        ("name", "NOT_IN", ["Red"], "red hat, Blue"),
        ("adlabels", "ANY", ["x", "y"], "Red, red hat"),
        ("ad.adlabels", "ALL", ["x", "y"], "red hat"),
        ("adlabels", "NONE", ["y"], "Red, Blue"),
        ("effective_status", "IN", ["PAUSED"], "Red, red hat, Blue"),
        ("effective_status", "IN", ["ACTIVE"], ""),
        ("adset.name", "CONTAIN", "spring", "Red, red hat, Blue"),
        ("campaign.effective_status", "EQUAL", "PAUSED", ""),
        ("campaign.id", "EQUAL", "1501", "Red, red hat, Blue"),
    ],
)
@pytest.mark.usefixtures("start")
async def test_a_clause_leaves_the_rows_it_names(
    client: httpx.AsyncClient, field: str, operator: str, value: object, left: str
) -> None:
    """Facts 5.4, 5.5: bare on the own edge, or prefixed by the own level or one above."""
    assert ", ".join(await narrowed(client, field, operator, value)) == left


@pytest.mark.parametrize(
    ("operator", "seconds", "left"),
    [
        ("GREATER_THAN", 0, "red hat, Blue"),
        ("GREATER_THAN_OR_EQUAL", 60, "red hat, Blue"),
        ("LESS_THAN", 60, "Red"),
        ("LESS_THAN_OR_EQUAL", 60, "Red, red hat"),
        ("IN_RANGE", [60, 120], "red hat, Blue"),
        ("NOT_IN_RANGE", [60, 61], "Red, Blue"),
    ],
)
async def test_times_are_compared_as_unix_seconds(
    client: httpx.AsyncClient,
    start: int,
    operator: str,
    seconds: int | list[int],
    left: str,
) -> None:
    """Facts 5.5."""
    value = start + seconds if isinstance(seconds, int) else [start + each for each in seconds]

    for field in ("created_time", "ad.updated_time"):
        assert ", ".join(await narrowed(client, field, operator, value)) == left


async def test_archived_ones_show_when_a_clause_asks_for_them(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    """Facts 5.8: as with the parameter of that name."""
    graph.world.archive((await create(client, name="old")).json()["id"])
    await create(client, name="new")

    wanted = ["ARCHIVED", "PAUSED"]
    assert await narrowed(client, "effective_status", "IN", wanted) == ["old", "new"]
    assert await narrowed(client, "ad.effective_status", "EQUAL", "ARCHIVED") == ["old"]
    assert await narrowed(client, "name", "IN", ["old", "new"]) == ["new"]


@pytest.mark.usefixtures("start")
async def test_a_container_and_two_clauses_narrow_together(client: httpx.AsyncClient) -> None:
    clauses = [
        {"field": "name", "operator": "CONTAIN", "value": "red"},
        {"field": "adlabels", "operator": "ALL", "value": ["y"]},
    ]
    params = {"filtering": json.dumps(clauses), "fields": "name", "summary": "true"}
    told = (await client.get("/v26.0/2001/ads", params=params)).json()

    assert [row["name"] for row in told["data"]] == ["red hat"]
    assert told["summary"] == {"total_count": 1}


@pytest.mark.parametrize(
    "filtering",
    [
        "[1]",
        '{"field":"name"}',
        '[{"field":"name","operator":"EQUAL"}]',
        '[{"field":"name","operator":"LIKE","value":"x"}]',
        '[{"field":"colour","operator":"EQUAL","value":"x"}]',
        '[{"field":"creative.name","operator":"EQUAL","value":"x"}]',
        '[{"field":"name","operator":"IN","value":"x"}]',
        '[{"field":"name","operator":"EQUAL","value":["x"]}]',
        '[{"field":"name","operator":"GREATER_THAN","value":1}]',
        '[{"field":"created_time","operator":"GREATER_THAN","value":"today"}]',
        '[{"field":"created_time","operator":"IN_RANGE","value":[1]}]',
        '[{"field":"effective_status","operator":"IN","value":["SLEEPING"]}]',
    ],
)
@pytest.mark.usefixtures("start")
async def test_a_clause_that_makes_no_sense_is_refused(
    client: httpx.AsyncClient, filtering: str
) -> None:
    reply = await client.get(ADS, params={"filtering": filtering})

    assert (reply.status_code, reply.json()["error"]["code"]) == (400, 100)


@pytest.mark.usefixtures("start")
async def test_filtering_may_be_ignored_without_a_word(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    """Facts 5.5, 11: only the rows show it."""
    graph.faults.add("filtering_ignored")

    assert await narrowed(client, "name", "EQUAL", "Red") == ["Red", "red hat", "Blue"]


@pytest.mark.usefixtures("start")
async def test_one_field_may_be_refused_and_others_not(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    graph.faults.add("filtering_refused:field=name")
    clause = '[{"field":"ad.name","operator":"EQUAL","value":"Red"}]'

    assert (await client.get(ADS, params={"filtering": clause})).json()["error"]["code"] == 100
    assert len(await narrowed(client, "id", "NOT_EQUAL", "1")) == 3


async def test_what_was_updated_since_can_be_asked_for(
    client: httpx.AsyncClient, start: int
) -> None:
    """Facts 5.3, 5.13."""
    params = {"updated_since": str(start + 60), "fields": "name"}
    told = (await client.get(ADS, params=params)).json()["data"]

    assert [row["name"] for row in told] == ["Blue", "red hat"]
    assert (await client.get(ADS, params={"date_format": "U"})).status_code == 400
