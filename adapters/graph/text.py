"""Makes text and data from outside fit to be stored: by every database, and without secrets.

U+0000 and lone surrogates are legal in JSON and refused by PostgreSQL and UTF-8 (field case R051).
They become their visible escapes; no name of ours can hold either, since `form` refuses to send
them, so no comparison changes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, Final

from .redaction import SECRET_PARAMETERS

ID_LENGTH_MAX: Final = 32
"""Ids have up to 18 digits today (facts 5.14)."""

_ID: Final = re.compile(rf"(?=.*[1-9])[0-9]{{1,{ID_LENGTH_MAX}}}")

DEPTH_MAX: Final = 64
"""Nothing we ask for nests deeper than three; what does is cut there, in `data` only."""

TOO_DEEP: Final = "[nested too deep]"

_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")


def visible(value: Any) -> Any:
    r"""The same JSON value, what cannot be stored written as `\u0000` or `\ud83d`."""
    return _mapped(value, visible_text)


def visible_text(text: str) -> str:
    """One text."""
    return _UNSTORABLE.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def is_utf8(text: str) -> bool:
    """Whether it can be written as bytes: with a lone surrogate in it, no request can carry it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def id_text(value: Any) -> str | None:
    """An id as a string of digits, whether it came as text or as a whole number (R053)."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value) if abs(value) < 10**ID_LENGTH_MAX else None
    if not isinstance(value, str) or not _ID.fullmatch(value):
        return None
    return value


def are_ids(texts: list[str]) -> bool:
    """Whether every one of them is an id: those without a leading zero, all that we know, at once.

    The smallest text begins with the smallest character, so it tells of an empty one or a zero.
    """
    together = "".join(texts).encode()
    if together.isdigit() and min(texts) >= "1":
        return max(map(len, texts)) <= ID_LENGTH_MAX
    return all(map(id_text, texts))


def label_names(labels: Any) -> list[str]:
    """The names in an `adlabels` list; an entry without a readable one says nothing."""
    names = [each.get("name") for each in labels or () if isinstance(each, dict)]
    return [name for name in names if name and isinstance(name, str)]


def as_stored(row: dict[str, Any], redact: Callable[[str], str]) -> dict[str, Any]:
    """A row for `Row.data`: ids as strings (R053), nothing that is or carries a secret."""
    stored: dict[str, Any] = _plain(_mapped(row, redact))
    return stored


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain_member(key, each) for key, each in value.items() if _is_shown(key)}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _plain_member(key: str, value: Any) -> Any:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    if is_number and (key == "id" or key.endswith("_id")):
        return str(value)
    return _plain(value)


def _is_shown(key: str) -> bool:
    return key.lower() not in SECRET_PARAMETERS


def _mapped(value: Any, change: Callable[[str], str], depth: int = 0) -> Any:
    if isinstance(value, str):
        return change(value)
    if depth > DEPTH_MAX:
        return TOO_DEEP if isinstance(value, (dict, list)) else value
    if isinstance(value, dict):
        return {change(key): _mapped(each, change, depth + 1) for key, each in value.items()}
    if isinstance(value, list):
        return [_mapped(each, change, depth + 1) for each in value]
    return value
