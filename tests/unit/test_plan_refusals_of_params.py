"""What params may not hold and items may not refer to, and the reason of each."""

from typing import Any

import pytest

from reconciler.model import Echo
from reconciler.plan import read_plan
from reconciler.plan_params import FORBIDDEN
from tests.unit.refused_plans import Case, ad, errors_of, plan

DEEP: list[Any] = []
for _ in range(70):
    DEEP = [DEEP]


def with_params(**params: Any) -> dict[str, Any]:
    return plan(ad(params={"adset_id": "7"} | params))


REFERENCES = (
    Case(
        "unknown key",
        "",
        plan(ad(params={"adset_id": {"$ref": "s"}})),
        ("a", "params.adset_id", "'s', which is no item"),
    ),
    Case(
        "kind does not fit the parent",
        "An ad hangs under an ad set.",
        plan(ad(key="c", kind="campaign", params={}), ad(params={"adset_id": {"$ref": "c"}})),
        ("a", "params.adset_id", "kind campaign, not adset"),
    ),
    Case(
        "kind does not fit a creative",
        "An ad shows a creative.",
        plan(
            ad(key="c", kind="campaign", params={}),
            ad(params={"adset_id": "7", "creative": {"creative_id": {"$ref": "c"}}}),
        ),
        ("a", "params.creative.creative_id", "kind campaign, not adcreative"),
    ),
    Case(
        "to itself",
        "Its id is known after it is sent.",
        with_params(x={"y": [{"$ref": "a"}]}),
        ("a", "params", "circle: a -> a"),
    ),
    Case(
        "in a circle",
        "None of them could be first.",
        plan(
            ad(params={"adset_id": "7", "x": {"$ref": "b"}}),
            ad(key="b", params={"adset_id": "7", "x": {"$ref": "c"}}),
            ad(key="c", params={"adset_id": "7", "x": {"$ref": "a"}}),
        ),
        ("a", "params", "circle: a -> b -> c -> a"),
    ),
    Case(
        "with further keys",
        "They would be lost.",
        with_params(x={"$ref": "a", "y": 1}),
        ("a", "params.x", "beside $ref: y"),
    ),
    Case("not a text", "", with_params(x={"$ref": 1}), ("a", "params.x", "refers to a number")),
)

PARAMS = (
    *(
        Case(
            f"{name} is refused",
            reason,
            with_params(**{name: "x"}),
            ("a", f"params.{name}", reason),
        )
        for name, (reason, _) in FORBIDDEN.items()
    ),
    Case("labels an object", "", with_params(adlabels={}), ("a", "params.adlabels", "no list")),
    Case(
        "too many labels",
        "50 on one entity, ours included.",
        with_params(adlabels=[{"name": f"L{n}"} for n in range(50)]),
        ("a", "params.adlabels", "50 labels"),
    ),
    Case(
        "a label of our form",
        "It would be read as another document's mark.",
        with_params(adlabels=[{"name": "x"}, {"name": "rc1-abcdefghijklmnop"}]),
        ("a", "params.adlabels[1]", "form of our mark"),
    ),
    Case(
        "a label as text", "", with_params(adlabels=["x"]), ("a", "params.adlabels[0]", "neither")
    ),
    Case(
        "a label of nothing", "", with_params(adlabels=[{}]), ("a", "params.adlabels[0]", "neither")
    ),
    Case(
        "status null",
        "The API's default may spend.",
        with_params(status=None),
        ("a", "params.status", "null"),
    ),
    Case(
        "status DELETED",
        "A listing would not show it.",
        with_params(status="deleted"),
        ("a", "params.status", "hide"),
    ),
    Case("NaN", "No JSON.", with_params(x=float("nan")), ("a", "params.x", "finite")),
    Case("infinity", "No JSON.", with_params(x=[float("inf")]), ("a", "params.x[0]", "finite")),
    Case(
        "a giant", "No database takes it.", with_params(x=10**5000), ("a", "params.x", "too large")
    ),
    Case(
        "too deep",
        "Recursion is bounded.",
        with_params(x=DEEP),
        ("a", "params.x" + "[0]" * 63, "64"),
    ),
    Case("a NUL", "", with_params(x={"y": "\0"}), ("a", "params.x.y", "NUL")),
    Case("a NUL in a key", "", with_params(x={"\0": 1}), ("a", "params.x.'\\x00'", "usable key")),
    Case("no JSON value", "", with_params(x={1, 2}), ("a", "params.x", "a set")),
    Case(
        "a key that is no text", "", with_params(x={1: 2}), ("a", "params.x.a number", "usable key")
    ),
    Case("an id as a float", "R053", with_params(page_id=1e17), ("a", "params.page_id", "no id")),
    Case("an id as true", "", with_params(page_id=True), ("a", "params.page_id", "true, no id")),
)


@pytest.mark.parametrize("case", [*REFERENCES, *PARAMS], ids=str)
def test_a_parameter_is_refused_with_its_path_and_reason(case: Case) -> None:
    case.check()


def test_two_circles_are_both_said() -> None:
    value = plan(
        ad(key="a", params={"adset_id": "7", "x": {"$ref": "b"}}),
        ad(key="b", params={"adset_id": "7", "x": {"$ref": "a"}}),
        ad(key="c", params={"adset_id": "7", "x": [{"$ref": "d"}, {"$ref": "a"}]}),
        ad(key="d", params={"adset_id": "7", "x": {"$ref": "c"}}),
    )

    assert sorted(e.problem.rpartition(": ")[2] for e in errors_of(value)) == [
        "a -> b -> a",
        "c -> d -> c",
    ]


def test_forty_nine_labels_of_ones_own_are_accepted() -> None:
    value = with_params(adlabels=[{"name": f"L{n}"} for n in range(49)])

    assert len(read_plan(value, echo=Echo.LABEL).items[0].params["adlabels"]) == 49


def test_what_is_refused_at_the_top_of_params_is_free_below() -> None:
    value = with_params(
        creative={"name": "inline", "object_story_spec": {"link_data": {"name": "x"}}}
    )

    assert read_plan(value, echo=Echo.LABEL).items[0].params["creative"]["name"] == "inline"
