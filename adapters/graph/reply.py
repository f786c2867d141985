"""What came back for one request: a `Reply`, or `NoReply` and what became of the request."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final

import httpx

DIGITS_MAX: Final = 640
"""Python takes these always; its bound is 4,300 by default and can be set no lower."""


class Unreadable(Enum):
    """The content of a body that is not JSON."""

    IT = "unreadable"


@dataclass(frozen=True, slots=True)
class Reply:
    """Status, headers and the whole body, decompressed."""

    status: int
    headers: httpx.Headers = field(default_factory=httpx.Headers)
    body: bytes = b""

    def json(self) -> Any:
        """The content, or `Unreadable.IT`: HTML, an empty body, bytes that are no UTF-8.

        Whole numbers keep all their digits; NaN and its like are refused.
        """
        return read_json(self.body)


@dataclass(frozen=True, slots=True)
class NoReply:
    """No whole reply. `never_left` only where it is proven that no byte of the request went out."""

    never_left: bool
    message: str  # not redacted
    is_too_large: bool = False


def read_json(body: bytes) -> Any:
    """Parse, or `Unreadable.IT`. Control characters inside strings are let through."""
    try:
        return _DECODER.decode(body.decode("utf-8"))
    except (ValueError, RecursionError):
        return Unreadable.IT


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def _whole_number(digits: str) -> int | str:
    """Text where Python refuses to make a number of so many digits; no field we know has them."""
    return int(digits) if len(digits) <= DIGITS_MAX else digits


_DECODER = json.JSONDecoder(strict=False, parse_constant=_refuse, parse_int=_whole_number)
