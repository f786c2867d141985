"""A shape as the JSON of an answer."""

from __future__ import annotations

import json
from typing import Any

import msgspec
from fastapi.responses import JSONResponse


class ShapeResponse(JSONResponse):
    """What the framework would write, sooner; a text that is no whole Unicode is escaped."""

    def render(self, content: Any) -> bytes:
        """Half a character of a name from elsewhere has no UTF-8."""
        try:
            return msgspec.json.encode(content)
        except UnicodeEncodeError:
            return json.dumps(content, allow_nan=False, separators=(",", ":")).encode()
