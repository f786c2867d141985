"""Reads one item of a plan by itself: its fields, its parent, and to whom it refers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from .complaints import Complaints, shown
from .copying import quick
from .model import Container, ContainerKind, Kind
from .plan_params import check_params
from .plan_values import INVALID, Reference, Tree, read_id, read_name
from .request import PARENT_KIND, PARENT_PARAM, REF

ITEM_KEYS: Final = ("key", "kind", "name", "params")
_KINDS: Final = {kind.value: kind for kind in Kind}
_KEY: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """An item as far as it could be read; None where a field was refused, which has been said."""

    complaints: Complaints  # about this item
    key: str | None
    kind: Kind | None
    name: str | None
    params: Mapping[str, Any]
    parent: Container | None
    parent_ref: str | None
    references: tuple[Reference, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Above:
    """What an item may take its parent from. None: unreadable, which has been said."""

    account: Container | None
    container: Container | None


def read_draft(value: object, place: int, above: Above, complaints: Complaints) -> Draft:
    """Read `items[place]`, saying all that is wrong with it alone."""
    fields: Mapping[Any, Any] = value if isinstance(value, Mapping) else {}
    key = _readable_key(fields)
    mine = complaints.about(f"items[{place}]" if key is None else key)
    if not isinstance(value, Mapping):
        mine.say("item", f"is {shown(value)}, no object", f"write {{{', '.join(ITEM_KEYS)}}}")
        return _nothing(mine)
    if key is None:
        problem = "is missing" if "key" not in fields else f"is {shown(fields['key'])}"
        mine.say("key", problem, "write 1 to 64 of the characters A-Z a-z 0-9 _ . -")
    mine.refuse_others(fields, ITEM_KEYS, "")
    return _read_fields(fields, key, above, mine)


def _readable_key(fields: Mapping[Any, Any]) -> str | None:
    key = fields.get("key")
    return key if isinstance(key, str) and _KEY.fullmatch(key) else None


def _nothing(complaints: Complaints) -> Draft:
    return Draft(
        complaints=complaints,
        key=None,
        kind=None,
        name=None,
        params={},
        parent=None,
        parent_ref=None,
        references=(),
    )


def _read_fields(
    fields: Mapping[Any, Any], key: str | None, above: Above, complaints: Complaints
) -> Draft:
    kind = _read_kind(fields, complaints)
    name = _read_name(fields, complaints)
    tree = Tree(complaints)
    params = _read_params(fields, tree)
    parent, parent_ref = None, None
    if params is not None:  # else its parts would be missed a second time
        check_params(kind, params, complaints)
        parent, parent_ref = _read_parent(kind, params, above, complaints)
    return Draft(
        complaints=complaints,
        key=key,
        kind=kind,
        name=name,
        params=params or {},
        parent=parent,
        parent_ref=parent_ref,
        references=tuple(tree.references),
    )


def _read_kind(fields: Mapping[Any, Any], complaints: Complaints) -> Kind | None:
    kind = fields.get("kind")
    if isinstance(kind, str) and kind in _KINDS:
        return _KINDS[kind]
    problem = f"is {shown(fields['kind'])}" if "kind" in fields else "is missing"
    complaints.say("kind", problem, f"write one of {', '.join(Kind)}")
    return None


def _read_name(fields: Mapping[Any, Any], complaints: Complaints) -> str | None:
    if "name" in fields:
        return read_name(fields["name"], complaints)
    complaints.say("name", "is missing", "write a name in quotes")
    return None


def _read_params(fields: Mapping[Any, Any], tree: Tree) -> dict[str, Any] | None:
    params = fields.get("params")
    if not isinstance(params, Mapping):
        problem = f"is {shown(params)}, no object" if "params" in fields else "is missing"
        tree.complaints.say("params", problem, "write the parameters as an object, {} for none")
        return None
    if REF in params:
        tree.complaints.say("params", f"is a {REF}", "refer to an item inside a parameter")
        return None
    return tree.mapping(params, "params")


def _read_parent(
    kind: Kind | None, params: Mapping[str, Any], above: Above, complaints: Complaints
) -> tuple[Container | None, str | None]:
    """Where the item belongs: a container, or the key of the item that will be its parent."""
    if kind is None:
        return None, None
    if kind not in PARENT_PARAM:
        return above.account, None
    if PARENT_PARAM[kind] not in params:
        return _supplied(kind, above, complaints), None
    return _written(kind, params[PARENT_PARAM[kind]], above, complaints)


def _supplied(kind: Kind, above: Above, complaints: Complaints) -> Container | None:
    container = above.container
    if container is None or container.kind is PARENT_KIND[kind]:
        return container
    has_none = container.kind is ContainerKind.ACCOUNT  # written or not, it is above every item
    other = "has no container" if has_none else f"has a container of kind {container.kind}"
    complaints.say(
        f"params.{PARENT_PARAM[kind]}",
        f"is missing, and the plan {other}",
        f'write an id or {{"{REF}": KEY}}, or a container of kind {PARENT_KIND[kind]}',
    )
    return None


def _written(
    kind: Kind, value: Any, above: Above, complaints: Complaints
) -> tuple[Container | None, str | None]:
    at = f"params.{PARENT_PARAM[kind]}"
    if value is INVALID:
        return None, None
    if isinstance(value, Mapping) and REF in value:
        _refuse_two(kind, f"item {value[REF]}", above, at, complaints)
        return None, value[REF]
    parent_id = read_id(value, at, complaints)
    if parent_id is None:
        return None, None
    _refuse_two(kind, parent_id, above, at, complaints)
    return Container(kind=PARENT_KIND[kind], id=parent_id), None


def _refuse_two(kind: Kind, parent: str, above: Above, at: str, complaints: Complaints) -> None:
    container = above.container
    if container is None or container.kind is not PARENT_KIND[kind] or container.id == parent:
        return
    problem = f"is {parent}, and the plan's container is {container.kind} {container.id}"
    complaints.say(at, problem, "write one of the two")
