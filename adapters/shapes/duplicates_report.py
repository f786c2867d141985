"""`duplicates/1`: what exists beyond what any document wants, ours apart from look-alikes."""

from __future__ import annotations

from typing import Any, Final

from reconciler.duplicates import Duplicates, NotWalked
from reconciler.duplicates_groups import Entity, Group
from reconciler.typed_command import typed_command

from .document_state import container
from .values import account, shown_time

SCHEMA: Final = "duplicates/1"


def duplicates_report(found: Duplicates) -> dict[str, Any]:
    """The shape. Where `complete` is false more may exist than `groups` tells."""
    return {
        "schema": SCHEMA,
        "complete": not found.incomplete,
        "walked": found.walked,
        "groups": [_group(group) for group in found.groups],
        "incomplete": [_not_walked(one) for one in found.incomplete],
    }


def _group(group: Group) -> dict[str, Any]:
    return {
        "account_id": account(group.account_id),
        "container": container(group.container),
        "kind": group.kind.value,
        "name": group.name,
        "wanted": group.wanted,
        "ours": [entity.external_id for entity in group.ours],
        "look_alikes": [entity.external_id for entity in group.look_alikes],
        "entities": [_entity(entity) for entity in (*group.ours, *group.look_alikes)],
    }


def _entity(entity: Entity) -> dict[str, Any]:
    owner = entity.owner
    return {
        "external_id": entity.external_id,
        "document_id": owner.document_id if owner else None,
        "item": owner.item if owner else None,
        "keep": _keep(entity),
        "is_copy": entity.is_copy,
        "effective_status": entity.effective_status,
        "created_time": shown_time(entity.created_at),
    }


def _keep(entity: Entity) -> str | None:
    """The command that records it as known; null where it would be refused."""
    of = entity.second_of
    if of is None:
        return None
    choice = f"--adopt {of.bound_to} --also {entity.external_id} --reason TEXT"
    return typed_command("resolve", of.document_id, of.item, options=choice)


def _not_walked(one: NotWalked) -> dict[str, Any]:
    parent, kind = one.place
    return {
        "account_id": account(one.account_id),
        "container": container(parent),
        "kind": kind.value,
        "reason": one.reason.value,
        "detail": one.detail or None,
    }
