"""Writes a create's parameters as a form: facts 4.6, UTF-8 kept exactly (field case R050)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlencode

from .paths import Unsendable

NEVER_SENT: Final = frozenset(
    {"fields", "access_token", "appsecret_proof", "execution_options", "method", "batch"}
)
"""`fields` would hide a made object behind a failed read (facts 2.12), `validate_only` makes
nothing (4.7), a token belongs in the header. The plan refuses them; this is the second lock."""


def form_body(params: Mapping[str, Any], extra: Mapping[str, str]) -> bytes:
    """The body. Lists, objects and booleans become JSON; a None is left out.

    Raises `Unsendable` for what no form or JSON can carry: a lone surrogate, U+0000, NaN.
    """
    forbidden = NEVER_SENT.intersection(params)
    if forbidden:
        raise Unsendable(f"a create must not carry {', '.join(sorted(forbidden))}")
    if _holds_nul(params):
        raise Unsendable("the text holds U+0000, which does not survive the round trip")
    try:
        pairs = [(key, _text(value)) for key, value in params.items() if value is not None]
        return urlencode([*pairs, *extra.items()]).encode("ascii")
    except (ValueError, TypeError, RecursionError) as error:
        raise Unsendable(f"the parameters cannot be encoded: {type(error).__name__}") from error


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _holds_nul(value: Any) -> bool:
    if isinstance(value, str):
        return "\0" in value
    if isinstance(value, Mapping):
        return any(_holds_nul(key) or _holds_nul(each) for key, each in value.items())
    return isinstance(value, (list, tuple)) and any(_holds_nul(each) for each in value)
