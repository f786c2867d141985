"""Frozen values made in half of `dataclasses`' time or less, and copied with changes in a tenth.

Every decision is a new document beside the old one, and a document has 27 fields: making and
copying values was a fifth of what a simulated history computes. A frozen dataclass stores each
field through a call, since plain assignment is what it forbids. Here the slots are filled while the
value is of an open twin, a class with the same slots; then it is frozen.

The constructor is written out and compiled, as `dataclasses` does with its own: a loop over the
fields would cost what is to be saved.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from functools import cache, wraps
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
    """The same frozen dataclass with a quicker constructor: for values made by the hundred.

    It has no subclasses. Raises TypeError for a class that checks its own values: its checks would
    be left out.
    """
    if not _is_plain(kind):
        raise TypeError(f"{kind.__name__} is made by its own constructor alone")
    scope = _scope(kind)
    constructor = _compiled(_constructor(kind, scope), scope)
    wraps(kind.__init__)(constructor)  # as errors and signatures have it
    cast("Any", kind).__init__ = constructor
    cast("Any", kind).__init_subclass__ = classmethod(_refuse_subclass)
    return kind


def _refuse_subclass(kind: type[Any], /, **_: object) -> None:
    raise TypeError(
        f"{kind.__name__} is a subclass of a quick class, which makes its own kind only"
    )


def _is_plain(kind: type[Any]) -> bool:
    """Whether its slots are all there is to it: no check of its own, no base class."""
    fields = dataclasses.fields(kind)
    has_slots = all(hasattr(vars(kind).get(field.name), "__set__") for field in fields)
    has_no_more = kind.__bases__ == (object,) and not hasattr(kind, "__post_init__")
    return has_slots and has_no_more and all(field.init for field in fields)


# --- the code that is written ---------------------------------------------------------------------


def _scope(kind: type[Any]) -> dict[str, Any]:
    """What the written code names besides the fields."""
    names = tuple(field.name for field in dataclasses.fields(kind))
    opened = type(kind.__name__, (), {"__slots__": names})
    return {
        "_Frozen": kind,
        "_Open": opened,
        "_thaw": vars(object)["__class__"].__set__,
        "_put": setattr,
        "_NOT_GIVEN": dataclasses.MISSING,
    }


def _constructor(kind: type[Any], scope: dict[str, Any]) -> list[str]:
    """Takes what the constructor of the dataclass takes; defaults are put into `scope`."""
    fields = dataclasses.fields(kind)
    by_place = [_parameter(field) for field in fields if not field.kw_only]
    by_name = [_parameter(field) for field in fields if field.kw_only]
    scope |= {f"_default_{field.name}": field.default for field in fields}
    scope |= {f"_make_{field.name}": field.default_factory for field in fields}
    star = ["*"] if by_name else []
    return [
        f"def written({', '.join(['self', *by_place, *star, *by_name])}):",
        "_thaw(self, _Open)",
        *(f"self.{field.name} = {_value(field)}" for field in fields),
        "self.__class__ = _Frozen",
    ]


def _parameter(field: dataclasses.Field[Any]) -> str:
    if field.default_factory is not dataclasses.MISSING:
        return f"{field.name}=_NOT_GIVEN"
    has_default = field.default is not dataclasses.MISSING
    return f"{field.name}=_default_{field.name}" if has_default else field.name


def _value(field: dataclasses.Field[Any]) -> str:
    if field.default_factory is dataclasses.MISSING:
        return field.name
    return f"_make_{field.name}() if {field.name} is _NOT_GIVEN else {field.name}"


def _copying(kind: type[Any]) -> list[str]:
    """Takes a value and its changes, by name."""
    names = [field.name for field in dataclasses.fields(kind)]
    return [
        "def written(value, changes):",
        "self = _Open()",
        *(f"self.{name} = value.{name}" for name in names),
        "for name, changed in changes.items(): _put(self, name, changed)",
        "self.__class__ = _Frozen",
        "return self",
    ]


def _compiled(lines: list[str], scope: dict[str, Any]) -> Callable[..., Any]:
    exec("\n ".join(lines), scope)  # noqa: S102 - of the names of fields, which are identifiers
    written: Callable[..., Any] = scope["written"]
    return written


Copier = Callable[[object, Mapping[str, Any]], object]


@cache
def _copier(kind: type[Any]) -> Copier | None:
    """None where a copy of the slots would not do."""
    return _compiled(_copying(kind), _scope(kind)) if _is_plain(kind) else None
