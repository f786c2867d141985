"""The request that goes out, the intent stored before it, and what is said about what came back."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from reconciler.listing import Row
from reconciler.mark import Mark
from reconciler.model import Container, ContainerKind, Document, Echo, Intent, Item, Kind
from reconciler.request import (
    create_request,
    fingerprint,
    new_intent,
    resolve_refs,
    warnings_of,
)

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
PART = "rc1-aaaaaaaaaaaaaaaa"
ACCOUNT = Container(kind=ContainerKind.ACCOUNT, id="act_1001")
ADSET = Container(kind=ContainerKind.ADSET, id="2001")
DOCUMENT = Document(
    id="D",
    key="K",
    plan_hash="H",
    account_id="act_1001",
    container=ACCOUNT,
    created_at=NOW,
    since=NOW,
    mark_part=PART,
)


def ad(**changes: Any) -> Item:
    whole = Item(
        key="a",
        position=0,
        kind=Kind.AD,
        name="Spring",
        params={"creative": {"creative_id": "3001"}},
        parent=ADSET,
        parent_ref=None,
        item_part="bbbbbb",
    )
    return replace(whole, **changes)


def intent_of(item: Item, echo: Echo = Echo.LABEL, document: Document = DOCUMENT) -> Intent:
    return new_intent(document, item, echo, {})


def params_of(
    item: Item, echo: Echo = Echo.LABEL, ids: Mapping[str, str] | None = None
) -> Mapping[str, Any]:
    intent = new_intent(DOCUMENT, item, echo, ids or {})
    return create_request(DOCUMENT, item, intent, ids or {}).params


# --- the request -----------------------------------------------------------------------------


def test_a_request_is_complete_parent_status_name_and_label_supplied() -> None:
    request = create_request(DOCUMENT, ad(), intent_of(ad()), {})

    assert (request.account_id, request.kind) == ("act_1001", Kind.AD)
    assert request.params == {
        "creative": {"creative_id": "3001"},
        "adset_id": "2001",
        "status": "PAUSED",
        "name": "Spring",
        "adlabels": [{"name": PART}],
    }


def test_what_the_user_wrote_is_kept_and_our_label_added_last() -> None:
    written = {"adset_id": "2001", "status": "ACTIVE", "adlabels": [{"id": "5"}]}

    assert params_of(ad(params=written)) == {
        "adset_id": "2001",
        "status": "ACTIVE",
        "name": "Spring",
        "adlabels": [{"id": "5"}, {"name": PART}],
    }
    assert written["adlabels"] == [{"id": "5"}]


@pytest.mark.parametrize(
    ("kind", "parent", "want"),
    [
        (Kind.CAMPAIGN, ACCOUNT, {"status": "PAUSED"}),
        (Kind.ADCREATIVE, ACCOUNT, {}),
        (
            Kind.ADSET,
            Container(kind=ContainerKind.CAMPAIGN, id="7"),
            {"status": "PAUSED", "campaign_id": "7"},
        ),
        (Kind.AD, ADSET, {"status": "PAUSED", "adset_id": "2001"}),
    ],
)
def test_each_kind_gets_its_parent_and_all_but_creatives_a_status(
    kind: Kind, parent: Container, want: dict[str, str]
) -> None:
    sent = params_of(ad(kind=kind, parent=parent, params={}), echo=Echo.NONE)

    assert sent == want | {"name": "Spring"}


def test_references_become_ids_at_every_depth_and_the_plan_stays_as_it_was() -> None:
    params = {"adset_id": {"$ref": "s"}, "x": [{"y": {"$ref": "c"}}, 1, None]}
    item = ad(parent=None, parent_ref="s", params=params)
    sent = params_of(item, Echo.NONE, {"s": "2001", "c": "3001"})

    assert sent == {
        "adset_id": "2001",
        "x": [{"y": "3001"}, 1, None],
        "status": "PAUSED",
        "name": "Spring",
    }
    assert params == {"adset_id": {"$ref": "s"}, "x": [{"y": {"$ref": "c"}}, 1, None]}


def test_a_request_with_a_hole_is_never_made() -> None:
    with pytest.raises(KeyError):
        resolve_refs({"x": {"$ref": "s"}}, {})


def test_a_request_into_another_container_than_the_intents_is_never_made() -> None:
    intent = replace(intent_of(ad()), container=replace(ADSET, id="9"))

    with pytest.raises(AssertionError, match="parent"):
        create_request(DOCUMENT, ad(params={"adset_id": "2001"}), intent, {})


# --- the intent ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("echo", "is_twin", "name_sent", "labels"),
    [
        (Echo.LABEL, False, "Spring", [{"name": PART}]),
        (Echo.LABEL, True, f"Spring [{PART}.bbbbbb]", [{"name": PART}]),
        (Echo.LABEL_AND_NAME, False, f"Spring [{PART}.bbbbbb]", [{"name": PART}]),
        (Echo.NONE, False, "Spring", None),
        (Echo.NONE, True, "Spring", None),
    ],
)
def test_the_mark_rides_in_the_label_and_where_needed_in_the_name(
    echo: Echo, is_twin: bool, name_sent: str, labels: object
) -> None:
    item = ad(is_twin=is_twin)

    assert intent_of(item, echo).name_sent == name_sent
    assert params_of(item, echo)["name"] == name_sent
    assert params_of(item, echo).get("adlabels") == labels


def test_a_document_without_a_mark_part_sends_none_whatever_the_setting() -> None:
    intent = intent_of(ad(is_twin=True), Echo.LABEL, replace(DOCUMENT, mark_part=None))

    assert (intent.mark, intent.mark_in_name) == (None, False)


def test_an_intent_holds_what_a_row_must_bear() -> None:
    intent = intent_of(ad(name="E\u0301te\u0301  30d "))

    assert (intent.kind, intent.name, intent.container) == (Kind.AD, "Été 30d", ADSET)
    assert (intent.mark, intent.calls, intent.facts) == (Mark(PART, "bbbbbb"), (), 0)


def test_the_container_of_a_reference_is_the_referred_items_id() -> None:
    item = ad(parent=None, parent_ref="s", params={"adset_id": {"$ref": "s"}})

    assert new_intent(DOCUMENT, item, Echo.LABEL, {"s": "2001"}).container == ADSET


def test_the_fingerprint_is_of_the_request_mark_and_label_apart() -> None:
    plain, twin = intent_of(ad(), Echo.NONE), intent_of(ad(is_twin=True, item_part="cccccc"))
    written = ad(params={"status": "PAUSED", "adset_id": "2001"} | dict(ad().params))

    assert plain.fingerprint == twin.fingerprint == intent_of(written).fingerprint
    assert plain.fingerprint == fingerprint(ad(), ad().params, ADSET)


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(ad(name="spring"), id="name"),
        pytest.param(ad(params={"creative": {"creative_id": "3002"}}), id="params"),
        pytest.param(ad(parent=replace(ADSET, id="2002")), id="container"),
        pytest.param(ad(kind=Kind.ADCREATIVE), id="kind"),
    ],
)
def test_another_request_has_another_fingerprint(other: Item) -> None:
    assert intent_of(other).fingerprint != intent_of(ad()).fingerprint


# --- what came back --------------------------------------------------------------------------


def row(**changes: Any) -> Row:
    whole = Row(id="9", kind=Kind.AD, name="Spring", status="PAUSED", adset_id="2001")
    return replace(whole, **changes)


@pytest.mark.parametrize(
    ("read", "want"),
    [
        pytest.param(row(), (), id="as it was sent"),
        pytest.param(
            row(name=None, status=None, adset_id=None), (), id="what is missing is silent"
        ),
        pytest.param(
            row(status="ACTIVE"), ("status: sent PAUSED, reads ACTIVE",), id="it may spend (R047)"
        ),
        pytest.param(
            row(name="Acme Ads EUR"), ("name: sent Spring, reads Acme Ads EUR",), id="name (R044)"
        ),
        pytest.param(row(adset_id="8"), ("parent: sent 2001, reads 8",), id="parent"),
        pytest.param(row(name=" Spring\u00a0"), (), id="white space is no difference (R049)"),
        pytest.param(
            row(name="a\0\ud83d"),
            ("name: sent Spring, reads a\\u0000\\ud83d",),
            id="what no database stores is shown (R051)",
        ),
    ],
)
def test_what_differs_from_what_was_sent_is_said(read: Row, want: tuple[str, ...]) -> None:
    assert warnings_of(ad(), intent_of(ad()), read) == want


def test_the_name_is_compared_with_the_mark_it_was_sent_with() -> None:
    item = ad(is_twin=True)
    intent = intent_of(item)

    assert warnings_of(item, intent, row(name=intent.name_sent)) == ()
    assert len(warnings_of(item, intent, row())) == 1


def test_nothing_is_said_of_a_status_that_was_not_ours_to_send() -> None:
    creative = ad(kind=Kind.ADCREATIVE, parent=ACCOUNT)
    imported = replace(intent_of(ad()), fingerprint="")

    assert warnings_of(creative, intent_of(creative), row(kind=Kind.ADCREATIVE, status="X")) == ()
    assert warnings_of(ad(params={}), imported, row(status="ACTIVE")) == ()
