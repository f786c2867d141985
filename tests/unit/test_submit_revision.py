"""The next revision: what may exist outside stays word for word, the rest may be mended."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from reconciler.errors import InvalidPlan, WrongState
from reconciler.model import (
    Call,
    Container,
    ContainerKind,
    Document,
    DocumentState,
    Echo,
    Intent,
    Item,
    ItemState,
    Lease,
    Origin,
    Outcome,
    Purpose,
)
from reconciler.plan import Plan, read_plan
from reconciler.request import new_intent
from reconciler.submit import Tokens, accept

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
TOKENS = Tokens(
    document_id="D",
    document_part="rc1-aaaaaaaaaaaaaaaa",
    item_parts=tuple(f"aaaaa{letter}" for letter in "abcdefghijklmnop"),
)
IDS = {"c": "100", "s": "200", "k": "300", "a": "400"}

CAMPAIGN = {"key": "c", "kind": "campaign", "name": "C", "params": {"objective": "X"}}
ADSET = {"key": "s", "kind": "adset", "name": "S", "params": {"campaign_id": {"$ref": "c"}}}
AD = {"key": "a", "kind": "ad", "name": "A", "params": {"adset_id": {"$ref": "s"}}}


def plan_of(*items: Mapping[str, Any], **top: Any) -> Plan:
    return read_plan({"account_id": "1", "items": list(items)} | top, echo=Echo.LABEL)


def accepted(
    plan: Plan, present: Document | None = None, tokens: Tokens = TOKENS, now: datetime = NOW
) -> Document | None:
    change = accept(plan, present, now, key="K", publish=False, echo=Echo.LABEL, tokens=tokens)
    return None if change is None else change.document


def document_of(*items: Mapping[str, Any], **states: ItemState) -> Document:
    """A failed document whose items are in these states, with the intents they imply."""
    new = accepted(plan_of(*items))
    assert new is not None
    tried = tuple(_in_state(new, item, states.get(item.key)) for item in new.items)
    return replace(new, state=DocumentState.FAILED, items=tried)


def _in_state(document: Document, item: Item, state: ItemState | None) -> Item:
    if state is None:
        return item
    if state in (ItemState.WAITING, ItemState.BLOCKED):
        return replace(item, state=state)
    intent = new_intent(document, item, Echo.LABEL, IDS)
    if state is ItemState.CONFIRMED:
        intent = replace(intent, external_id=IDS[item.key])
    return replace(item, state=state, intent=intent)


def revised(present: Document, *items: Mapping[str, Any], **top: Any) -> Document:
    document = accepted(plan_of(*items, **top), present)
    assert document is not None
    return document


def refusals(
    present: Document, *items: Mapping[str, Any], **top: Any
) -> list[tuple[str | None, str]]:
    with pytest.raises(InvalidPlan) as refused:
        revised(present, *items, **top)
    return [(error.item, error.field) for error in refused.value.errors]


def named(item: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {**item, "name": name}


# --- which documents take one ------------------------------------------------------------------


@pytest.mark.parametrize("state", list(DocumentState))
def test_the_state_decides_and_stays_as_it_is(state: DocumentState) -> None:
    present = replace(document_of(CAMPAIGN), state=state)
    takes_one = state in {
        DocumentState.DRAFT,
        DocumentState.QUEUED,
        DocumentState.HELD,
        DocumentState.PARTLY_PUBLISHED,
        DocumentState.FAILED,
    }
    if takes_one:
        after = revised(present, named(CAMPAIGN, "D"))
        assert (after.state, after.since, after.revision) == (state, present.since, 2)
    else:
        with pytest.raises(WrongState) as refused:
            revised(present, named(CAMPAIGN, "D"))
        assert refused.value.next_step
        assert ("worked on" in refused.value.message) == (state is DocumentState.PUBLISHING)


@pytest.mark.parametrize("state", list(DocumentState))
def test_an_unchanged_plan_changes_nothing_in_any_state(state: DocumentState) -> None:
    present = replace(document_of(CAMPAIGN, ADSET, AD), state=state)

    assert accepted(plan_of(AD, ADSET, CAMPAIGN, title="Other"), present) is None


@pytest.mark.parametrize(("left", "takes_one"), [(1, False), (0, True), (-1, True)])
def test_a_lease_of_any_purpose_must_have_ended(left: int, takes_one: bool) -> None:
    lease = Lease(owner="w", epoch=1, until=NOW + timedelta(seconds=left), purpose=Purpose.SETTLE)
    present = replace(document_of(CAMPAIGN), lease=lease)
    if takes_one:
        assert revised(present, named(CAMPAIGN, "D")).revision == 2
    else:
        with pytest.raises(WrongState, match="worked on"):
            revised(present, named(CAMPAIGN, "D"))


def test_an_imported_document_is_never_revised() -> None:
    with pytest.raises(WrongState, match="imported"):
        revised(replace(document_of(CAMPAIGN), origin=Origin.IMPORTED), named(CAMPAIGN, "D"))


def test_a_document_keeps_its_account() -> None:
    assert refusals(document_of(CAMPAIGN), CAMPAIGN, account_id="2") == [(None, "account_id")]


# --- what may exist outside ----------------------------------------------------------------------


@pytest.mark.parametrize("state", [ItemState.PENDING, ItemState.HELD, ItemState.CONFIRMED])
def test_an_item_that_may_exist_is_neither_changed_nor_dropped(state: ItemState) -> None:
    present = document_of(CAMPAIGN, named(CAMPAIGN, "E") | {"key": "k"}, c=state, k=state)
    changed = {**CAMPAIGN, "name": "D", "params": {"objective": "Y"}}

    assert refusals(present, changed) == [("c", "name"), ("c", "params"), ("k", "item")]


def test_an_absent_item_with_a_late_answer_counts_as_existing() -> None:
    present = document_of(CAMPAIGN, c=ItemState.ABSENT)
    intent = present.items[0].intent
    assert intent is not None
    late = Call(number=1, attempt=1, started_at=NOW, outcome=Outcome.CREATED, external_id="100")
    with_fact = replace(intent, calls=(late,))
    present = replace(present, items=(replace(present.items[0], intent=with_fact),))

    assert refusals(present, named(CAMPAIGN, "D")) == [("c", "name")]


def test_a_confirmed_item_stays_with_its_intent_while_others_change() -> None:
    present = document_of(CAMPAIGN, ADSET, c=ItemState.CONFIRMED, s=ItemState.REJECTED)
    after = revised(present, named(ADSET, "S2"), CAMPAIGN, AD)

    kept = after.item("c")
    assert replace(kept, position=0) == present.item("c")
    assert [(item.key, item.position) for item in after.items] == [("s", 0), ("c", 1), ("a", 2)]


# --- what was proven not made ------------------------------------------------------------------


@pytest.mark.parametrize(
    "state", [ItemState.REJECTED, ItemState.ABSENT, ItemState.BLOCKED, ItemState.WAITING]
)
def test_a_changed_item_waits_and_keeps_its_mark_and_its_record(state: ItemState) -> None:
    present = document_of(CAMPAIGN, c=state)
    before = present.item("c")
    after = revised(present, named(CAMPAIGN, "D")).item("c")

    assert (after.name, after.state) == ("D", ItemState.WAITING)
    assert (after.item_part, after.intent) == (before.item_part, before.intent)


@pytest.mark.parametrize("state", [ItemState.REJECTED, ItemState.ABSENT])
def test_an_unchanged_item_stays_as_it_was_found(state: ItemState) -> None:
    present = document_of(CAMPAIGN, c=state)

    assert revised(present, CAMPAIGN, named(CAMPAIGN, "E") | {"key": "k"}).item("c").state is state


def test_blocked_items_wait_again_once_their_cause_is_mended() -> None:
    present = document_of(
        CAMPAIGN, ADSET, AD, c=ItemState.REJECTED, s=ItemState.BLOCKED, a=ItemState.BLOCKED
    )
    mended = revised(present, named(CAMPAIGN, "D"), ADSET, AD)
    not_mended = revised(present, CAMPAIGN, ADSET, named(AD, "A2"))

    assert {item.state for item in mended.items} == {ItemState.WAITING}
    assert [item.state for item in not_mended.items] == [
        ItemState.REJECTED,
        ItemState.BLOCKED,
        ItemState.BLOCKED,
    ]


@pytest.mark.parametrize("state", [ItemState.REJECTED, ItemState.ABSENT, ItemState.WAITING])
def test_what_does_not_exist_may_be_dropped(state: ItemState) -> None:
    present = document_of(CAMPAIGN, named(CAMPAIGN, "E") | {"key": "k"}, k=state)

    assert [item.key for item in revised(present, CAMPAIGN).items] == ["c"]


def test_what_was_sent_keeps_its_parent_and_kind_and_what_was_not_may_move() -> None:
    sent = {**ADSET, "params": {"campaign_id": "7"}}
    moved = {**ADSET, "params": {"campaign_id": "8"}}
    other = {**ADSET, "kind": "campaign", "params": {}}

    assert refusals(document_of(sent, s=ItemState.REJECTED), moved) == [("s", "parent")]
    assert refusals(document_of(sent, s=ItemState.ABSENT), other) == [("s", "kind")]
    assert revised(document_of(sent), moved).item("s").parent == Container(
        kind=ContainerKind.CAMPAIGN, id="8"
    )


def test_a_parent_moved_into_the_container_is_no_change() -> None:
    written = {**ADSET, "params": {"campaign_id": "7"}}
    supplied = {**ADSET, "params": {}}
    present = document_of(written, s=ItemState.CONFIRMED)
    after = revised(present, supplied, CAMPAIGN, container={"kind": "campaign", "id": "7"})

    assert after.item("s").state is ItemState.CONFIRMED
    assert after.container.id == "7"


# --- twins ---------------------------------------------------------------------------------------


def test_a_new_twin_of_a_sent_item_bears_the_name_mark_and_the_sent_one_stays_as_sent() -> None:
    present = document_of(CAMPAIGN, c=ItemState.CONFIRMED)
    after = revised(present, CAMPAIGN, CAMPAIGN | {"key": "k"})
    sent = after.item("c").intent
    intents: list[Intent] = [new_intent(after, item, Echo.LABEL, {}) for item in after.items]

    assert [item.is_twin for item in after.items] == [True, True]
    assert sent is not None
    assert not sent.mark_in_name
    assert intents[1].mark_in_name


def test_accepting_twice_gives_the_same_document() -> None:
    present = document_of(CAMPAIGN, c=ItemState.REJECTED)
    plan = plan_of(named(CAMPAIGN, "D"), ADSET)

    assert accepted(plan, present) == accepted(plan, present)
