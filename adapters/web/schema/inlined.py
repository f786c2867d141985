"""A model's JSON schema in one piece, for places that FastAPI does not describe by itself."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel


def inlined(model: type[BaseModel]) -> dict[str, Any]:
    """Without references: it stands by itself in any application's OpenAPI document.

    For models that do not contain themselves.
    """
    schema = model.model_json_schema()
    parts = schema.pop("$defs", {})
    whole: dict[str, Any] = _whole(schema, parts)
    return whole


def _whole(part: Any, parts: dict[str, Any]) -> Any:
    match part:
        case {"$ref": str(name), **beside}:
            return _whole(parts[name.removeprefix("#/$defs/")] | beside, parts)
        case dict():
            return {key: _whole(value, parts) for key, value in part.items()}
        case list():
            return [_whole(value, parts) for value in part]
    return part
