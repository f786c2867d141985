"""Reads single values of a plan: ids, names, texts, and whole trees of parameters.

Ids leave here as strings of digits (a float has lost some: field case R053), names in canonical
form, trees as fresh copies that hold nothing a database or the API cannot take.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from .complaints import Complaints, plain, shown
from .mark import split_name
from .names import canonical
from .request import REF

NESTING_MAX: Final = 64
"""Deeper than any structure of the API; keeps every recursion over params short."""

INTEGER_BITS_MAX: Final = 128
"""Twice what any field of the API holds."""

INVALID: Final = object()
"""Stands where a value was refused, so that its fault is said once. Never leaves a read plan."""

UNSTORABLE: Final = (
    "holds NUL or half of a surrogate pair, which no database stores",
    "remove that character",
)
A_REFERENCE: Final = f'write only {{"{REF}": KEY}}'
AN_ID: Final = "write the id's digits, as a text or an integer"

_ID: Final = re.compile(r"[1-9][0-9]{0,31}")
_UNSTORABLE: Final = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Reference:
    """One `{"$ref": KEY}`: where it stands, under which parameter, and whom it means."""

    at: str
    param: str | None
    key: str


@dataclass(frozen=True, slots=True)
class Tree:
    """Reads one item's params and remembers the references met on the way."""

    complaints: Complaints
    references: list[Reference] = field(default_factory=list)

    def mapping(self, value: Mapping[Any, Any], at: str, depth: int = 1) -> dict[str, Any]:
        """A copy of the object, every value read."""
        found: dict[str, Any] = {}
        for name, part in value.items():
            path = f"{at}.{plain(name)}"
            if not isinstance(name, str) or _UNSTORABLE.search(name):
                self.complaints.say(path, "is no usable key", "write a plain text as the key")
            else:
                found[name] = self.value(part, path, name, depth)
        return found

    def value(self, value: object, at: str, param: str | None, depth: int) -> Any:
        """A copy of the value; integers under an id's name become strings."""
        match value:
            case None | bool() | int() | float() | str():
                return self._scalar(value, at, param)
            case Mapping() | list() if depth >= NESTING_MAX:
                return self._refused(at, f"is nested deeper than {NESTING_MAX}", "write it flatter")
            case Mapping() if REF in value:
                return self._reference(value, at, param)
            case Mapping():
                return self.mapping(value, at, depth + 1)
            case list():
                parts = enumerate(value)
                return [self.value(part, f"{at}[{n}]", None, depth + 1) for n, part in parts]
            case _:
                return self._refused(at, f"is {shown(value)}, no JSON value", "write plain JSON")

    def _scalar(self, value: object, at: str, param: str | None) -> Any:
        match value:
            case str() if not is_storable(value):
                return self._refused(at, *UNSTORABLE)
            case bool() | float() if _names_an_id(param):
                return self._refused(at, f"is {shown(value)}, no id", AN_ID)
            case float() if not math.isfinite(value):
                return self._refused(at, "is not a finite number", "write a finite number")
            case int() if value.bit_length() > INTEGER_BITS_MAX:
                return self._refused(at, "is a number too large for the API", "write a smaller one")
            case int() if _names_an_id(param):
                return str(value)
            case _:
                return value

    def _reference(self, value: Mapping[Any, Any], at: str, param: str | None) -> Any:
        key = value[REF]
        if len(value) > 1:
            others = ", ".join(plain(name) for name in value if name != REF)
            return self._refused(at, f"has keys beside {REF}: {others}", A_REFERENCE)
        if not isinstance(key, str):
            return self._refused(at, f"refers to {shown(key)}", "write the key of an item")
        self.references.append(Reference(at, param, key))
        return {REF: key}

    def _refused(self, at: str, problem: str, instead: str) -> object:
        self.complaints.say(at, problem, instead)
        return INVALID


def read_id(value: object, at: str, complaints: Complaints) -> str | None:
    """The id as its digits; None, and a complaint, where it is none."""
    text = str(value) if _is_id_number(value) else value
    if isinstance(text, str) and _ID.fullmatch(text):
        return text
    complaints.say(at, f"is {shown(value)}, no id", AN_ID)
    return None


def read_account_id(value: object, at: str, complaints: Complaints) -> str | None:
    """The account's id with its `act_`, whichever way it was written (field case R046)."""
    bare = value.removeprefix("act_") if isinstance(value, str) else value
    if isinstance(bare, str) and bare.startswith("act_"):
        complaints.say(at, f"is {shown(value)}: act_ stands twice", "write act_ once, or leave it")
        return None
    digits = read_id(bare, at, complaints)
    return digits and f"act_{digits}"


def read_name(value: object, complaints: Complaints) -> str | None:
    """The canonical name. Its length is judged later, when it is known whether it bears a mark."""
    name = canonical(value) if isinstance(value, str) else ""
    fault = _fault_of_name(value, name)
    if fault is None:
        return name
    complaints.say("name", *fault)
    return None


def _fault_of_name(value: object, name: str) -> tuple[str, str] | None:
    if not isinstance(value, str):
        return f"is {shown(value)}, no text", "write a name in quotes"
    if not is_storable(value):
        return UNSTORABLE
    if not name:
        return "is empty", "write at least one visible character"
    # The space lets a name that is nothing but a mark be recognised too.
    if split_name(" " + name)[1] is not None:
        problem = "ends in the form of our mark and would be read as another document's"
        return problem, "remove the bracket at its end"
    return None


def is_storable(text: str) -> bool:
    """Whether every database and encoder takes it (field case R051)."""
    return _UNSTORABLE.search(text) is None


def _is_id_number(value: object) -> bool:
    # true and false are integers to Python.
    if not isinstance(value, int) or isinstance(value, bool):
        return False
    return value.bit_length() <= INTEGER_BITS_MAX


def _names_an_id(param: str | None) -> bool:
    return param is not None and (param == "id" or param.endswith("_id"))
