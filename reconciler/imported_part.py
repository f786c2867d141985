"""Reads what a document from elsewhere tried to make in one container, and what was recorded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .complaints import Complaints, shown
from .model import Container, ContainerKind, Kind
from .names import NAME_LENGTH_MAX
from .plan_top import ITEMS_MAX
from .plan_values import read_account_id, read_id, read_name
from .request import PARENT_KIND


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What a document tried to make in one container.

    `external_ids` has a place for each of `names`: the id that was recorded for it, or None.
    """

    container: Container
    kind: Kind
    names: tuple[str, ...]  # canonical
    external_ids: tuple[str | None, ...]


def read_part(
    value: Mapping[str, object], account_id: str | None, complaints: Complaints
) -> Part | None:
    """The part that a line tells of; None, and every complaint, where it cannot be accepted."""
    kind = _read_kind(value.get("kind"), complaints)
    container = _read_container(value.get("container"), kind, account_id, complaints)
    names = _read_names(value.get("names"), complaints)
    recorded = _read_recorded(value.get("recorded"), complaints)
    if kind is None or container is None or names is None or recorded is None:
        return None
    external_ids = _placed(names, recorded, kind, complaints)
    return Part(container=container, kind=kind, names=names, external_ids=external_ids)


def _read_kind(value: object, complaints: Complaints) -> Kind | None:
    known = {kind.value: kind for kind in Kind}
    if isinstance(value, str) and value in known:
        return known[value]
    complaints.say("kind", f"is {shown(value)}, no kind", f"write one of {', '.join(known)}")
    return None


def _read_container(
    value: object, kind: Kind | None, account_id: str | None, complaints: Complaints
) -> Container | None:
    if not isinstance(value, Mapping):
        instead = 'write {"kind": "adset", "id": "2001"}'
        complaints.say("container", f"is {shown(value)}, no object", instead)
        return None
    if kind is None:
        return None  # said of the kind
    wanted = PARENT_KIND[kind]
    if value.get("kind") != wanted.value:
        problem = f"is {shown(value.get('kind'))}, where no {kind.value} is made"
        complaints.say("container.kind", problem, f"write {wanted.value} and its id")
        return None
    if wanted is not ContainerKind.ACCOUNT:
        identity = read_id(value.get("id"), "container.id", complaints)
        return None if identity is None else Container(kind=wanted, id=identity)
    identity = read_account_id(value.get("id"), "container.id", complaints)
    if identity is None or account_id is None:
        return None
    if identity != account_id:
        complaints.say("container.id", "is another account", "write account_id there too")
        return None
    return Container(kind=wanted, id=identity)


def _read_names(value: object, complaints: Complaints) -> tuple[str, ...] | None:
    if not isinstance(value, list) or not value:
        problem = "is empty" if value == [] else f"is {shown(value)}, no list"
        complaints.say("names", problem, 'write every name it tried to create: ["A", "A", "B"]')
        return None
    if len(value) > ITEMS_MAX:
        complaints.say("names", f"has more than {ITEMS_MAX:,}", "leave such a document out")
        return None
    names = [_read_name(name, f"names[{at}]", complaints) for at, name in enumerate(value)]
    return None if None in names else tuple(name for name in names if name is not None)


def _read_name(value: object, at: str, complaints: Complaints) -> str | None:
    said = Complaints()
    name = read_name(value, said)
    for error in said.errors:
        complaints.say(at, error.problem, error.instead)
    if name is not None and len(name) > NAME_LENGTH_MAX:
        problem = f"has {len(name):,} characters, and the API takes {NAME_LENGTH_MAX}"
        complaints.say(at, problem, "write the name that was really sent")
        return None
    return name


def _read_recorded(value: object, complaints: Complaints) -> list[tuple[str, str]] | None:
    if not isinstance(value, list):
        instead = 'write [{"name": "A", "external_id": "9001"}], or [] for none'
        complaints.say("recorded", f"is {shown(value)}, no list", instead)
        return None
    if len(value) > ITEMS_MAX:
        complaints.say("recorded", f"has more than {ITEMS_MAX:,}", "write one for each name")
        return None
    pairs = [_read_pair(pair, f"recorded[{at}]", complaints) for at, pair in enumerate(value)]
    return None if None in pairs else [pair for pair in pairs if pair is not None]


def _read_pair(value: Any, at: str, complaints: Complaints) -> tuple[str, str] | None:
    if not isinstance(value, Mapping):
        instead = 'write {"name": "A", "external_id": "9001"}'
        complaints.say(at, f"is {shown(value)}, no object", instead)
        return None
    name = _read_name(value.get("name"), f"{at}.name", complaints)
    external_id = read_id(value.get("external_id"), f"{at}.external_id", complaints)
    return None if name is None or external_id is None else (name, external_id)


def _placed(
    names: tuple[str, ...], recorded: list[tuple[str, str]], kind: Kind, complaints: Complaints
) -> tuple[str | None, ...]:
    """Give each recorded id to a place of its name.

    Equal names are interchangeable, so theirs go in the order of the ids: a table exported twice,
    in another order, says the same.
    """
    placed: list[str | None] = [None] * len(names)
    free: dict[str, list[int]] = {}
    for place in reversed(range(len(names))):
        free.setdefault(names[place], []).append(place)
    seen: set[str] = set()
    for at, (name, external_id) in sorted(enumerate(recorded), key=lambda pair: pair[1]):
        if not free.get(name):
            problem = f"{shown(name)} is recorded more often than it stands in names"
            complaints.say(f"recorded[{at}].name", problem, "write every name that was tried")
        elif external_id in seen and kind is not Kind.ADCREATIVE:
            where = f"recorded[{at}].external_id"
            complaints.say(where, "stands there twice", "see which of the two is right")
        else:
            placed[free[name].pop()] = external_id
        seen.add(external_id)
    return tuple(placed)
