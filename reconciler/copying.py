"""Frozen values made, and copied with some fields changed, in a fraction of `dataclasses`' time.

Every decision is a new document beside the old one, and a document has 27 fields: its copies were
a seventh of what a publish computes. `dataclasses.replace` looks up each field and runs the whole
constructor, which stores each field through a call because the class is frozen. Here the slots are
filled while the class is an open twin; then it is frozen.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar, cast

__all__ = ["quick", "replace"]

Kind = TypeVar("Kind")

if TYPE_CHECKING:
    from dataclasses import replace  # so that names and types of fields are checked
else:

    def replace(value, /, **changes):
        """As `dataclasses.replace`; a class that checks its own values goes through its checks."""
        copy = _copier(type(value))
        if copy is None:
            return dataclasses.replace(value, **changes)
        try:
            return copy(value, changes)
        except AttributeError:  # a field that does not exist: there it is told as ever
            return dataclasses.replace(value, **changes)


def quick(kind: type[Kind]) -> type[Kind]:
    """What is called as the class is, and gives what it gives, in a third of the time.

    For values made by the hundred, such as the parts of a document that is read. Raises TypeError
    for a class that checks its own values: its checks would be left out.
    """
    if not _is_plain(kind):
        raise TypeError(f"{kind.__name__} is made by its own constructor alone")

    def freeze(self: Any) -> None:
        self.__class__ = kind

    found = dataclasses.fields(cast("Any", kind))
    fields = [(field.name, field.type, _alike(field)) for field in found]
    methods = {"__post_init__": freeze}
    twin = dataclasses.make_dataclass(kind.__name__, fields, namespace=methods, slots=True)
    return cast("type[Kind]", twin)


def _alike(field: dataclasses.Field[Any]) -> Any:
    """A field can belong to one class."""
    return dataclasses.field(
        default=field.default, default_factory=field.default_factory, kw_only=field.kw_only
    )


Copier = Callable[[object, Mapping[str, Any]], object]


@cache
def _copier(kind: type[Any]) -> Copier | None:
    """None where a copy of the slots would not do."""
    names = [field.name for field in dataclasses.fields(kind)]
    return _made(kind, names) if _is_plain(kind) and len(names) > 1 else None


def _is_plain(kind: type[Any]) -> bool:
    """Whether its slots are all there is to it: no check of its own, no base class."""
    names = [field.name for field in dataclasses.fields(kind)]
    has_slots = all(hasattr(vars(kind).get(name), "__set__") for name in names)
    return has_slots and kind.__bases__ == (object,) and not hasattr(kind, "__post_init__")


def _made(kind: type[Any], names: list[str]) -> Copier:
    """A copy is filled while its class is an open one with the same slots; then it is frozen."""
    read = attrgetter(*names)
    fill = dataclasses.make_dataclass(kind.__name__, names, slots=True)

    def copy(value: object, changes: Mapping[str, Any]) -> object:
        copied = fill(*read(value))
        for name, changed in changes.items():
            setattr(copied, name, changed)
        copied.__class__ = kind
        return copied

    return copy
