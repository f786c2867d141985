"""A part of a path may hold any character: paths are compared as they were sent, then decoded.

An id from elsewhere may have a `/` in it, sent as `%2F`. A server hands on the path decoded, where
such an id looks like two parts, or like the name of something that a document has.
"""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from typing import Any, Final
from urllib.parse import quote, unquote, unquote_to_bytes

from starlette.routing import Match

from .refusals import Refused

Scope = MutableMapping[str, Any]
Found = tuple[Match, Scope]

SHOWN_MAX: Final = 60
"""Characters of a part that are told; an id has up to 200."""


def part(text: str) -> str:
    """Any text as one part of a path."""
    return quote(text, safe="")


def found_as_sent(matches: Callable[[Scope], Found], scope: Scope) -> Found:
    """What `matches` finds by the path as it was sent, its parameters as the texts they stand for.

    Where something in between has changed the path, and that alone, its word stands.
    """
    sent = _sent(scope)
    if "%" not in sent or unquote(sent) != scope["path"]:
        return matches(scope)
    match, child = matches({**scope, "path": _kept_apart(sent)})
    before = scope.get("path_params", {})
    for name in child.get("path_params", {}).keys() - before.keys():
        child["path_params"][name] = _whole(child["path_params"][name])
    return match, child


def refuse_no_text(scope: Scope) -> None:
    """Raises `Refused` where a part of the path is no UTF-8, and so no id: what to send instead."""
    sent = _sent(scope)
    if "%" not in sent or unquote(sent) != scope["path"]:
        return
    for piece in sent.split("/"):
        try:
            unquote(piece, errors="strict")
        except UnicodeDecodeError:
            raise _no_text(piece) from None


def _no_text(piece: str) -> Refused:
    """Most programs that do not send UTF-8 send Latin-1, in which every byte is a character."""
    meant = part(unquote_to_bytes(piece).decode("latin-1"))
    return Refused(
        "malformed_path",
        f"{_cut(piece)} in the path is not UTF-8",
        next_step="percent-encode each character as its UTF-8 bytes"
        f"; if it was meant as Latin-1, send {_cut(meant)}",
    )


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN_MAX else f"{text[:SHOWN_MAX]}…"


def _sent(scope: Scope) -> str:
    return bytes(scope.get("raw_path") or b"").decode("latin-1")


def _kept_apart(sent: str) -> str:
    """Decoded but for `/` and `%`. What is no UTF-8 finds its route, which refuses it."""
    pieces = [unquote(piece) for piece in sent.split("/")]
    return "/".join(piece.replace("%", "%25").replace("/", "%2F") for piece in pieces)


def _whole(value: Any) -> Any:
    return value.replace("%2F", "/").replace("%25", "%") if isinstance(value, str) else value
