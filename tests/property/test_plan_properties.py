"""Whatever is written is a plan or refused with reasons; equal wishes have equal hashes."""

import json
import unicodedata
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from reconciler.errors import InvalidPlan
from reconciler.mark import NAME_MARK_LENGTH, split_name
from reconciler.model import Echo
from reconciler.names import NAME_LENGTH_MAX, canonical
from reconciler.plan import Plan, parse_plan_text, read_plan

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()), max_size=8)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | ANY_TEXT
    | st.sampled_from(["act_1", "7", "campaign", "adset", "ad", "a", "b", "plan/1"])
)
WORDS = st.sampled_from(
    [
        *("$ref", "account_id", "items", "container", "title", "schema", "key", "kind", "name"),
        *("params", "id", "adset_id", "campaign_id", "creative_id", "adlabels", "status", "fields"),
    ]
)
JSON = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(WORDS | ANY_TEXT, inner, max_size=5)
    ),
    max_leaves=20,
)
NEAR_ITEMS = st.fixed_dictionaries(
    {},
    optional={
        "key": st.sampled_from(["a", "b", "c"]) | JSON,
        "kind": st.sampled_from(["campaign", "adset", "adcreative", "ad"]) | JSON,
        "name": ANY_TEXT | JSON,
        "params": st.dictionaries(WORDS, JSON, max_size=4) | JSON,
    },
)
NEAR_PLANS = st.fixed_dictionaries(
    {"account_id": st.just("act_1") | JSON, "items": st.lists(NEAR_ITEMS, max_size=4) | JSON},
    optional={
        "container": st.fixed_dictionaries(
            {"kind": st.sampled_from(["account", "campaign", "adset"]), "id": st.just("1") | JSON}
        )
        | JSON,
        "title": JSON,
    },
)

NAMES = st.text(min_size=1, max_size=40).filter(
    lambda name: bool(canonical(name)) and "\0" not in name
)
LEAVES = st.integers(-(2**63), 2**63) | st.booleans() | NAMES | st.none()
PARAMS = st.dictionaries(st.sampled_from(["targeting", "bid_amount", "x"]), LEAVES, max_size=3)
DIGITS = st.integers(1, 10**18)


@st.composite
def good_plans(draw: st.DrawFn) -> dict[str, Any]:
    """A tree whose items refer to earlier ones only."""
    items: list[dict[str, Any]] = []
    for place in range(draw(st.integers(1, 6))):
        kind = draw(st.sampled_from(["campaign", "adset", "adcreative", "ad"]))
        params = dict(draw(PARAMS))
        parent, wanted = {"adset": ("campaign_id", "campaign"), "ad": ("adset_id", "adset")}.get(
            kind, (None, None)
        )
        if parent is not None:
            above = [item["key"] for item in items if item["kind"] == wanted]
            refs = [{"$ref": key} for key in above]
            params[parent] = draw(st.sampled_from(refs) if refs else DIGITS)
        items.append({"key": f"k{place}", "kind": kind, "name": draw(NAMES), "params": params})
    return {"account_id": draw(DIGITS), "items": items}


def read(value: object) -> Plan:
    return read_plan(value, echo=Echo.LABEL)


def plan_or_refusal(value: object, echo: Echo = Echo.LABEL) -> Plan | InvalidPlan:
    """Any other exception is a fault of ours."""
    try:
        return read_plan(value, echo=echo)
    except InvalidPlan as refused:
        return refused


@given(JSON | NEAR_PLANS, st.sampled_from(Echo))
def test_any_value_gives_a_plan_or_reasons_that_can_be_printed(value: object, echo: Echo) -> None:
    found = plan_or_refusal(value, echo)
    if isinstance(found, Plan):
        told = json.dumps(
            [dict(i.params) for i in found.items], allow_nan=False, ensure_ascii=False
        )
    else:
        assert found.errors
        assert all(error.problem and error.instead for error in found.errors)
        told = found.message
    assert told.encode("utf-8")


@given(st.text() | st.binary() | JSON.map(json.dumps))
def test_any_text_gives_a_value_or_a_refusal(text: str | bytes) -> None:
    try:
        value = parse_plan_text(text)
    except InvalidPlan:
        return
    assert value == json.loads(text.decode("utf-8-sig") if isinstance(text, bytes) else text)


@given(good_plans())
def test_good_plans_are_accepted_with_what_they_say(value: dict[str, Any]) -> None:
    plan = read(value)

    assert [(i.key, i.kind, i.name) for i in plan.items] == [
        (i["key"], i["kind"], canonical(i["name"])) for i in value["items"]
    ]
    assert all((i.parent is None) != (i.parent_ref is None) for i in plan.items)


def respelt(value: Any, data: st.DataObject, name: str = "") -> Any:
    """The same plan in other words: order of keys, form of names, ids as texts."""
    if isinstance(value, dict):
        keys = data.draw(st.permutations(list(value)))
        return {key: respelt(value[key], data, key) for key in keys}
    if name == "name":
        form = data.draw(st.sampled_from(["NFC", "NFD"]))
        return f" {unicodedata.normalize(form, value)}\t"  # type: ignore[arg-type]
    if name.endswith("_id") and isinstance(value, int):
        return str(value)
    return value


@given(good_plans(), st.data())
def test_the_same_plan_in_other_words_has_the_same_hash(
    value: dict[str, Any], data: st.DataObject
) -> None:
    items = [respelt(item, data) for item in data.draw(st.permutations(value["items"]))]
    account = data.draw(st.sampled_from([value["account_id"], f"act_{value['account_id']}"]))

    assert read({"items": items, "account_id": account}).hash == read(value).hash


@given(good_plans(), good_plans())
def test_other_plans_have_other_hashes(one: dict[str, Any], other: dict[str, Any]) -> None:
    wishes = [
        {(i.key, i.kind, i.name, json.dumps(dict(i.params), sort_keys=True)) for i in plan.items}
        for plan in (read(one), read(other))
    ]
    same = wishes[0] == wishes[1] and one["account_id"] == other["account_id"]

    assert (read(one).hash == read(other).hash) == same


@given(good_plans(), st.data())
def test_a_reference_that_closes_a_circle_or_points_nowhere_is_refused(
    value: dict[str, Any], data: st.DataObject
) -> None:
    first, last = value["items"][0], value["items"][-1]
    last["params"]["y"] = {"$ref": first["key"]}
    target = data.draw(st.sampled_from([last["key"], "nobody"]))
    first["params"]["z"] = [{"deep": {"$ref": target}}]

    found = plan_or_refusal(value)

    assert isinstance(found, InvalidPlan)
    assert any("circle" in e.problem or "no item" in e.problem for e in found.errors)


@given(st.text(max_size=420), st.sampled_from(Echo))
def test_an_accepted_name_with_its_mark_is_canonical_fits_and_reads_back(
    name: str, echo: Echo
) -> None:
    items = [{"key": key, "kind": "campaign", "name": name, "params": {}} for key in "ab"]
    plan = plan_or_refusal({"account_id": 1, "items": items}, echo)
    if isinstance(plan, InvalidPlan):
        return
    mark = " [rc1-aaaaaaaaaaaaaaaa.bbbbbb]" if echo is not Echo.NONE else ""
    sent = plan.items[0].name + mark

    assert len(mark) in (0, NAME_MARK_LENGTH)
    assert len(sent) <= NAME_LENGTH_MAX
    assert canonical(sent) == sent
    assert split_name(sent)[0] == plan.items[0].name
