"""Reads the top of a plan: whose account, which container, the title, and the list of items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from .complaints import Complaints, shown
from .model import Container, ContainerKind
from .plan_items import Above
from .plan_values import UNSTORABLE, is_storable, read_account_id, read_id

SCHEMA: Final = "plan/1"
ITEMS_MAX: Final = 1_000
TITLE_LENGTH_MAX: Final = 400

_TOP_KEYS: Final = ("account_id", "items", "container", "title", "schema")
_CONTAINER_KEYS: Final = ("kind", "id")


@dataclass(frozen=True, slots=True, kw_only=True)
class Top:
    """All of a plan but what its items say. `items` are still as they were written."""

    above: Above
    title: str | None
    items: list[object]


def read_top(value: Mapping[Any, Any], complaints: Complaints) -> Top:
    """Read the top, saying all that is wrong with it."""
    complaints.refuse_others(value, _TOP_KEYS, "")
    if value.get("schema", SCHEMA) != SCHEMA:
        complaints.say(
            "schema", f"is {shown(value['schema'])}", f'write "{SCHEMA}" or leave it out'
        )
    account = container = _read_account(value, complaints)
    if value.get("container") is not None:
        container = _read_container(value["container"], account, complaints)
    return Top(
        above=Above(account=account, container=container),
        title=_read_title(value, complaints),
        items=_read_items(value, complaints),
    )


def _read_account(value: Mapping[Any, Any], complaints: Complaints) -> Container | None:
    if "account_id" not in value:
        complaints.say("account_id", "is missing", 'write the ad account, such as "act_1001"')
        return None
    account_id = read_account_id(value["account_id"], "account_id", complaints)
    if account_id is None:
        return None
    return Container(kind=ContainerKind.ACCOUNT, id=account_id)


def _read_container(
    value: object, account: Container | None, complaints: Complaints
) -> Container | None:
    if not isinstance(value, Mapping):
        complaints.say("container", f"is {shown(value)}, no object", "write {kind, id}")
        return None
    complaints.refuse_others(value, _CONTAINER_KEYS, "container.")
    kind = value.get("kind")
    if kind not in tuple(ContainerKind):
        known = ", ".join(ContainerKind)
        complaints.say("container.kind", f"is {shown(kind)}", f"write one of {known}")
        return None
    if kind == ContainerKind.ACCOUNT:
        return _read_account_container(value.get("id"), account, complaints)
    container_id = read_id(value.get("id"), "container.id", complaints)
    if container_id is None:
        return None
    return Container(kind=ContainerKind(kind), id=container_id)


def _read_account_container(
    value: object, account: Container | None, complaints: Complaints
) -> Container | None:
    container_id = read_account_id(value, "container.id", complaints)
    if container_id and account and container_id != account.id:
        problem = f"is {container_id}, and the plan's account is {account.id}"
        complaints.say("container.id", problem, "write one account a plan")
    return account


def _read_title(value: Mapping[Any, Any], complaints: Complaints) -> str | None:
    title = value.get("title")
    if title is None:
        return None
    if not isinstance(title, str):
        complaints.say("title", f"is {shown(title)}, no text", "write a text or leave it out")
    elif not is_storable(title):
        complaints.say("title", *UNSTORABLE)
    elif len(title) > TITLE_LENGTH_MAX:
        problem = f"has {len(title)} characters"
        complaints.say("title", problem, f"write at most {TITLE_LENGTH_MAX}")
    else:
        return title
    return None


def _read_items(value: Mapping[Any, Any], complaints: Complaints) -> list[object]:
    items = value.get("items")
    if not isinstance(items, list):
        problem = f"is {shown(items)}, no list" if "items" in value else "is missing"
        complaints.say("items", problem, f"write a list of 1 to {ITEMS_MAX:,} items")
        return []
    if not 1 <= len(items) <= ITEMS_MAX:
        problem = f"has {len(items):,} items"
        complaints.say("items", problem, f"write 1 to {ITEMS_MAX:,} items a plan")
    # Beyond the bound nothing is looked at: the plan is refused anyway.
    return items[:ITEMS_MAX]
