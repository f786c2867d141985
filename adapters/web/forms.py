"""Reads what a form of a page sent, within its bound."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from urllib.parse import parse_qsl

from fastapi import Request

from .bodies import body_within, declared_type
from .refusals import Refused

FORM: Final = "application/x-www-form-urlencoded"
FORM_BYTES_MAX: Final = 64 * 1024
FIELDS_MAX: Final = 200


def is_form(request: Request) -> bool:
    """Whether a browser could send it from any page, unasked."""
    return declared_type(request) == FORM


async def form_of(request: Request) -> Mapping[str, str]:
    """Its fields, of a repeated one the last; may be asked again. Raises `Refused`."""
    known: Mapping[str, str] | None = getattr(request.state, "form", None)
    if known is None:
        known = request.state.form = _fields(await body_within(request, FORM_BYTES_MAX))
    return known


def _fields(body: bytes) -> dict[str, str]:
    try:
        pairs = parse_qsl(
            body.decode("ascii"), keep_blank_values=True, max_num_fields=FIELDS_MAX, errors="strict"
        )
    except ValueError as error:
        raise Refused(
            "invalid_request",
            "the form cannot be read",
            next_step="load the page again and repeat it there",
        ) from error
    return dict(pairs)
