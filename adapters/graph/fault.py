"""Reads what a reply says went wrong: the error envelope of facts 2.1, no member of it certain."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from .reply import Reply

NUMBER_MAX: Final = 2**31
"""Codes are small; what is larger is nothing we could have listed, and would not fit a column."""

_NUMERAL: Final = re.compile(r"-?[0-9]{1,10}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A reply that is not what was asked for. `code` None: none that can be read.

    `is_transient` also holds for every 5xx (E06). `message` is what the API says, as it says it:
    not redacted, for matching; nobody may show it.
    """

    status: int
    code: int | None = None
    subcode: int | None = None
    is_transient: bool = False
    message: str = ""
    explanation: str = ""
    trace_id: str | None = None


def read_fault(reply: Reply) -> Fault:
    """Never fails: what cannot be read is missing. Looks at the body whatever the status (2.8)."""
    error = _error_of(reply.json())
    code, subcode = _code_and_subcode(error)
    return Fault(
        status=reply.status,
        code=code,
        subcode=subcode,
        is_transient=reply.status >= 500 or _is_set(error.get("is_transient")),
        message=_text(error.get("message")),
        explanation=_explanation(error),
        trace_id=_text(error.get("fbtrace_id")) or reply.headers.get("x-fb-trace-id"),
    )


def _error_of(content: Any) -> Mapping[str, Any]:
    error = content.get("error") if isinstance(content, dict) else None
    return error if isinstance(error, dict) else {}


def _code_and_subcode(error: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """A subcode that is there and cannot be read spoils the code: it may have been a milder one."""
    code, subcode = _number(error.get("code")), _number(error.get("error_subcode"))
    if subcode is None and error.get("error_subcode") is not None:
        return None, None
    return code, subcode


def _number(value: Any) -> int | None:
    if isinstance(value, str) and _NUMERAL.fullmatch(value):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) >= NUMBER_MAX:
        return None
    return value


def _is_set(flag: Any) -> bool:
    """Anything but a plain no counts as yes: the doubt keeps the outcome open."""
    return flag not in (None, False, 0, "", "0", "false", "False")


def _explanation(error: Mapping[str, Any]) -> str:
    """What a person needs to mend the input: the user's message and the fields to blame (2.3)."""
    parts = (_text(error.get("error_user_title")), _text(error.get("error_user_msg")))
    return ": ".join(part for part in parts if part)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
