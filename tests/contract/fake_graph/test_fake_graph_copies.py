"""Copies made through the API, and labels that are edited or deleted (facts 4D, 4.24 to 4.27)."""

import json
from typing import Any

import httpx
import pytest

from fixtures.graph import FakeGraph, SteppedClock
from tests.contract.fake_graph.fault_requests import create

LABELS = "/v26.0/act_1001/adlabels"
MARK = '[{"name":"rc1-x"}]'


async def marked(client: httpx.AsyncClient) -> str:
    return str((await create(client, name="A", adlabels=MARK)).json()["id"])


async def copied(client: httpx.AsyncClient, node: str, **params: str) -> dict[str, Any]:
    reply = await client.post(f"/v26.0/{node}/copies", data=params)
    told = reply.json()
    assert isinstance(told, dict)
    return told


async def row(client: httpx.AsyncClient, node: str, fields: str) -> dict[str, Any]:
    told = (await client.get(f"/v26.0/{node}", params={"fields": fields})).json()
    assert isinstance(told, dict)
    return told


# --- copies ---------------------------------------------------------------------------------------


async def test_a_copy_inherits_name_and_labels_and_names_its_source(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    """Facts 4.21, 4.27: paused, whatever the source is."""
    source = await marked(client)
    await client.post(f"/v26.0/{source}", data={"status": "ACTIVE"})
    made = (await copied(client, source))["copied_ad_id"]

    fields = "name,status,adset_id,source_ad_id,adlabels"
    one, other = await row(client, source, fields), await row(client, made, fields)
    assert (other["source_ad_id"], other["status"]) == (source, "PAUSED")
    assert [other[each] for each in ("name", "adset_id", "adlabels")] == [
        one[each] for each in ("name", "adset_id", "adlabels")
    ]
    creation = graph.world.creations[made]
    assert (creation.copy_of, creation.actor, creation.by_hand) == (source, "fake-token", False)
    assert creation.replied


async def test_copies_of_one_are_an_edge_of_it(client: httpx.AsyncClient) -> None:
    source = await marked(client)
    made = [(await copied(client, source))["copied_ad_id"] for _ in range(3)]
    page = await client.get(f"/v26.0/{source}/copies", params={"fields": "name", "limit": "2"})
    rest = await client.get(page.json()["paging"]["next"])

    listed = [each["id"] for reply in (page, rest) for each in reply.json()["data"]]
    assert listed == made[::-1]


async def test_a_copy_may_be_renamed_moved_and_live(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    other = graph.world.colleague_creates("adsets", "other", parent_id="1501").id
    source = await marked(client)
    told = await copied(
        client,
        source,
        status_option="ACTIVE",
        adset_id=other,
        rename_options=json.dumps({"rename_suffix": " - Copy"}),
    )

    shown = await row(client, told["copied_ad_id"], "name,status,adset_id")
    assert (shown["name"], shown["status"], shown["adset_id"]) == ("A - Copy", "ACTIVE", other)


async def test_a_deep_copy_takes_three_objects_at_most(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    """Facts 4.21, E31."""
    source = await marked(client)
    shallow = await copied(client, "1501")
    deep = await copied(client, "1501", deep_copy="true")
    await marked(client)
    refused = await client.post("/v26.0/1501/copies", data={"deep_copy": "true"})

    assert [len(each["ad_object_ids"]) for each in (shallow, deep)] == [1, 3]
    ad = graph.world.entities[deep["ad_object_ids"][2]["copied_id"]]
    adset = graph.world.entities[ad.parent_id]
    assert (ad.source_id, adset.source_id) == (source, "2001")
    assert adset.parent_id == deep["copied_campaign_id"]
    error = refused.json()["error"]
    assert (error["code"], error["error_subcode"]) == (100, 1885194)


@pytest.mark.parametrize(
    ("node", "params"),
    [
        ("3001", {}),
        ("999", {}),
        ("act_1001", {}),
        ("2001", {"status_option": "SLEEPING"}),
        ("2001", {"rename_options": "x"}),
        ("2001", {"campaign_id": "2001"}),
    ],
)
async def test_what_cannot_be_copied_is_refused(
    graph: FakeGraph, client: httpx.AsyncClient, node: str, params: dict[str, str]
) -> None:
    assert (await copied(client, node, **params))["error"]["code"] == 100
    assert graph.world.created_by("fake-token") == []


async def test_the_faults_of_creates_strike_copies(
    graph: FakeGraph, client: httpx.AsyncClient, clock: SteppedClock
) -> None:
    source = await marked(client)
    graph.faults.add("error_after_commit:on_edge=copies")
    graph.faults.add("late_commit:on_edge=copies,nth=2,seconds=5,then=error")
    for _ in range(2):
        assert "error" in await copied(client, source)
    early = len(graph.world.created_by("fake-token", "ad"))
    clock.advance(5)

    made = graph.world.created_by("fake-token", "ad")
    assert (early, len(made)) == (2, 3)
    assert [each.replied for each in made] == [True, False, False]


# --- labels ---------------------------------------------------------------------------------------


async def test_a_label_is_renamed_and_its_old_name_makes_another(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    """Facts 4.23, 4.27: rows show the new name."""
    ad = await marked(client)
    (label,) = (await row(client, ad, "adlabels"))["adlabels"]
    await client.post(f"/v26.0/{label['id']}", data={"name": "Q1"})
    again = await marked(client)

    assert (await row(client, ad, "adlabels"))["adlabels"] == [{"id": label["id"], "name": "Q1"}]
    (new,) = (await row(client, again, "adlabels"))["adlabels"]
    assert new["name"] == "rc1-x"
    assert new["id"] != label["id"]


@pytest.mark.parametrize("leaves", [False, True])
async def test_a_deleted_label_may_be_shown_on_rows_or_not(
    graph: FakeGraph, client: httpx.AsyncClient, leaves: bool
) -> None:
    """Its edge lists it no more; a create by its name makes another."""
    if leaves:
        graph.faults.add("deleted_labels_leave")
    ad = await marked(client)
    (label,) = (await row(client, ad, "adlabels"))["adlabels"]
    await client.delete(f"/v26.0/{label['id']}")
    listed = (await client.get(LABELS)).json()["data"]
    again = await marked(client)

    assert listed == []
    assert ("adlabels" in await row(client, ad, "adlabels")) is not leaves
    assert graph.world.entities[again].labels != [label["id"]]


async def test_labels_are_put_on_and_taken_off(client: httpx.AsyncClient) -> None:
    ad = await marked(client)
    await client.post(f"/v26.0/{ad}/adlabels", data={"adlabels": '[{"name":"Q1"}]'})
    both = (await row(client, ad, "adlabels"))["adlabels"]
    taken = json.dumps([{"id": both[0]["id"]}])
    await client.request("DELETE", f"/v26.0/{ad}/adlabels", params={"adlabels": taken})

    assert [each["name"] for each in both] == ["rc1-x", "Q1"]
    assert (await row(client, ad, "adlabels"))["adlabels"] == both[1:]
