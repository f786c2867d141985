"""Every refusal of a plan: why, and that it names the item, the field and the cause."""

import pytest

from reconciler.errors import InvalidPlan
from reconciler.model import Echo
from reconciler.plan import read_plan
from tests.unit.refused_plans import Case, ad, plan

TOP = (
    Case("no object", "A plan has named parts.", ["x"], (None, "plan", "a list")),
    Case("account missing", "Nothing can be sent.", plan(account_id=...), (None, "account_id", "")),
    Case(
        "act_ twice (R046)",
        "It would point elsewhere, or nowhere.",
        plan(account_id="act_act_1"),
        (None, "account_id", "act_ stands twice"),
    ),
    Case("account no id", "", plan(account_id="act_x"), (None, "account_id", "no id")),
    Case(
        "account true", "True is 1 to Python.", plan(account_id=True), (None, "account_id", "true")
    ),
    Case(
        "account a float (R053)",
        "A float has lost digits already.",
        plan(account_id=23851234567890123.0),
        (None, "account_id", "a number"),
    ),
    Case(
        "digits of another alphabet",
        "The API knows ASCII digits.",
        plan(account_id="١٢٣"),
        (None, "account_id", "no id"),
    ),
    Case(
        "unknown key", "It may be a misspelt one.", plan(acount="x"), (None, "acount", "known key")
    ),
    Case(
        "other schema",
        "Its words may mean else.",
        plan(schema="plan/2"),
        (None, "schema", "plan/2"),
    ),
    Case("schema null", "Present means stated.", plan(schema=None), (None, "schema", "null")),
    Case("items missing", "", plan(items=...), (None, "items", "is missing")),
    Case("items an object", "", plan(items={}), (None, "items", "an object")),
    Case("no items", "Nothing is wanted.", plan(items=[]), (None, "items", "0 items")),
    Case(
        "too many items",
        "Every loop over items is bounded.",
        plan(*[ad(key=f"a{n}", name=f"N{n}") for n in range(1_001)]),
        (None, "items", "1,001 items"),
    ),
    Case("title no text", "", plan(title=5), (None, "title", "a number")),
    Case("title with NUL", "", plan(title="a\0"), (None, "title", "NUL")),
    Case("title too long", "", plan(title="x" * 401), (None, "title", "401")),
    Case("container a text", "", plan(container="7"), (None, "container", "'7'")),
    Case(
        "container kind",
        "Nothing hangs under an ad.",
        plan(container={"kind": "ad", "id": "7"}),
        (None, "container.kind", "'ad'"),
    ),
    Case(
        "container without id",
        "",
        plan(container={"kind": "adset"}),
        (None, "container.id", "null, no id"),
    ),
    Case(
        "container with more",
        "",
        plan(container={"kind": "adset", "id": "7", "name": "x"}),
        (None, "container.name", "known key"),
    ),
    Case(
        "another account as container",
        "A document has one account.",
        plan(container={"kind": "account", "id": "2"}),
        (None, "container.id", "act_2"),
    ),
)

ITEMS = (
    Case("item a text", "", plan("x"), ("items[0]", "item", "'x'")),
    Case("key missing", "", plan(ad(key=...)), ("items[0]", "key", "is missing")),
    Case("key with a space", "", plan(ad(key="a b")), ("items[0]", "key", "'a b'")),
    Case("key too long", "", plan(ad(key="x" * 65)), ("items[0]", "key", "xxx")),
    Case(
        "key a number", "Keys are written as texts.", plan(ad(key=1)), ("items[0]", "key", "number")
    ),
    Case(
        "key twice",
        "A reference would mean two items.",
        plan(ad(), ad(name="Other")),
        ("a", "key", "items[0] and at items[1]"),
    ),
    Case("unknown field", "", plan(ad(status="PAUSED")), ("a", "status", "known key")),
    Case("kind missing", "", plan(ad(kind=...)), ("a", "kind", "is missing")),
    Case("kind unknown", "", plan(ad(kind="Ad")), ("a", "kind", "'Ad'")),
    Case("name missing", "", plan(ad(name=...)), ("a", "name", "is missing")),
    Case("name a number", "", plan(ad(name=5)), ("a", "name", "a number")),
    Case("name of white space", "", plan(ad(name=" \u00a0\t")), ("a", "name", "is empty")),
    Case("name with NUL (R051)", "", plan(ad(name="a\0b")), ("a", "name", "NUL")),
    Case(
        "name with a lone surrogate (R051)", "", plan(ad(name="a\ud83d")), ("a", "name", "surrog")
    ),
    Case(
        "name too long (R052)",
        "Refused before any call, never a create that cannot be saved.",
        plan(ad(name="x" * 401)),
        ("a", "name", "401 characters"),
    ),
    Case(
        "name ends in a mark",
        "It would be read as another document's entity.",
        plan(ad(name="Spring [rc1-abcdefghijklmnop.abcdef]")),
        ("a", "name", "form of our mark"),
    ),
    Case(
        "name is a mark",
        "The same.",
        plan(ad(name="[rc1-abcdefghijklmnop.abcdef]")),
        ("a", "name", "form of our mark"),
    ),
    Case(
        "a twin without room for its mark",
        "A twin's name carries 30 characters more.",
        plan(ad(name="x" * 371), ad(key="b", name="x" * 371)),
        ("b", "name", "371 characters; 30 of 400"),
        faults=2,
    ),
    Case(
        "no room where every name bears a mark",
        "Setting ECHO is label+name.",
        plan(ad(name="x" * 371)),
        ("a", "name", "30 of 400"),
        echo=Echo.LABEL_AND_NAME,
    ),
    Case("params missing", "", plan(ad(params=...)), ("a", "params", "is missing")),
    Case("params a list", "", plan(ad(params=[])), ("a", "params", "a list")),
    Case("params a reference", "", plan(ad(params={"$ref": "a"})), ("a", "params", "$ref")),
)

PARENTS = (
    Case(
        "no parent",
        "Where would it go?",
        plan(ad(params={})),
        ("a", "params.adset_id", "the plan has no container"),
    ),
    Case(
        "a container of another kind",
        "An ad does not hang under a campaign.",
        plan(ad(params={}), container={"kind": "campaign", "id": "7"}),
        ("a", "params.adset_id", "kind campaign"),
    ),
    Case(
        "two different ids",
        "One of the two is a mistake.",
        plan(container={"kind": "adset", "id": "8"}),
        ("a", "params.adset_id", "container is adset 8"),
    ),
    Case(
        "a reference beside a container of that kind",
        "A new ad set is never the one that exists.",
        plan(
            ad(key="s", kind="adset", params={"campaign_id": "1"}),
            ad(params={"adset_id": {"$ref": "s"}}),
            container={"kind": "adset", "id": "8"},
        ),
        ("a", "params.adset_id", "is item s"),
    ),
    Case("parent null", "", plan(ad(params={"adset_id": None})), ("a", "params.adset_id", "null")),
    Case(
        "parent a float (R053)",
        "Digits are lost.",
        plan(ad(params={"adset_id": 7.0})),
        ("a", "params.adset_id", "no id"),
    ),
)


@pytest.mark.parametrize("case", [*TOP, *ITEMS, *PARENTS], ids=str)
def test_a_plan_is_refused_with_item_field_and_cause(case: Case) -> None:
    case.check()


def test_all_faults_are_said_at_once_with_the_file_and_what_to_write() -> None:
    value = plan(ad(key="a b", name=""), ad(key="c", kind="x"), account_id="act_act_1", extra=1)

    with pytest.raises(InvalidPlan) as refused:
        read_plan(value, echo=Echo.LABEL, source="spring.json")

    assert [(e.item, e.field) for e in refused.value.errors] == [
        (None, "extra"),
        (None, "account_id"),
        ("items[0]", "key"),
        ("items[0]", "name"),
        ("c", "kind"),
    ]
    assert "spring.json: item c: kind: is 'x'; write one of campaign" in refused.value.message


def test_the_words_of_a_refusal_can_always_be_printed_and_stored() -> None:
    value = plan(ad(key="\ud83d\0", kind="\ud83d"), **{"\ud83d\n": 1, "x" * 500: 2})

    with pytest.raises(InvalidPlan) as refused:
        read_plan(value, echo=Echo.LABEL)

    assert refused.value.message.encode("utf-8")
    assert "\0" not in refused.value.message
    assert max(len(line) for line in refused.value.message.splitlines()) < 300


@pytest.mark.parametrize(
    ("echo", "length", "count"),
    [
        pytest.param(Echo.LABEL, 400, 1, id="a name alone has all 400 (R052)"),
        pytest.param(Echo.LABEL, 370, 2, id="twins leave room for the mark"),
        pytest.param(Echo.LABEL_AND_NAME, 370, 1, id="every name leaves room"),
        pytest.param(Echo.NONE, 400, 2, id="without an echo no room is needed"),
    ],
)
def test_names_up_to_the_bound_are_accepted(echo: Echo, length: int, count: int) -> None:
    items = [ad(key=f"a{n}", name="x" * length) for n in range(count)]

    assert len(read_plan(plan(*items), echo=echo).items) == count


@pytest.mark.parametrize("spelled", ["Access_Token", " access_token", "name[0]", "BATCH"])
def test_a_forbidden_parameter_is_refused_however_it_is_spelled(spelled: str) -> None:
    plan = {
        "account_id": "act_1001",
        "container": {"kind": "adset", "id": "2001"},
        "items": [{"key": "a", "kind": "ad", "name": "A", "params": {spelled: "x"}}],
    }

    with pytest.raises(InvalidPlan) as refused:
        read_plan(plan, echo=Echo.LABEL)

    assert [error.field for error in refused.value.errors] == [f"params.{spelled}"]
