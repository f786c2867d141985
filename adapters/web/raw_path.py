"""A part of a path may hold any character: paths are compared as they were sent, then decoded.

An id from elsewhere may have a `/` in it, sent as `%2F`. A server hands on the path decoded, where
such an id looks like two parts, or like the name of something that a document has.
"""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from typing import Any
from urllib.parse import quote, unquote

from starlette.routing import Match

Scope = MutableMapping[str, Any]
Found = tuple[Match, Scope]


def part(text: str) -> str:
    """Any text as one part of a path."""
    return quote(text, safe="")


def found_as_sent(matches: Callable[[Scope], Found], scope: Scope) -> Found:
    """What `matches` finds by the path as it was sent, its parameters as the texts they stand for.

    Where something in between has changed the path, and that alone, its word stands.
    """
    sent = bytes(scope.get("raw_path") or b"").decode("latin-1")
    if "%" not in sent or unquote(sent) != scope["path"]:
        return matches(scope)
    match, child = matches({**scope, "path": _kept_apart(sent)})
    before = scope.get("path_params", {})
    for name in child.get("path_params", {}).keys() - before.keys():
        child["path_params"][name] = _whole(child["path_params"][name])
    return match, child


def _kept_apart(sent: str) -> str:
    """Decoded but for `/` and `%`. Bytes that are no text are in no path of ours."""
    try:
        pieces = [unquote(piece, errors="strict") for piece in sent.split("/")]
    except UnicodeDecodeError:
        return ""
    return "/".join(piece.replace("%", "%25").replace("/", "%2F") for piece in pieces)


def _whole(value: Any) -> Any:
    return value.replace("%2F", "/").replace("%25", "%") if isinstance(value, str) else value
