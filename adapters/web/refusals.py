"""What the service refuses by itself, before the product is asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

STATUS: Final[Mapping[str, int]] = {
    "malformed_path": 400,
    "unauthenticated": 401,
    "forbidden": 403,
    "not_found": 404,
    "method_not_allowed": 405,
    "body_too_large": 413,
    "unsupported_media_type": 415,
    "invalid_request": 422,
    "key_taken": 422,
    "too_many_requests": 429,
    "issuer_unavailable": 503,
}
"""The closed list of its codes. Codes of the product are in `problems.STATUS`."""


class Refused(Exception):
    """A request that is answered with a problem and touches nothing."""

    def __init__(
        self,
        code: str,
        detail: str,
        *,
        next_step: str,
        headers: Mapping[str, str] | None = None,
        errors: tuple[Mapping[str, str | None], ...] = (),
    ) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.next_step = next_step
        self.headers = dict(headers or {})
        self.errors = errors
