"""Reads the body of a request within its bound, and only what is declared as JSON."""

from __future__ import annotations

from typing import Final

from fastapi import Request

from .refusals import Refused

BODY_BYTES_MAX: Final = 8 * 1024 * 1024
"""A thousand items of eight kilobytes each."""

JSON: Final = "application/json"


async def json_text(request: Request) -> bytes:
    """The body. Raises `Refused` where it is larger than the bound, having read no more than that.

    Asking for the declaration also keeps other sites' forms out: a browser sends those unasked.
    """
    declared = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if declared != JSON:
        raise Refused(
            "unsupported_media_type",
            "the body is not declared as JSON",
            next_step=f"send Content-Type: {JSON}",
        )
    text = bytearray()
    async for chunk in request.stream():
        text += chunk
        if len(text) > BODY_BYTES_MAX:
            raise Refused(
                "body_too_large",
                f"the body has more than {BODY_BYTES_MAX:,} bytes",
                next_step="send several documents in its place",
            )
    return bytes(text)
