"""Faults that meet listings, as a plain HTTP client sees them."""

import itertools

import httpx

from fixtures.graph import (
    FakeGraph,
    SteppedClock,
)
from tests.contract.fake_graph.fault_requests import (
    WALK_PAGES_MAX,
    create,
    fill,
    page,
    walk,
)


async def test_listing_lag_hides_the_new_from_listings_only(
    graph: FakeGraph, client: httpx.AsyncClient, clock: SteppedClock
) -> None:
    graph.faults.add("listing_lag:seconds=30,edge=ads")
    made = (await create(client)).json()["id"]

    assert (await page(client)).json()["data"] == []
    assert (await client.get(f"/v26.0/{made}")).status_code == 200
    clock.advance(30)
    assert len((await page(client)).json()["data"]) == 1


async def test_listing_order_may_be_any(graph: FakeGraph, client: httpx.AsyncClient) -> None:
    fill(graph, 8)
    newest = list(itertools.chain(*await walk(client)))
    graph.faults.add("listing_order")
    shuffled = list(itertools.chain(*await walk(client)))

    assert newest != shuffled
    assert sorted(newest) == sorted(shuffled)


async def test_position_cursors_repeat_a_row_after_an_insert(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    fill(graph, 4)
    graph.faults.add("position_cursors")
    graph.faults.add("drift")

    assert await walk(client) == [["3", "2"], ["2", "1"], ["0"]]


async def test_drift_by_deletion_kills_the_cursor_of_the_deleted_item(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    fill(graph, 4)
    graph.faults.add("drift:created=0,deleted=1")
    first = (await page(client)).json()

    second = await page(client, after=first["paging"]["cursors"]["after"])

    assert second.json()["error"]["code"] == 2642


async def test_clock_offset_shifts_date_and_created_time(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    graph.faults.add("clock_offset:seconds=90")
    await create(client)

    reply = await page(client)

    assert reply.headers["date"] == "Tue, 10 Mar 2026 12:01:34 GMT"
    assert reply.json()["data"][0]["created_time"] == "2026-03-10T05:01:34-0700"
    assert graph.world.log[-1].committed_at.second == 4


async def test_an_empty_page_has_a_next_and_the_walk_goes_on(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    fill(graph, 3)
    graph.faults.add("empty_page:nth=2,count=2")

    assert await walk(client) == [["2", "1"], [], [], ["0"]]


async def test_endless_empty_pages_never_end_and_never_repeat_a_cursor(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    fill(graph, 3)
    graph.faults.add("endless_empty_pages")

    assert await walk(client) == [[]] * WALK_PAGES_MAX
    cursors = [each.query.get("after") for each in graph.requests]
    assert len(set(cursors)) == WALK_PAGES_MAX


async def test_no_paging_key_reads_as_the_end(graph: FakeGraph, client: httpx.AsyncClient) -> None:
    fill(graph, 3)
    graph.faults.add("no_paging_key")

    assert set((await page(client)).json()) == {"data"}


async def test_next_without_cursors_leaves_only_the_url(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    fill(graph, 3)
    graph.faults.add("next_without_cursors")

    assert set((await page(client)).json()["paging"]) == {"next"}


async def test_odd_paging_is_no_object(graph: FakeGraph, client: httpx.AsyncClient) -> None:
    graph.faults.add("odd_paging")

    assert isinstance((await page(client)).json()["paging"], str)


async def test_odd_summary_tells_any_number(graph: FakeGraph, client: httpx.AsyncClient) -> None:
    fill(graph, 3)
    graph.faults.add("odd_summary:total=2")

    told = (await page(client)).json()

    assert (told["summary"], "next" in told["paging"]) == ({"total_count": 2}, True)


async def test_odd_rows_are_no_objects(graph: FakeGraph, client: httpx.AsyncClient) -> None:
    graph.faults.add("odd_rows")

    assert isinstance((await page(client)).json()["data"][0], str)


async def test_repeated_rows_show_an_id_twice(graph: FakeGraph, client: httpx.AsyncClient) -> None:
    fill(graph, 4)
    graph.faults.add("repeated_rows:nth=2")

    assert await walk(client) == [["3", "2"], ["2", "1"], ["0"]]


async def test_omitted_rows_never_show(graph: FakeGraph, client: httpx.AsyncClient) -> None:
    fill(graph, 5)
    graph.faults.add("omitted_rows:nth=2")

    assert await walk(client) == [["4", "3"], ["1", "0"]]


async def test_the_same_cursor_again_gives_the_same_page_for_ever(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    fill(graph, 4)
    graph.faults.add("same_cursor_again")

    assert await walk(client) == [["3", "2"]] * WALK_PAGES_MAX
    assert len({each.query.get("after") for each in graph.requests}) == 2


async def test_a_lost_cursor_forces_a_new_walk(graph: FakeGraph, client: httpx.AsyncClient) -> None:
    fill(graph, 3)
    graph.faults.add("lost_cursor:nth=2")
    after = (await page(client)).json()["paging"]["cursors"]["after"]

    replies = [await page(client, after=after) for _ in range(2)]

    assert [reply.status_code for reply in replies] == [400, 400]
    assert [reply.json()["error"]["code"] for reply in replies] == [2642, 2642]
    assert await walk(client) == [["2", "1"], ["0"]]


async def test_depth_exceeded_is_a_100(graph: FakeGraph, client: httpx.AsyncClient) -> None:
    graph.faults.add("depth_exceeded")

    assert (await page(client)).json()["error"]["code"] == 100


async def test_a_page_error_is_bare_and_passes(graph: FakeGraph, client: httpx.AsyncClient) -> None:
    graph.faults.add("page_error")

    first, again = await page(client), await page(client)

    assert (first.status_code, again.status_code) == (500, 200)
    assert first.json() == {
        "error": {"code": 1, "message": "An unknown error occurred", "error_subcode": 99}
    }


async def test_a_too_heavy_page_must_be_asked_for_smaller(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    graph.faults.add("too_heavy:limit_max=50")

    heavy, light = await page(client, limit="100"), await page(client, limit="50")

    assert (heavy.status_code, set(heavy.json()["error"])) == (500, {"message", "code"})
    assert heavy.json()["error"]["message"].startswith("Please reduce the amount of data")
    assert light.status_code == 200


async def test_sparse_rows_lack_fields_or_have_null(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    fill(graph, 2)
    graph.faults.add("sparse_rows:field=name+created_time,count=1")
    graph.faults.add("sparse_rows:field=name,as_null=true,nth=2")

    lacking, null = (await page(client)).json()["data"], (await page(client)).json()["data"]

    assert [set(row) for row in lacking] == [{"id"}, {"id"}]
    assert [row["name"] for row in null] == [None, None]


async def test_some_rows_are_sparse_by_the_seed(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    fill(graph, 20)
    graph.faults.add("sparse_rows:share=0.5")

    rows = (await page(client, limit="20")).json()["data"]

    assert 2 < sum("created_time" in row for row in rows) < 18


async def test_numeric_ids_come_on_creates_and_in_rows(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    graph.faults.add("numeric_ids")

    made = (await create(client)).json()["id"]

    assert isinstance(made, int)
    assert [row["id"] for row in (await page(client)).json()["data"]] == [made]


async def test_the_token_may_stand_in_next_and_previous(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    """Facts 1.21, 7.10: it came in a header."""
    fill(graph, 3)
    graph.faults.add("token_in_next")
    first = (await page(client, limit="1")).json()["paging"]
    second = (await page(client, limit="1", after=first["cursors"]["after"])).json()["paging"]

    urls = [first["next"], second["next"], second["previous"]]
    assert [url.count("access_token=fake-token") for url in urls] == [1, 1, 1]


async def test_foreign_next_leads_to_another_host(
    graph: FakeGraph, client: httpx.AsyncClient
) -> None:
    fill(graph, 3)
    graph.faults.add("foreign_next")

    assert "graph.example.org" in (await page(client)).json()["paging"]["next"]
