"""From a text to its JSON value: strict, exact, and clear about where it went wrong.

Python's reader takes more than JSON: doubled keys (the last one wins), NaN and Infinity. Each of
them would mean something other than what the file seems to say, so they are refused here.
"""

from __future__ import annotations

import json
from typing import Any, Never

from .complaints import shown
from .errors import InvalidPlan, PlanError


class NotJson(ValueError):
    """The text is no JSON: what is wrong with it, and what to do about it."""

    def __init__(self, problem: str, instead: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.instead = instead


class _Refused(ValueError):
    """Raised inside the decoder, which passes foreign exceptions through."""


def parse_plan_text(text: str | bytes, source: str = "plan") -> object:
    """Decode a plan. Integers keep all their digits; a byte order mark is passed over.

    Raises `InvalidPlan`, and says line and column where the text is no JSON.
    """
    try:
        return read_json(text)
    except NotJson as error:
        refusal = PlanError(item=None, field="text", problem=error.problem, instead=error.instead)
        raise InvalidPlan((refusal,), source=source) from error


def read_json(text: str | bytes) -> object:
    """Decode strict JSON. Raises `NotJson`."""
    try:
        return json.loads(
            _decoded(text), object_pairs_hook=_object, parse_constant=_no_constant, parse_int=_int
        )
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise NotJson(f"is not JSON at {where}: {error.msg}", "mend the text there") from error
    except UnicodeDecodeError as error:
        raise NotJson(f"is not UTF-8 at byte {error.start}", "save the file as UTF-8") from error
    except RecursionError as error:
        raise NotJson("is nested too deeply to be read", "write it flatter") from error
    except _Refused as error:
        raise NotJson(str(error), "write plain JSON") from error


def _decoded(text: str | bytes) -> str:
    decoded = text.decode("utf-8") if isinstance(text, bytes) else text
    return decoded.removeprefix("\ufeff")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _Refused(f"an object has the key {shown(key)} twice")
        found[key] = value
    return found


def _no_constant(name: str) -> Never:
    raise _Refused(f"holds {name}, which is not JSON")


def _int(digits: str) -> int:
    try:
        return int(digits)
    except ValueError as error:  # Python reads no more than 4,300 digits
        raise _Refused(f"holds a number of {len(digits)} digits") from error
