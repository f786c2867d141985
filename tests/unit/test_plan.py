"""What an accepted plan says: parents, ids, names, twins, and a hash of what it wants."""

import json
from typing import Any

import pytest

from reconciler.model import Container, ContainerKind, Echo, Kind
from reconciler.plan import Plan, parse_plan_text, read_plan

EXAMPLE = """
{"account_id": "act_1001", "container": {"kind": "adset", "id": "2001"},
 "items": [{"key": "a1", "kind": "ad", "name": "Spring / 1", "params": {"status": "PAUSED", "creative": {"creative_id": "3001"}}},
           {"key": "a2", "kind": "ad", "name": "Spring / 2", "params": {"status": "PAUSED", "creative": {"creative_id": "3001"}}}]}
"""  # noqa: E501 - as the design prints it

ACCOUNT = Container(kind=ContainerKind.ACCOUNT, id="act_1001")
ADSET = Container(kind=ContainerKind.ADSET, id="2001")


def item(key: str, kind: str, name: str = "Spring", **params: Any) -> dict[str, Any]:
    return {"key": key, "kind": kind, "name": name, "params": params}


def tree() -> dict[str, Any]:
    """A campaign, an ad set in it, a creative, an ad: joined by references."""
    return {
        "account_id": "1001",
        "items": [
            item("c", "campaign", objective="OUTCOME_TRAFFIC"),
            item("s", "adset", campaign_id={"$ref": "c"}),
            item("k", "adcreative", object_story_id="1_2"),
            item("a", "ad", adset_id={"$ref": "s"}, creative={"creative_id": {"$ref": "k"}}),
        ],
    }


def read(value: object, echo: Echo = Echo.LABEL) -> Plan:
    return read_plan(value, echo=echo)


def one(kind: str, *, container: Any = None, name: str = "Spring", **params: Any) -> Plan:
    """A plan of one item."""
    top = {"account_id": "act_1001", "items": [item("a", kind, name, **params)]}
    return read(top if container is None else top | {"container": container})


def test_the_example_of_the_design_is_accepted() -> None:
    plan = read(parse_plan_text(EXAMPLE))

    assert (plan.account_id, plan.container, plan.title) == ("act_1001", ADSET, None)
    assert [(i.key, i.position, i.kind, i.name) for i in plan.items] == [
        ("a1", 0, Kind.AD, "Spring / 1"),
        ("a2", 1, Kind.AD, "Spring / 2"),
    ]
    assert plan.items[0].params == {"status": "PAUSED", "creative": {"creative_id": "3001"}}
    assert [i.parent for i in plan.items] == [ADSET, ADSET]
    assert not any(i.is_twin for i in plan.items)


def test_without_a_container_the_account_is_shown() -> None:
    assert one("campaign").container == ACCOUNT


@pytest.mark.parametrize("spelling", [None, {"kind": "account", "id": 1001}])
def test_a_container_may_be_null_or_the_account_itself(spelling: object) -> None:
    plan = read({"account_id": "act_1001", "container": spelling, "items": [item("a", "campaign")]})

    assert plan.container == ACCOUNT


@pytest.mark.parametrize("kind", ["campaign", "adcreative"])
def test_campaigns_and_creatives_belong_to_the_account_in_any_container(kind: str) -> None:
    assert one(kind, container={"kind": "adset", "id": "2001"}).items[0].parent == ACCOUNT


def test_a_parent_written_in_the_item_needs_no_container() -> None:
    assert one("ad", adset_id=2001).items[0].parent == ADSET


def test_a_parent_written_twice_alike_is_one() -> None:
    plan = one("ad", adset_id=2001, container={"kind": "adset", "id": "2001"})

    assert plan.items[0].parent == ADSET


def test_a_container_of_another_kind_does_no_harm_where_the_parent_is_written() -> None:
    plan = one("ad", adset_id="2001", container={"kind": "campaign", "id": "7"})

    assert (plan.items[0].parent, plan.container.id) == (ADSET, "7")


def test_references_join_items_at_any_depth_and_in_any_order() -> None:
    value = tree()
    value["items"].reverse()
    plan = read(value)

    found = {i.key: (i.parent, i.parent_ref, i.refs) for i in plan.items}
    assert found == {
        "c": (ACCOUNT, None, frozenset()),
        "s": (None, "c", frozenset({"c"})),
        "k": (ACCOUNT, None, frozenset()),
        "a": (None, "s", frozenset({"s", "k"})),
    }


@pytest.mark.parametrize("account", ["act_1001", "1001", 1001])
def test_an_account_is_the_same_with_and_without_its_prefix_r046(account: object) -> None:
    assert read(tree() | {"account_id": account}).account_id == "act_1001"


def test_ids_above_two_to_the_53_keep_all_digits_r053() -> None:
    text = (
        '{"account_id": 23851234567890123, "items": [{"key": "a", "kind": "ad", "name": "N",'
        ' "params": {"adset_id": 23851234567890125, "creative": {"creative_id": 9007199254740993},'
        ' "bid_amount": 9007199254740993, "adlabels": [{"id": 9007199254740995}]}}]}'
    )
    plan = read(parse_plan_text(text))

    assert plan.account_id == "act_23851234567890123"
    assert plan.items[0].params == {
        "adset_id": "23851234567890125",
        "creative": {"creative_id": "9007199254740993"},
        "bid_amount": 9007199254740993,  # no id: stays the number it is
        "adlabels": [{"id": "9007199254740995"}],
    }


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        pytest.param("E\u0301te\u0301 – Lyon", "Été – Lyon", id="r048 decomposed"),
        pytest.param("Retargeting  30d ", "Retargeting 30d", id="r049 white space"),
        pytest.param("Retargeting\u00a030d", "Retargeting 30d", id="r049 no-break space"),
        pytest.param("🇫🇷 👩‍👩‍👧 Soldes", "🇫🇷 👩‍👩‍👧 Soldes", id="r050 emoji"),
        pytest.param("50% & plus+more #1", "50% & plus+more #1", id="r050 no decoding"),
        pytest.param("Spring [rc1-x]", "Spring [rc1-x]", id="only the look of a mark"),
    ],
)
def test_names_are_kept_in_canonical_form(written: str, kept: str) -> None:
    assert one("campaign", name=written).items[0].name == kept


def test_the_params_are_a_copy_that_the_caller_cannot_change_later() -> None:
    targeting = {"geo_locations": {"countries": ["FR"]}}
    plan = one("ad", adset_id="1", targeting=targeting)
    targeting["geo_locations"]["countries"].append("DE")

    assert plan.items[0].params["targeting"] == {"geo_locations": {"countries": ["FR"]}}


# --- twins -----------------------------------------------------------------------------------


def pair(first: dict[str, Any], second: dict[str, Any]) -> list[bool]:
    head = [item("c1", "campaign", "C1"), item("c2", "campaign", "C2")]
    plan = read({"account_id": "1", "items": [*head, first, second]})
    return [i.is_twin for i in plan.items[2:]]


def test_items_equal_in_kind_parent_and_canonical_name_are_twins() -> None:
    assert pair(
        item("a", "adset", " Été", campaign_id={"$ref": "c1"}, daily_budget=1),
        item("b", "adset", "E\u0301te\u0301", campaign_id={"$ref": "c1"}, daily_budget=2),
    ) == [True, True]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param(
            item("a", "adset", campaign_id={"$ref": "c1"}),
            item("b", "adset", campaign_id={"$ref": "c2"}),
            id="another parent",
        ),
        pytest.param(item("a", "campaign"), item("b", "adcreative"), id="another kind"),
        pytest.param(item("a", "campaign", "N"), item("b", "campaign", "n"), id="another case"),
        pytest.param(
            item("a", "adset", campaign_id={"$ref": "c1"}),
            item("b", "adset", campaign_id=7),
            id="a reference and an id",
        ),
    ],
)
def test_items_that_differ_in_one_of_the_three_are_no_twins(
    first: dict[str, Any], second: dict[str, Any]
) -> None:
    assert pair(first, second) == [False, False]


# --- the hash --------------------------------------------------------------------------------


def test_the_hash_is_the_whole_sha_256() -> None:
    assert len(read(tree()).hash) == 64
    assert int(read(tree()).hash, 16) >= 0


def ads(**top: Any) -> dict[str, Any]:
    return {"account_id": "act_1", "items": [item("a", "ad", "Été", adset_id="7", x=[1])]} | top


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(ads(account_id=1), id="the account as a number"),
        pytest.param(
            ads(items=[item("a", "ad", "E\u0301te\u0301 ", x=[1], adset_id=7)]), id="name"
        ),
        pytest.param(
            ads(items=[item("a", "ad", "Été", x=[1])], container={"kind": "adset", "id": 7}),
            id="the container supplies the parent",
        ),
        pytest.param(
            ads(items=[item("a", "ad", "Été", x=[1], adset_id=7, status="PAUSED")]),
            id="the status that is sent anyway",
        ),
        pytest.param(ads(title="Spring", schema="plan/1"), id="what changes nothing outside"),
    ],
)
def test_the_same_plan_written_differently_has_the_same_hash(other: dict[str, Any]) -> None:
    assert read(other).hash == read(ads()).hash


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(ads(account_id=2), id="account"),
        pytest.param(ads(items=[item("b", "ad", "Été", adset_id="7", x=[1])]), id="key"),
        pytest.param(ads(items=[item("a", "ad", "été", adset_id="7", x=[1])]), id="name"),
        pytest.param(ads(items=[item("a", "ad", "Été", adset_id="8", x=[1])]), id="parent"),
        pytest.param(ads(items=[item("a", "ad", "Été", adset_id="7", x=["1"])]), id="type"),
        pytest.param(ads(items=[item("a", "ad", "Été", adset_id="7", x=[True])]), id="true for 1"),
        pytest.param(
            ads(items=[item("a", "ad", "Été", adset_id="7", x=[1], status="ACTIVE")]), id="status"
        ),
    ],
)
def test_another_wish_has_another_hash(other: dict[str, Any]) -> None:
    assert read(other).hash != read(ads()).hash


def test_a_plan_survives_being_printed_and_read_again() -> None:
    assert read(json.loads(json.dumps(tree()))) == read(tree())
