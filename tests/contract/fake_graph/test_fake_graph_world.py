"""The world by itself: it makes what it is asked to, twice if asked twice, and remembers all."""

from datetime import UTC, datetime, timedelta

import pytest

from fixtures.graph import Entity, GraphError, Page, SteppedClock, World, WorldOptions, small_world

AD = {"name": "A", "adset_id": "2001", "creative": {"creative_id": "3001"}, "status": "PAUSED"}


@pytest.fixture
def clock() -> SteppedClock:
    return SteppedClock()


@pytest.fixture
def world(clock: SteppedClock) -> World:
    return small_world(clock)


def made(world: World, **params: object) -> Entity:
    entity = world.create("act_1001", "ads", AD | params, actor="T")
    assert isinstance(entity, Entity)
    return entity


def shown(page: Page | GraphError) -> list[str]:
    assert isinstance(page, Page)
    return [each.name for each in page.rows]


def test_the_same_create_twice_makes_two_entities(world: World) -> None:
    first, second = made(world), made(world)

    assert first.id != second.id
    assert len(first.id) == 18
    assert [first.id, second.id] == [each.id for each in world.created_by("T")]


def test_the_log_tells_who_made_what_where_and_when(world: World, clock: SteppedClock) -> None:
    entity = made(world, adlabels=[{"name": "rc1-x"}])

    label, creation = world.log[-2:]
    assert (label.kind, label.part_of) == ("adlabel", entity.id)
    assert (creation.actor, creation.kind, creation.id) == ("T", "ad", entity.id)
    assert (creation.parent_id, creation.name, creation.labels) == ("2001", "A", ["rc1-x"])
    assert (creation.committed_at, creation.visible_at) == (clock.now, clock.now)
    assert (creation.request, creation.replied) == (None, None)


def test_a_row_shows_whole_seconds_in_the_accounts_zone_without_a_colon(world: World) -> None:
    row = world.row(made(world), ["id", "created_time", "account_id", "campaign_id", "creative"])

    assert isinstance(row, dict)
    assert row.pop("id").isdigit()
    assert row == {
        "created_time": "2026-03-10T05:00:04-0700",
        "account_id": "1001",
        "campaign_id": "1501",
        "creative": {"id": "3001"},
    }


def test_a_creative_has_no_time_of_creation(world: World) -> None:
    row = world.row(world.entities["3001"], ["id", "created_time"])

    assert isinstance(row, GraphError)
    assert row.code == 100


def test_a_late_create_lands_at_its_time_whoever_looks(world: World, clock: SteppedClock) -> None:
    world.create_later(timedelta(seconds=5), "act_1001", "ads", AD, actor="T", request=7)
    clock.advance(4)
    assert world.created_by("T") == []
    clock.advance(60)

    (creation,) = world.created_by("T")
    assert creation.committed_at == datetime(2026, 3, 10, 12, 0, 9, tzinfo=UTC)
    assert creation.requested_at == datetime(2026, 3, 10, 12, 0, 4, tzinfo=UTC)


def test_a_listing_lags_behind_by_edge_while_reading_by_id_does_not(clock: SteppedClock) -> None:
    lag = {"adset/ads": timedelta(seconds=30)}
    world = small_world(clock, options=WorldOptions(lag=lag))
    entity = made(world)

    assert shown(world.page("2001", "ads")) == []
    assert shown(world.page("act_1001", "ads")) == ["A"]
    assert world.node(entity.id) is entity
    assert world.creations[entity.id].visible_at == clock.now + timedelta(seconds=30)
    clock.advance(30)
    assert shown(world.page("2001", "ads")) == ["A"]


def test_archived_shows_when_asked_for_and_deleted_never_does(world: World) -> None:
    archived, deleted = made(world, name="archived"), made(world, name="deleted")
    world.archive(archived.id)
    world.delete(deleted.id)

    assert shown(world.page("2001", "ads")) == []
    asked = {"PAUSED", "ARCHIVED", "DELETED"}
    assert shown(world.page("2001", "ads", statuses=asked)) == ["archived"]
    assert world.node(deleted.id) is deleted


def test_asking_for_deleted_can_be_an_error(clock: SteppedClock) -> None:
    world = small_world(clock, options=WorldOptions(deleted_filter="error"))

    page = world.page("2001", "ads", statuses={"DELETED"})

    assert isinstance(page, GraphError)
    assert (page.code, page.subcode) == (100, 1487561)


@pytest.mark.parametrize(
    ("container", "edge", "status"),
    [("act_1001", "campaigns", "CAMPAIGN_PAUSED"), ("1501", "adsets", "ADSET_PAUSED")],
)
def test_a_status_the_level_does_not_have_is_refused(
    world: World, container: str, edge: str, status: str
) -> None:
    page = world.page(container, edge, statuses={status})

    assert isinstance(page, GraphError)
    assert page.subcode == 1487561


def test_effective_status_follows_the_parents(world: World) -> None:
    entity = made(world, status="ACTIVE")
    assert world.effective_status(entity) == "ACTIVE"
    world.edit("1501", {"status": "PAUSED"})
    assert world.effective_status(entity) == "CAMPAIGN_PAUSED"
    world.edit("2001", {"status": "PAUSED"})
    assert world.effective_status(entity) == "ADSET_PAUSED"
    world.delete("1501")
    assert world.effective_status(entity) == "DELETED"
    assert world.live("ad") == []


def test_a_copy_carries_name_and_labels_and_tells_its_source_if_it_does(world: World) -> None:
    source = made(world, adlabels=[{"name": "rc1-x"}])
    telling, silent = world.copy(source.id), world.copy(source.id, tells_source=False)

    rows = [world.row(each, ["name", "adlabels", "source_ad_id"]) for each in (telling, silent)]
    assert all(isinstance(row, dict) and row["adlabels"][0]["name"] == "rc1-x" for row in rows)
    assert [row.get("source_ad_id") for row in rows if isinstance(row, dict)] == [source.id, None]
    assert [each.copy_of for each in world.log[-2:]] == [source.id, source.id]
    assert [each.id for each in world.created_by("T")] == [source.id]


def test_people_rename_relabel_conceal_and_it_is_on_record(world: World) -> None:
    entity = made(world)
    world.rename(entity.id, "B")
    world.relabel(entity.id, ["theirs"])
    world.conceal(entity.id)

    assert shown(world.page("2001", "ads")) == []
    world.conceal(entity.id, concealed=False)
    assert shown(world.page("2001", "ads")) == ["B"]
    assert [each.what for each in world.changes] == ["name", "adlabels"]


def test_an_archived_entity_may_only_be_renamed_or_deleted(world: World) -> None:
    entity = made(world)
    world.archive(entity.id)

    refused = world.edit(entity.id, {"status": "ACTIVE"})
    assert refused is not None
    assert refused.subcode == 1487862
    assert world.edit(entity.id, {"name": "B"}) is None
    assert world.edit(entity.id, {"status": "DELETED"}) is None


def test_equal_creatives_may_come_back_as_the_old_one(clock: SteppedClock) -> None:
    world = small_world(clock, options=WorldOptions(creatives_deduplicated=True))
    content = {"object_story_id": "1_2"}
    first = world.create("act_1001", "adcreatives", content | {"name": "A"}, actor="T")
    second = world.create("act_1001", "adcreatives", content | {"name": "B"}, actor="T")

    assert first is second
    assert len(world.created_by("T")) == 1


def test_an_inline_creative_becomes_one_of_its_own(world: World) -> None:
    entity = made(world, creative={"object_story_id": "1_2"})

    (part,) = [each for each in world.log if each.part_of == entity.id]
    assert part.kind == "adcreative"
    assert shown(world.page(entity.id, "adcreatives")) == [""]
    assert len(world.created_by("T")) == 1


@pytest.mark.parametrize(
    ("edge", "params", "code", "subcode"),
    [
        ("ads", {"name": ""}, 100, None),
        ("ads", {"name": "x" * 401}, 100, None),
        ("ads", {"creative": None}, 100, None),
        ("ads", {"creative": {"creative_id": "9"}}, 100, 33),
        ("ads", {"adset_id": "9"}, 100, 33),
        ("ads", {"adset_id": "1501"}, 100, 33),
        ("ads", {"status": "ARCHIVED"}, 100, None),
        ("ads", {"adlabels": [{"name": str(n)} for n in range(51)]}, 100, None),
        ("ads", {"adlabels": [{"id": "9"}]}, 100, 33),
        ("adsets", {}, 100, None),
        ("nonsense", {}, 2500, None),
    ],
)
def test_what_cannot_be_is_refused_and_makes_nothing(
    world: World, edge: str, params: dict[str, object], code: int, subcode: int | None
) -> None:
    before = len(world.log)

    refusal = world.create("act_1001", edge, AD | params)

    assert isinstance(refusal, GraphError)
    assert (refusal.code, refusal.subcode, len(world.log)) == (code, subcode, before)


def test_nothing_is_made_under_a_deleted_parent(world: World) -> None:
    world.delete("2001")

    refusal = world.create("act_1001", "ads", AD)

    assert isinstance(refusal, GraphError)
    assert refusal.subcode == 1487056


def test_two_worlds_with_the_same_seed_are_the_same(clock: SteppedClock) -> None:
    worlds = [small_world(clock, options=WorldOptions(order="shuffled"), seed=3) for _ in range(2)]
    for world in worlds:
        for number in range(20):
            made(world, name=str(number))

    first, second = (shown(world.page("2001", "ads")) for world in worlds)
    assert first == second
    assert first != sorted(first, key=int)
