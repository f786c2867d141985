"""From a JSON value to an accepted plan, or to everything that is wrong with it at once.

A plan says what is wanted, normalised: ids are strings, the account bears its `act_`, names are
canonical. Its hash is taken over what would be made, so however it is written (order, spelling of
ids, the parent in the container or in the item) the same wish is the same document.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .canonical_json import digest
from .complaints import Complaints, shown
from .copying import quick
from .errors import InvalidPlan
from .model import Container, Echo, Item, Kind
from .plan_items import Draft, read_draft
from .plan_text import parse_plan_text
from .plan_top import ITEMS_MAX, read_top
from .references import check_circles, check_reference
from .request import complete_params, rides_in_name
from .twins import check_length, identity, twins_among

__all__ = ["ITEMS_MAX", "Plan", "PlannedItem", "parse_plan_text", "read_plan", "wish"]


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedItem:
    """An item as a plan wants it. Exactly one of `parent` and `parent_ref` is set."""

    key: str
    position: int
    kind: Kind
    name: str  # canonical
    params: Mapping[str, Any]
    parent: Container | None
    parent_ref: str | None
    refs: frozenset[str]
    is_twin: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A plan that can be accepted. `hash` is also its default key."""

    account_id: str
    container: Container
    items: tuple[PlannedItem, ...]
    hash: str
    title: str | None = None


def read_plan(value: object, *, echo: Echo, source: str = "plan") -> Plan:
    """Accept a decoded plan. Raises `InvalidPlan` with all its errors; `source` names the file.

    `echo` decides which names must leave room for a mark.
    """
    complaints = Complaints()
    if not isinstance(value, Mapping):
        complaints.say("plan", f"is {shown(value)}, no object", "write {account_id, items}")
        raise InvalidPlan(tuple(complaints.errors), source=source)
    # 1. The top: whose account, which container.
    top = read_top(value, complaints)
    # 2. Each item by itself.
    drafts = tuple(
        read_draft(item, place, top.above, complaints) for place, item in enumerate(top.items)
    )
    # 3. The items together: keys, references, twins, and the room a mark needs in a name.
    _check_keys(drafts)
    _check_references(drafts, complaints)
    twins = twins_among(drafts)
    for draft in drafts:
        check_length(draft, bears_mark=rides_in_name(identity(draft) in twins, echo))
    # 4. All faults at once, or a plan.
    if complaints.errors:
        raise InvalidPlan(tuple(complaints.errors), source=source)
    account, container = top.above.account, top.above.container
    assert account is not None, "unreadable, and nobody said so"
    assert container is not None, "unreadable, and nobody said so"
    items = tuple(
        _planned(draft, place, is_twin=identity(draft) in twins)
        for place, draft in enumerate(drafts)
    )
    return Plan(
        account_id=account.id,
        container=container,
        items=items,
        hash=_hash(account.id, items),
        title=top.title,
    )


def wish(item: PlannedItem | Item) -> dict[str, Any]:
    """What would be made of an item, as plain JSON: equal wishes are one and the same."""
    parent = None if item.parent is None else item.parent.id
    return {
        "key": item.key,
        "kind": item.kind.value,
        "name": item.name,
        "params": complete_params(item.kind, item.params, parent),
    }


def _hash(account_id: str, items: Sequence[PlannedItem]) -> str:
    # Title and container are left out: they change nothing that is made, and a plan sent again
    # under another title must not be made twice.
    wishes = [wish(item) for item in sorted(items, key=lambda item: item.key)]
    return digest({"account_id": account_id, "items": wishes})


def _check_keys(drafts: Sequence[Draft]) -> None:
    first: dict[str, int] = {}
    for place, draft in enumerate(drafts):
        if draft.key is not None and first.setdefault(draft.key, place) != place:
            problem = f"stands at items[{first[draft.key]}] and at items[{place}]"
            draft.complaints.say("key", problem, "give each item a key of its own")


def _check_references(drafts: Sequence[Draft], complaints: Complaints) -> None:
    kinds = {draft.key: draft.kind for draft in drafts if draft.key is not None}
    refs: dict[str, set[str]] = {key: set() for key in kinds}
    for draft in drafts:
        for reference in draft.references:
            check_reference(reference, kinds, draft.complaints)
            if draft.key is not None:
                refs[draft.key].add(reference.key)
    check_circles(refs, complaints)


def _planned(draft: Draft, place: int, *, is_twin: bool) -> PlannedItem:
    assert draft.key is not None, "unreadable, and nobody said so"
    assert draft.kind is not None, "unreadable, and nobody said so"
    assert draft.name is not None, "unreadable, and nobody said so"
    assert (draft.parent is None) != (draft.parent_ref is None), "one parent, and only one"
    return PlannedItem(
        key=draft.key,
        position=place,
        kind=draft.kind,
        name=draft.name,
        params=draft.params,
        parent=draft.parent,
        parent_ref=draft.parent_ref,
        refs=frozenset(reference.key for reference in draft.references),
        is_twin=is_twin,
    )
