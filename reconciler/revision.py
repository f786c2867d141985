"""Decides whether a changed plan may replace the plan of a document, and what it then wants.

What may exist outside is not to be wanted otherwise: an item whose intent is pending, held or
confirmed stays word for word. What is absent may be mended, replaced or dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final

from .canonical_json import canonical_json
from .copying import replace
from .errors import InvalidPlan, PlanError, WrongState
from .lease import is_free
from .model import Document, DocumentState, Item, ItemState, Origin
from .plan import Plan, PlannedItem, wish
from .signature import needs_settling
from .the_end import with_blocked
from .typed_command import typed_command

REVISABLE: Final = frozenset(
    {
        DocumentState.DRAFT,
        DocumentState.QUEUED,
        DocumentState.HELD,
        DocumentState.PARTLY_PUBLISHED,
        DocumentState.FAILED,
    }
)

_MAY_EXIST: Final = frozenset({ItemState.PENDING, ItemState.HELD, ItemState.CONFIRMED})
_ANOTHER_KEY: Final = "keep this one and write what you want as an item with another key"


def revised(plan: Plan, present: Document, now: datetime, item_parts: Sequence[str]) -> Document:
    """The next revision, its state unchanged. `item_parts` suffice for every new item.

    Raises `WrongState` where the document takes no revision, `InvalidPlan` naming every item that
    may not change.
    """
    _refuse_by_state(present, now)
    errors = (*_account_errors(plan, present), *_item_errors(plan, present))
    if errors:
        raise InvalidPlan(errors)
    document = replace(
        present,
        plan_hash=plan.hash,
        container=plan.container,
        title=plan.title,
        revision=present.revision + 1,
        items=_merged(plan, present, item_parts),
    )
    return with_blocked(document)


def item_of(planned: PlannedItem, item_part: str) -> Item:
    """A wanted item as a document holds it: nothing was tried yet."""
    return Item(
        key=planned.key,
        position=planned.position,
        kind=planned.kind,
        name=planned.name,
        params=planned.params,
        parent=planned.parent,
        parent_ref=planned.parent_ref,
        item_part=item_part,
        is_twin=planned.is_twin,
        refs=planned.refs,
    )


def changed_fields(item: Item, planned: PlannedItem) -> tuple[str, ...]:
    """Which of kind, name and params differ. A parent supplied is as good as one written."""
    before, after = wish(item), wish(planned)
    return tuple(f for f in before if canonical_json(before[f]) != canonical_json(after[f]))


def _refuse_by_state(present: Document, now: datetime) -> None:
    if present.origin is Origin.IMPORTED:
        message = f"the key belongs to the imported document {present.id}"
        raise WrongState(
            message,
            next_step="submit the plan under another key: reconciler submit PLAN.json --key K",
        )
    if not is_free(present.lease, now) or present.state is DocumentState.PUBLISHING:
        message = f"document {present.id} is being worked on and takes no revision now"
        raise WrongState(
            message, next_step=f"{typed_command('show', present.id)}, then submit the plan again"
        )
    if present.state not in REVISABLE:
        message = f"document {present.id} is {present.state} and takes no revision any more"
        raise WrongState(message, next_step="reconciler submit PLAN.json --new")


def _account_errors(plan: Plan, present: Document) -> Iterable[PlanError]:
    if plan.account_id != present.account_id:
        yield PlanError(
            item=None,
            field="account_id",
            problem=f"is {plan.account_id}, and document {present.id} is of {present.account_id}",
            instead="submit under another key: a document keeps its account",
        )


def _item_errors(plan: Plan, present: Document) -> Iterable[PlanError]:
    wanted = {planned.key: planned for planned in plan.items}
    for item in present.items:
        planned = wanted.get(item.key)
        if planned is None:
            yield from _missing_errors(item)
        elif _may_exist(item):
            yield from _changed_errors(item, planned)
        elif item.intent is not None:
            yield from _moved_errors(item, planned)


def _may_exist(item: Item) -> bool:
    return item.state in _MAY_EXIST or needs_settling(item)


def _missing_errors(item: Item) -> Iterable[PlanError]:
    if _may_exist(item):
        problem = f"is missing, and item {item.key} is {item.state}: it may exist outside"
        yield PlanError(item=item.key, field="item", problem=problem, instead="write it as it was")


def _changed_errors(item: Item, planned: PlannedItem) -> Iterable[PlanError]:
    for field in changed_fields(item, planned):
        problem = f"is changed, and the item is {item.state}: what was sent may exist outside"
        yield PlanError(item=item.key, field=field, problem=problem, instead=_ANOTHER_KEY)


def _moved_errors(item: Item, planned: PlannedItem) -> Iterable[PlanError]:
    """Its calls were sent for this kind into this container, where alone they are looked for."""
    before = (item.kind, item.parent, item.parent_ref)
    if before != (planned.kind, planned.parent, planned.parent_ref):
        yield PlanError(
            item=item.key,
            field="kind" if item.kind is not planned.kind else "parent",
            problem="is changed, and the item was sent before",
            instead="drop this item and write a new one with another key",
        )


def _merged(plan: Plan, present: Document, item_parts: Sequence[str]) -> tuple[Item, ...]:
    known = {item.key: item for item in present.items}
    used = {item.item_part for item in present.items}
    fresh = (part for part in item_parts if part not in used)
    return tuple(
        _next_item(known[planned.key], planned)
        if planned.key in known
        else item_of(planned, next(fresh))
        for planned in plan.items
    )


def _next_item(item: Item, planned: PlannedItem) -> Item:
    """The item as it is wanted now. Its intent stays: its calls are the record of what was sent."""
    state = item.state
    if not _may_exist(item) and (state is ItemState.BLOCKED or changed_fields(item, planned)):
        # Blocked again at once, by the one rule for that, where its cause was not mended.
        state = ItemState.WAITING
    return replace(item_of(planned, item.item_part), state=state, intent=item.intent)
