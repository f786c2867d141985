"""Finds twins, items that only a mark in their names tells apart, and keeps room for that mark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from .mark import NAME_MARK_LENGTH
from .model import Container, Kind
from .names import NAME_LENGTH_MAX
from .plan_items import Draft

Identity = tuple[Kind, Container | str, str]
"""Kind, parent (a container, or the key of the item that will be it) and canonical name."""


def identity(draft: Draft) -> Identity | None:
    """What an item shares with its twins. None where a part of it was refused."""
    parent = draft.parent if draft.parent_ref is None else draft.parent_ref
    if draft.kind is None or draft.name is None or parent is None:
        return None
    return draft.kind, parent, draft.name


def twins_among(drafts: Iterable[Draft]) -> frozenset[Identity | None]:
    """The identities that more than one item has; never None."""
    counts = Counter(identity(draft) for draft in drafts)
    return frozenset(one for one, count in counts.items() if one is not None and count > 1)


def check_length(draft: Draft, *, bears_mark: bool) -> None:
    """Say if the name, with its mark if it will bear one, is longer than the API takes."""
    room = NAME_LENGTH_MAX - (NAME_MARK_LENGTH if bears_mark else 0)
    if draft.name is None or len(draft.name) <= room:
        return
    why = f"; {NAME_MARK_LENGTH} of {NAME_LENGTH_MAX} are kept for the mark" if bears_mark else ""
    problem = f"has {len(draft.name)} characters{why}"
    draft.complaints.say("name", problem, f"write at most {room}")
