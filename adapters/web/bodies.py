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
    if declared_type(request) != JSON:
        raise Refused(
            "unsupported_media_type",
            "the body is not declared as JSON",
            next_step=f"send Content-Type: {JSON}",
        )
    return await body_within(request, BODY_BYTES_MAX)


def declared_type(request: Request) -> str:
    """What the body is declared as, in lower case, without parameters; empty where it is not."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


async def body_within(request: Request, most: int) -> bytes:
    """The body. Raises `Refused` where it has more bytes, having read hardly more than that."""
    text = bytearray()
    async for chunk in request.stream():
        text += chunk
        if len(text) > most:
            raise Refused(
                "body_too_large",
                f"the body has more than {most:,} bytes",
                next_step="send several documents in its place",
            )
    return bytes(text)
