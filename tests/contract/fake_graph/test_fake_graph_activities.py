"""The activity log as a plain HTTP client reads it (facts section 6)."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from fixtures.graph import Application, FakeGraph, SteppedClock
from tests.contract.fake_graph.fault_requests import create

LOG = "/v26.0/act_1001/activities"
ALL = "event_type,event_time,object_id,object_type,object_name,application_id,actor_id,extra_data"
LONG_AGO = {"since": "0"}


async def log(client: httpx.AsyncClient, path: str = LOG, **params: str) -> list[dict[str, Any]]:
    """The rows of one page, oldest first, without what the scene was furnished with."""
    reply = await client.get(path, params={"fields": ALL, "limit": "100", **LONG_AGO, **params})
    assert reply.status_code == 200, reply.text
    rows = [row for row in reply.json()["data"] if len(row["object_id"]) > 4]
    return rows[::-1]


def events(rows: list[dict[str, Any]]) -> list[str]:
    return [row["event_type"] for row in rows]


async def test_a_create_leaves_a_row_of_the_documented_form(
    client: httpx.AsyncClient, clock: SteppedClock
) -> None:
    """Facts 6.1, 6.4, 6.5, 9.15: the old names, UTC, and extra data as a text."""
    made = (await create(client)).json()["id"]

    (row,) = await log(client)
    extra = json.loads(row.pop("extra_data"))
    assert row == {
        "event_type": "create_ad",
        "event_time": "2026-03-10T12:00:04+0000",
        "object_id": made,
        "object_type": "ADGROUP",
        "object_name": "A",
        "application_id": "77001",
        "actor_id": "61550000",
    }
    assert set(extra) == {"adgroup_id", "campaign_id"}
    assert _id_in(extra["campaign_id"]) == "2001", "of an ad it is the ad set"


def _id_in(value: object) -> object:
    return value["new"] if isinstance(value, Mapping) else value


async def test_ids_in_extra_data_are_scalars_or_objects(client: httpx.AsyncClient) -> None:
    """Facts 6.5."""
    made = [(await create(client)).json()["id"] for _ in range(3)]

    told = [json.loads(row["extra_data"])["adgroup_id"] for row in await log(client)]
    assert [_id_in(each) for each in told] == made
    assert {type(each) for each in told} == {str, dict}
    assert {len(each) for each in told if isinstance(each, dict)} == {1, 2}


async def test_old_names_stand_for_campaigns_and_ad_sets_too(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    graph.world.colleague_creates("campaigns", "C")
    graph.world.colleague_creates("adsets", "S", parent_id="1501")

    told = [(row["event_type"], row["object_type"]) for row in await log(client)]
    assert told == [("create_campaign_group", "CAMPAIGN_GROUP"), ("create_ad_set", "CAMPAIGN")]


async def test_creatives_and_labels_are_made_without_a_row(client: httpx.AsyncClient) -> None:
    """Facts 6.3: attaching labels is told, at the same second as the create (6.5)."""
    await client.post("/v26.0/act_1001/adcreatives", data={"name": "C", "object_story_id": "1_2"})
    await client.post("/v26.0/act_1001/adlabels", data={"name": "rc1-x"})
    assert await log(client) == []
    await create(client, adlabels='[{"name":"rc1-y"}]')

    rows = await log(client)
    assert events(rows) == ["create_ad", "update_ad_labels"]
    assert len({(row["object_id"], row["event_time"]) for row in rows}) == 1


async def test_edits_leave_rows_too(graph: FakeGraph, client: httpx.AsyncClient) -> None:
    made = (await create(client)).json()["id"]
    await client.post(f"/v26.0/{made}", data={"name": "B", "status": "ACTIVE"})
    graph.world.rename("3001", "another creative")

    rows = await log(client)
    assert events(rows) == ["create_ad", "update_ad_friendly_name", "update_ad_run_status"]
    assert rows[1]["object_name"] == "B"
    (creative,) = (await client.get(LOG, params=LONG_AGO | {"oid": "3001"})).json()["data"]
    assert creative["event_type"] == "update_ad_creative"


async def test_the_log_tells_the_app_and_whom(graph: FakeGraph, client: httpx.AsyncClient) -> None:
    """Facts 6.9: by hand another app and a person; by the API the app, and one system user."""
    graph.options.tokens["other-token"] = "other"
    graph.world.applications["other"] = Application("88002", "another app")
    await create(client)
    await client.post(
        "/v26.0/act_1001/campaigns",
        data={"name": "C"},
        headers={"authorization": "Bearer other-token"},
    )
    graph.world.colleague_creates("campaigns", "by hand")

    rows = await log(client)
    assert [row["application_id"] for row in rows] == ["77001", "88002", "77009"]
    assert rows[0]["actor_id"] == rows[1]["actor_id"] != rows[2]["actor_id"]


# --- bounds ---------------------------------------------------------------------------------------


async def test_without_bounds_only_the_last_days_come_back_and_no_next(
    client: httpx.AsyncClient, clock: SteppedClock
) -> None:
    """Facts 6.6."""
    await create(client, name="old")
    clock.advance(4 * 24 * 3600)
    for name in ("new", "newer"):
        await create(client, name=name)

    told = (await client.get(LOG, params={"fields": "object_name", "limit": "1"})).json()
    assert [row["object_name"] for row in told["data"]] == ["newer"]
    assert "next" not in told["paging"]
    names = [row["object_name"] for row in await log(client)]
    assert names == ["old", "new", "newer"]


async def test_since_is_inclusive_and_until_exclusive(
    client: httpx.AsyncClient, clock: SteppedClock
) -> None:
    """Facts 6.6; a bound may be unix seconds or ISO 8601."""
    start = clock.now
    for name in ("one", "two", "three"):
        await create(client, name=name)
        clock.advance(60)

    def bounds(first: int, last: int) -> dict[str, str]:
        since, until = (start + timedelta(minutes=each) for each in (first, last))
        return {"since": str(int(since.timestamp())), "until": until.isoformat()}

    assert [row["object_name"] for row in await log(client, **bounds(0, 2))] == ["one", "two"]
    assert [row["object_name"] for row in await log(client, **bounds(1, 1))] == []
    assert [row["object_name"] for row in await log(client, **bounds(2, 3))] == ["three"]


async def test_a_row_comes_late_and_goes_for_good(
    graph: FakeGraph, client: httpx.AsyncClient, clock: SteppedClock
) -> None:
    """Facts 6.7, 6.10."""
    graph.faults.add("activity_delay:seconds=60")
    graph.faults.add("activity_retention:days=10")
    await create(client)
    seen = []
    for wait in (0, 59, 1, 9 * 24 * 3600, 2 * 24 * 3600):
        clock.advance(wait)
        seen.append(len(await log(client)))

    assert seen == [0, 0, 1, 1, 0]


async def test_the_times_are_the_servers(
    graph: FakeGraph, client: httpx.AsyncClient, clock: SteppedClock
) -> None:
    """Facts 5.12: the same clock as `created_time`."""
    graph.faults.add("clock_offset:seconds=90")
    await create(client)

    (row,) = await log(client)
    told = datetime.strptime(row["event_time"], "%Y-%m-%dT%H:%M:%S%z")
    assert told - clock.now.astimezone(UTC) == timedelta(seconds=90)


# --- what is asked for ----------------------------------------------------------------------------


async def test_one_object_or_its_children_can_be_asked_for(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    """Facts 6.2."""
    campaign = graph.world.colleague_creates("campaigns", "C").id
    adset = graph.world.colleague_creates("adsets", "S", parent_id=campaign).id
    graph.world.colleague_creates("ads", "A", parent_id=adset)

    async def names(path: str = LOG, **params: str) -> list[str]:
        return [row["object_name"] for row in await log(client, path, **params)]

    assert await names(oid=campaign) == ["C"]
    assert await names(oid=campaign, extra_oids=json.dumps([adset])) == ["C", "S"]
    assert await names(oid=campaign, add_children="true") == ["C", "S", "A"]
    assert await names(f"/v26.0/{adset}/activities") == ["S"]
    assert await names(category="AD") == ["A"]
    assert await names(category="STATUS") == []
    assert await names(uid="61550000") == []
    assert len(await names(oid="act_1001")) == 3


async def test_the_log_is_paged_newest_first_and_new_rows_do_not_shift_it(
    graph: FakeGraph, client: httpx.AsyncClient, clock: SteppedClock
) -> None:
    for number in range(5):
        clock.advance(1)
        await create(client, name=str(number))
    wanted = {"since": str(int(clock.now.timestamp()) - 4), "fields": "object_name", "limit": "2"}
    names: list[str] = []
    more: dict[str, str] = {}
    told: dict[str, Any] = {}
    for _ in range(3):
        told = (await client.get(LOG, params=wanted | more)).json()
        names += [row["object_name"] for row in told["data"]]
        more = {"after": told["paging"]["cursors"]["after"]}
        graph.world.colleague_creates("campaigns", "between pages")

    assert names == ["4", "3", "2", "1", "0"]
    assert "next" not in told["paging"]


@pytest.mark.parametrize(
    ("path", "params", "code"),
    [
        (LOG, {"fields": "id"}, 100),
        (LOG, {"category": "WEATHER"}, 100),
        (LOG, {"since": "yesterday"}, 100),
        (LOG, {"extra_oids": "1"}, 100),
        (LOG, {"limit": "0"}, 100),
        (LOG, {"after": "QVFIVxx"}, 2642),
        ("/v26.0/1501/activities", {}, 100),
        ("/v26.0/act_7/activities", {}, 100),
    ],
)
async def test_what_the_log_does_not_understand_is_an_error(
    client: httpx.AsyncClient, path: str, params: dict[str, str], code: int
) -> None:
    reply = await client.get(path, params=params)

    assert (reply.status_code, reply.json()["error"]["code"]) == (400, code)


async def test_the_faults_of_listings_strike_the_log(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    """Facts 6.8: throttles and lost access too."""
    await create(client)
    graph.faults.add("empty_page:on_edge=activities")
    first = (await client.get(LOG, params=LONG_AGO)).json()
    graph.faults.add("lost_cursor:on_edge=activities")
    lost = await client.get(LOG, params=LONG_AGO)
    stale = await client.get(LOG, params=LONG_AGO | {"after": first["paging"]["cursors"]["after"]})

    assert first["data"] == []
    assert "next" in first["paging"]
    assert [reply.json()["error"]["code"] for reply in (lost, stale)] == [2642, 2642]
