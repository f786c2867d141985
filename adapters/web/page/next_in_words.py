"""The next step of a problem for somebody in a browser: a page to go to in place of a request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

LIST: Final = "/documents"

_WORDS: Final[Mapping[tuple[str, str], str]] = {
    ("GET", ""): "its page",
    ("GET", "/evidence"): "the evidence on its page",
    ("POST", "/publish"): "Publish on its page",
    ("POST", "/cancel"): "Cancel on its page",
}
"""Of one document, by method and what follows it in the path."""

_OF_PROGRAMS: Final[Mapping[str, str]] = {
    "GET /openapi.json says what a decision may hold": "go back, and decide by the form",
    "see GET /openapi.json": "go back to where you came from",
}
"""What a browser has no use for."""


@dataclass(frozen=True, slots=True)
class Part:
    """Some words, and the page they lead to; None: they are words alone."""

    text: str
    href: str | None = None


def in_words(next_step: str, collection: str) -> list[Part]:
    """The step with each read or press at `collection`, the path of all documents, as a link.

    A command stays one: it is for whoever has a terminal.
    """
    for said, instead in _OF_PROGRAMS.items():
        next_step = next_step.replace(said, instead)
    return list(_parts(next_step, collection))


def _parts(told: str, collection: str) -> Iterator[Part]:
    request = re.compile(
        rf"(GET|POST) {re.escape(collection)}"
        r"(?:/([^/\s,;]+)(/evidence|/publish|/cancel)?)?(?=$|[\s,;])"
    )
    end = 0
    for found in request.finditer(told):
        link = _link(*found.groups())
        if link is not None:
            yield from _plain(told[end : found.start()])
            yield link
            end = found.end()
    yield from _plain(told[end:])


def _link(method: str, document: str | None, rest: str | None) -> Part | None:
    """`document` is percent-encoded, as its page has it. None: no page does that."""
    if document is None:
        return Part("the page of all documents", LIST) if method == "GET" else None
    words = _WORDS.get((method, rest or ""))
    return None if words is None else Part(words, f"{LIST}/{document}")


def _plain(text: str) -> Iterator[Part]:
    if text:
        yield Part(text)
