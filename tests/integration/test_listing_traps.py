"""Every trap of paging on record, sprung on the real client by the fake API: ends, cursors, rows.

The size of pages, and what is asked for, is in `test_listing_pages.py`; the official client, which
falls into the trap of facts 1.6, in `test_official_sdk_and_ours.py`.

| fact | test |
|---|---|
| 1.1, 1.2 | `test_a_listing_ends_where_next_is_absent` |
| 1.3 | `test_empty_pages_are_stepped_over_and_end_at_a_bound` |
| 1.4 | `test_the_cursor_of_the_last_page_is_not_followed` |
| 1.5 | `test_a_page_without_paging_is_the_end` |
| 1.6 | `test_our_walk_of_the_same_pages_finds_everything` |
| 1.7 | `test_an_odd_shape_is_asked_again_and_never_taken_for_an_end` |
| 1.8, 1.9 | `test_a_lost_cursor_restarts_the_walk_once` |
| 1.10 | `test_a_container_deeper_than_the_edge_gives_is_incomplete` |
| 1.11, 1.12 | `test_a_limit_above_the_edges_own` |
| 1.13, 1.14 | `test_a_heavy_page_is_halved_down_to_one_row_and_no_further` |
| 1.15 | `test_a_page_that_becomes_heavy_keeps_its_cursor` |
| 1.16, 1.17 | `test_a_summary_changes_nothing` |
| 1.18 | `test_rows_may_come_in_any_order` |
| 1.19 | `test_a_row_that_drift_repeats_is_one_row` |
| 1.20 | `test_a_page_is_asked_for_by_its_cursor_alone` |
| 1.21 | `test_a_token_in_the_link_goes_nowhere` |
| 1.22 | `test_nothing_nested_is_asked_for` |
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fixtures.graph.call import Call
from fixtures.graph.fault import Fault, Proceed, Setting, at_listings
from fixtures.graph.reply import Reply, raw_reply
from reconciler.model import Reason
from tests.integration.fake_listing import (
    complete,
    cursors,
    fake_with,
    incomplete,
    listings,
    names,
    walked,
)

SEVEN = ["6", "5", "4", "3", "2", "1", "0"]


def test_every_fact_about_paging_has_a_test() -> None:
    table = re.findall(r"^\| ([\d., ]+) \|.*`(test_\w+)` \|$", __doc__ or "", re.MULTILINE)
    here = Path(__file__).parent
    beside = here.parent / "contract" / "fake_graph" / "test_official_sdk_and_ours.py"
    files = [beside, *here.glob("test_listing_*.py")]
    written = "".join(file.read_text(encoding="utf-8") for file in files)

    told = [fact for facts, _ in table for fact in facts.split(", ")]
    assert told == [f"1.{number}" for number in range(1, 23)]
    assert [test for _, test in table if f"def {test}(" not in written] == []


# --- the end --------------------------------------------------------------------------------------


@pytest.mark.parametrize("page_size", [1, 2, 3, 6, 7, 8, 500])
@pytest.mark.parametrize("clamp", [2, 1000])
async def test_a_listing_ends_where_next_is_absent(page_size: int, clamp: int) -> None:
    """R023."""
    graph = fake_with(7, limit_max=clamp)

    assert names(await walked(graph, page_size=page_size)) == SEVEN
    assert len(listings(graph)) == -(-7 // min(page_size, clamp))


@pytest.mark.parametrize("leading", [1, 2])
async def test_empty_pages_are_stepped_over_and_end_at_a_bound(leading: int) -> None:
    """R022: both in one walk. Empty ones at first and in between, rows behind, then no others."""
    graph = fake_with(7)
    graph.faults.add("empty_page", count=leading)
    graph.faults.add("empty_page", nth=leading + 2, count=2)
    through = complete(await walked(graph, page_size=3))
    graph.faults.add("endless_empty_pages", nth=2)

    walk = incomplete(await walked(graph, page_size=3, max_pages=40))

    assert [row.name for row in through.rows] == SEVEN
    assert through.pages == leading + 2 + 3
    assert (walk.reason, walk.pages, walk.row_count) == (Reason.LISTING_INCOMPLETE, 40, 3)
    assert "cap" in walk.detail


async def test_the_cursor_of_the_last_page_is_not_followed() -> None:
    """R021, R026: with `previous`, and with an `after` that leads nowhere."""
    graph = fake_with(4)

    assert names(await walked(graph, page_size=2)) == ["3", "2", "1", "0"]
    assert len(listings(graph)) == 2


async def test_a_page_without_paging_is_the_end() -> None:
    """R025: nothing on the edge; and one that gives all it has at once."""
    empty, full = fake_with(0), fake_with(2)
    full.faults.add("no_paging_key")

    assert names(await walked(empty)) == []
    assert names(await walked(full)) == ["1", "0"]


def told(body: bytes) -> Fault:
    """A listing answered by these bytes, with status 200 (facts 2.7)."""

    async def strike(_: Call, __: Proceed, ___: Setting) -> Reply:
        return raw_reply(body)

    return Fault("told", at_listings, strike=strike)


SHAPES: dict[str, Fault] = {"html_200": told(b"Service Unavailable"), "null": told(b"null")}


@pytest.mark.parametrize(
    "shape",
    [
        *SHAPES,
        "odd_paging",
        "odd_rows",
        "page_error",
        "html_page",
        "html_page:status=400",
        "connection_lost",
        "connection_lost:reset=true",
        "truncated_body",
        "cut_json:keep=40",
        "redirected",
    ],
)
@pytest.mark.parametrize("at", [1, 2, 4])
async def test_an_odd_shape_is_asked_again_and_never_taken_for_an_end(shape: str, at: int) -> None:
    """R025, R027, R028: it passes, or the walk is given up at that page."""
    passing, standing = fake_with(7), fake_with(7)
    passing.faults.add(SHAPES.get(shape, shape), nth=at, count=1)
    standing.faults.add(SHAPES.get(shape, shape), nth=at, count=None)

    walk = incomplete(await walked(standing, page_size=2))

    assert names(await walked(passing, page_size=2)) == SEVEN
    assert (walk.reason, walk.pages) == (Reason.LISTING_INCOMPLETE, at - 1)
    assert walk.detail.startswith(f"page {at}: ")
    assert [later == cursors(standing)[-1] for later in cursors(standing)[-3:]] == [True] * 3


# --- cursors --------------------------------------------------------------------------------------


@pytest.mark.parametrize("at", [1, 2, 3])
async def test_a_lost_cursor_restarts_the_walk_once(at: int) -> None:
    """R026: nothing of the first walk is used, and a second loss is the end of it."""
    once, twice = fake_with(5), fake_with(5)
    once.faults.add("lost_cursor", nth=at)
    twice.faults.add("lost_cursor", nth=at)
    twice.faults.add("lost_cursor", nth=2 * at)

    found = complete(await walked(once, page_size=2))
    walk = incomplete(await walked(twice, page_size=2))

    assert [row.name for row in found.rows] == ["4", "3", "2", "1", "0"]
    assert (found.pages, found.row_count, found.saw_an_id_twice) == (3, 5, False)
    assert cursors(once).count(None) == 2
    assert (walk.reason, walk.row_count) == (Reason.LISTING_INCOMPLETE, 2 * (at - 1))
    assert "again after a restart" in walk.detail


async def test_a_restart_forgets_the_rows_that_were_deleted_meanwhile() -> None:
    """Facts 1.8: the cursor's item goes after page 1, and takes the cursor with it."""
    graph = fake_with(5)
    graph.faults.add("drift:created=0,deleted=1")

    assert names(await walked(graph, page_size=2)) == ["4", "2", "1", "0"]
    assert cursors(graph).count(None) == 2


@pytest.mark.parametrize("empty", [0, 1, 3])
@pytest.mark.parametrize("lost", [False, True])
async def test_the_same_cursor_again_ends_the_walk_behind_empty_pages_and_restarts(
    empty: int, lost: bool
) -> None:
    graph = fake_with(5)
    if lost:
        graph.faults.add("lost_cursor", nth=2)
    graph.faults.add("empty_page", nth=2, count=empty)
    graph.faults.add("same_cursor_again", nth=3 + empty)

    walk = incomplete(await walked(graph, page_size=1))

    assert "a cursor came again" in walk.detail
    assert len(listings(graph)) < 10


async def test_an_older_cursor_that_comes_again_ends_the_walk() -> None:
    """Around in a circle of three, with empty pages in it."""
    graph, seen = fake_with(9), list[str]()

    async def circle(call: Call, proceed: Proceed, _: Setting) -> Reply:
        call.is_blank = len(seen) == 1
        reply = await proceed(call)
        cursor = reply.payload["paging"]["cursors"]
        seen.append(cursor["after"])
        cursor["after"] = seen[(len(seen) - 1) % 3]
        return reply

    graph.faults.add(Fault("circle", at_listings, strike=circle, lasting=True))
    walk = incomplete(await walked(graph, page_size=2))

    assert "a cursor came again" in walk.detail
    assert len(listings(graph)) == 4


@pytest.mark.parametrize("then", ["endless_empty_pages", "same_cursor_again", "page_error:count=9"])
async def test_a_restart_is_bounded_like_any_walk(then: str) -> None:
    graph = fake_with(7)
    graph.faults.add("empty_page", nth=2)
    graph.faults.add("lost_cursor", nth=3)
    graph.faults.add(then, nth=5)

    walk = incomplete(await walked(graph, page_size=2, max_pages=10))

    assert walk.reason is Reason.LISTING_INCOMPLETE
    assert cursors(graph).count(None) == 2
    assert len(listings(graph)) <= 3 + 10


async def test_a_container_deeper_than_the_edge_gives_is_incomplete() -> None:
    """A restart would meet the same end, so there is none."""
    graph = fake_with(7, depth_max=4)

    walk = incomplete(await walked(graph, page_size=2))

    assert (walk.reason, walk.row_count) == (Reason.LISTING_INCOMPLETE, 4)
    assert cursors(graph).count(None) == 1


# --- rows -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("total", [0, 3, 7, 8, 10**6])
async def test_a_summary_changes_nothing(total: int) -> None:
    """Neither an early end where the total is reached, nor a doubt where it is not."""
    graph = fake_with(7)
    graph.faults.add(f"odd_summary:total={total}")

    walk = complete(await walked(graph, page_size=3))

    assert (len(walk.rows), walk.row_count, walk.pages) == (7, 7, 3)


@pytest.mark.parametrize("order", ["newest", "oldest", "shuffled"])
async def test_rows_may_come_in_any_order(order: str) -> None:
    walk = complete(await walked(fake_with(7, order=order), page_size=2))

    assert sorted(row.name or "" for row in walk.rows) == sorted(SEVEN)


async def test_a_row_that_drift_repeats_is_one_row() -> None:
    """R031: cursors count rows, and colleagues create two ads after page 1."""
    graph = fake_with(5, cursor_binding="position")
    graph.faults.add("drift:created=2")

    walk = complete(await walked(graph, page_size=3))

    assert [row.name for row in walk.rows] == ["4", "3", "2", "1", "0"]
    assert (walk.row_count, walk.saw_an_id_twice) == (5, True)


@pytest.mark.parametrize("rows", [500, 501])
async def test_a_cap_on_rows_is_not_the_end(rows: int) -> None:
    """R032: a cap of 500, and ours is the last of 501."""
    walk = await walked(fake_with(rows), lambda row: row.name == "0", max_rows=500, page_size=100)

    if rows == 500:
        assert names(walk) == ["0"]
    else:
        assert "cap" in incomplete(walk).detail
