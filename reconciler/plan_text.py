"""From the text of a plan to its JSON value: strict, exact, and clear about where it went wrong.

Python's reader takes more than JSON: doubled keys (the last one wins), NaN and Infinity. Each of
them would publish something other than what the file seems to say, so they are refused here.
"""

from __future__ import annotations

import json
from typing import Any, Never

from .complaints import shown
from .errors import InvalidPlan, PlanError


class _Refused(ValueError):
    """Raised inside the decoder, which passes foreign exceptions through."""


def parse_plan_text(text: str | bytes, source: str = "plan") -> object:
    """Decode a plan. Integers keep all their digits; a byte order mark is passed over.

    Raises `InvalidPlan`, and says line and column where the text is no JSON.
    """
    try:
        return json.loads(
            _decoded(text), object_pairs_hook=_object, parse_constant=_no_constant, parse_int=_int
        )
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        _refuse(source, f"is not JSON at {where}: {error.msg}", "mend the text there", error)
    except UnicodeDecodeError as error:
        _refuse(source, f"is not UTF-8 at byte {error.start}", "save the file as UTF-8", error)
    except RecursionError as error:
        _refuse(source, "is nested too deeply to be read", "write it flatter", error)
    except _Refused as error:
        _refuse(source, str(error), "write plain JSON", error)


def _refuse(source: str, problem: str, instead: str, cause: BaseException) -> Never:
    error = PlanError(item=None, field="text", problem=problem, instead=instead)
    raise InvalidPlan((error,), source=source) from cause


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
