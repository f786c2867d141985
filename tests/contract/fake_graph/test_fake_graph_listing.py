"""Paging of the world: cursors are opaque, walks are whole, and drift does what drift does."""

from collections.abc import Iterator

import pytest

from fixtures.graph import GraphError, Page, SteppedClock, World, WorldOptions, small_world

PAGES_MAX = 50


def filled(count: int = 7, **options: object) -> World:
    world = small_world(SteppedClock(), options=WorldOptions(**options))  # type: ignore[arg-type]
    for number in range(count):
        world.colleague_creates("ads", str(number), parent_id="2001")
    return world


def pages(world: World, limit: int = 3) -> Iterator[Page]:
    after: str | None = None
    for _ in range(PAGES_MAX):
        page = world.page("2001", "ads", limit=limit, after=after)
        assert isinstance(page, Page)
        yield page
        if not page.has_next:
            return
        after = page.after
    raise AssertionError("the walk has no end")


def walked(world: World, limit: int = 3) -> list[str]:
    return [each.name for page in pages(world, limit) for each in page.rows]


@pytest.mark.parametrize("limit", [1, 3, 7, 8])
def test_a_walk_shows_every_row_once_newest_first(limit: int) -> None:
    assert walked(filled(), limit) == ["6", "5", "4", "3", "2", "1", "0"]


def test_the_cursor_stays_on_the_last_page_and_only_next_goes() -> None:
    *_, last = pages(filled())

    assert (last.has_next, last.has_previous) == (False, True)
    assert last.after is not None


def test_an_edge_with_nothing_on_it_has_no_cursors() -> None:
    (page,) = pages(filled(0))

    assert (page.rows, page.after, page.before) == ([], None, None)


def test_beyond_the_end_the_page_is_empty_and_the_cursor_stays() -> None:
    world = filled()
    *_, last = pages(world)

    beyond = world.page("2001", "ads", after=last.after)

    assert isinstance(beyond, Page)
    assert (beyond.rows, beyond.after, beyond.has_next) == ([], last.after, False)


def test_a_walk_can_go_back() -> None:
    world = filled()
    _, second, _ = pages(world)

    first = world.page("2001", "ads", limit=3, before=second.before)

    assert isinstance(first, Page)
    assert ([each.name for each in first.rows], first.has_previous) == (["6", "5", "4"], False)


def test_a_page_can_be_asked_again_with_the_same_cursor_and_a_smaller_limit() -> None:
    world = filled()
    first, *_ = pages(world)

    smaller = world.page("2001", "ads", limit=1, after=first.after)

    assert isinstance(smaller, Page)
    assert [each.name for each in smaller.rows] == ["3"]


def test_a_cursor_dies_with_its_item() -> None:
    world = filled()
    first, *_ = pages(world)
    world.delete(first.rows[-1].id)

    refusal = world.page("2001", "ads", after=first.after)

    assert isinstance(refusal, GraphError)
    assert (refusal.code, refusal.status) == (2642, 400)


def test_or_goes_on_where_the_item_was() -> None:
    world = filled(vanished_cursor="continue")
    first, *_ = pages(world)
    world.delete(first.rows[-1].id)

    page = world.page("2001", "ads", limit=2, after=first.after)

    assert isinstance(page, Page)
    assert [each.name for each in page.rows] == ["3", "2"]


@pytest.mark.parametrize("cursor", ["nonsense", "QVFIU", "", "QVFIUMC4w", "ümlaut"])
def test_a_cursor_of_ones_own_making_is_refused(cursor: str) -> None:
    refusal = filled().page("2001", "ads", after=cursor)

    assert isinstance(refusal, GraphError)
    assert refusal.code == 2642


def test_a_cursor_of_another_edge_is_refused() -> None:
    world = filled()
    first, *_ = pages(world)

    refusal = world.page("act_1001", "ads", after=first.after)

    assert isinstance(refusal, GraphError)
    assert refusal.code == 2642


def test_an_insert_repeats_a_row_only_where_cursors_count_rows() -> None:
    by_item, by_position = filled(), filled(cursor_binding="position")
    seen: list[list[str]] = []
    for world in (by_item, by_position):
        walk = pages(world)
        names = [each.name for each in next(walk).rows]
        world.colleague_creates("ads", "new", parent_id="2001")
        names += [each.name for page in walk for each in page.rows]
        seen.append(names)

    assert seen[0] == ["6", "5", "4", "3", "2", "1", "0"]
    assert seen[1] == ["6", "5", "4", "4", "3", "2", "1", "0"]


def test_a_delete_loses_a_row_where_cursors_count_rows() -> None:
    world = filled(cursor_binding="position")
    walk = pages(world)
    first = next(walk)
    world.delete(first.rows[0].id)

    assert [each.name for page in walk for each in page.rows] == ["2", "1", "0"]


def test_an_empty_page_does_not_move_the_cursor_but_changes_it() -> None:
    world = filled()
    first, *_ = pages(world)

    empty = world.page("2001", "ads", limit=0, after=first.after)
    assert isinstance(empty, Page)
    assert (empty.rows, empty.has_next, empty.after != first.after) == ([], True, True)
    then = world.page("2001", "ads", limit=1, after=empty.after)
    assert isinstance(then, Page)
    assert [each.name for each in then.rows] == ["3"]


def test_a_walk_deeper_than_the_edge_allows_is_an_error() -> None:
    world = filled(depth_max=3)
    first = world.page("2001", "ads", limit=3)
    assert isinstance(first, Page)

    refusal = world.page("2001", "ads", limit=3, after=first.after)

    assert isinstance(refusal, GraphError)
    assert (refusal.code, refusal.subcode) == (100, None)


def test_a_limit_above_the_edges_own_is_cut_or_refused() -> None:
    cut = filled(limit_max=2).page("2001", "ads", limit=500)
    refused = filled(limit_max=2, large_limit="error").page("2001", "ads", limit=500)

    assert isinstance(cut, Page)
    assert len(cut.rows) == 2
    assert isinstance(refused, GraphError)


def test_the_edges_of_campaign_ad_and_label_list_what_hangs_on_them() -> None:
    world = filled(1)
    labelled = world.colleague_creates(
        "ads", "mine", parent_id="2001", labels=["L"], creative={"creative_id": "3001"}
    )
    label = labelled.labels[0]

    def names(container: str, edge: str, **more: object) -> list[str]:
        page = world.page(container, edge, **more)  # type: ignore[arg-type]
        assert isinstance(page, Page)
        return [each.name for each in page.rows]

    assert names("1501", "adsets") == ["Spring / all"]
    assert names("1501", "ads") == ["mine", "0"]
    assert names(labelled.id, "adcreatives") == ["Spring creative"]
    assert names("2001", "adcreatives") == ["Spring creative"]
    assert names(label, "ads") == ["mine"]
    assert names("act_1001", "adsbylabels", labels=[label]) == ["mine"]
    assert names("act_1001", "adlabels") == ["L"]
