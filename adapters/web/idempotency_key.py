r"""The key of a document as the header `Idempotency-Key` carries it, both ways.

A key of visible ASCII stands there as it is. One with spaces stands in quotes, as a string of
structured fields (RFC 9651, section 3.3.3), which is what the draft of the header asks for: the
quotes are not part of the key, and a quote or a backslash within has a backslash before it.
Whatever a header brought in, a header can say again; a key with other letters is for the command
line, which handed it in.
"""

from __future__ import annotations

import re
from typing import Annotated, Final

from fastapi import Header

from reconciler.submit import KEY_LENGTH_MAX

from .refusals import Refused

KEY_HEADER: Final = "Idempotency-Key"

Key = Annotated[
    str | None,
    Header(
        alias=KEY_HEADER,
        description=(
            "Names the document; by default its plan's hash does. "
            f"1 to {KEY_LENGTH_MAX} characters of visible ASCII, as they are; "
            'with spaces in quotes: `"spring sale"`.'
        ),
        openapi_examples={
            "as it is": {"value": "spring-2026"},
            "with a space": {"value": '"spring sale"'},
        },
    ),
]

_BARE: Final = re.compile(r"[!#-~][!-~]*")
_QUOTED: Final = re.compile(r'"((?:[ !#-\[\]-~]|\\["\\])*)"')
_PLAIN: Final = re.compile(r"[ -~]+")


def key_of(header: str) -> str:
    """The key that the header names. Raises `Refused` where it names none."""
    if quoted := _QUOTED.fullmatch(header):
        key = re.sub(r'\\(["\\])', r"\1", quoted[1])
        if not key.strip():
            raise _refused("holds nothing")
    elif _BARE.fullmatch(header):
        key = header
    else:
        raise _refused(_problem(header))
    if len(key) > KEY_LENGTH_MAX:
        raise _refused(f"has more than {KEY_LENGTH_MAX} characters")
    return key


def header_of(key: str) -> str | None:
    """What names this key; None: no header can, for it has other letters than ASCII."""
    if _BARE.fullmatch(key):
        return key
    if not _PLAIN.fullmatch(key):
        return None
    escaped = key.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _problem(header: str) -> str:
    """Never what stood in it."""
    if not header:
        return "holds nothing"
    if not _PLAIN.fullmatch(header):
        return "has letters that are not ASCII, which no header carries for sure"
    if header.startswith('"'):
        return 'begins with a quote and is no string in quotes: end it with one, write \\" within'
    return "has spaces, and is not in quotes"


def _refused(problem: str) -> Refused:
    instead = f'1 to {KEY_LENGTH_MAX} characters of visible ASCII, in quotes if with spaces: "a b"'
    return Refused(
        "invalid_request",
        f"{KEY_HEADER}: {problem}",
        next_step=f"send {KEY_HEADER} with {instead}",
        errors=({"item": None, "field": KEY_HEADER, "problem": problem, "instead": instead},),
    )
