r"""Characters that move or turn text are shown by number, marked as not being what was written.

A name may hold the six characters `\u202e` themselves. So what is told by number stands between
two marks until the page is whole, and is drawn then: in its text as a span with a title, in
attributes and in the page's title, where no element can stand, as the number alone.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from markupsafe import Markup, escape

from reconciler.visible import visible

BEGINS: Final = "\ue000"
ENDS: Final = "\ue001"
"""Of the private range: `visible` lets neither through, so no text from outside has them."""

_PIECE: Final = re.compile(
    rf"(?P<bare><title>.*?</title>|<[^>]*>)|{BEGINS}(?P<code>[0-9a-f]+){ENDS}", re.DOTALL
)
_MARKED: Final = re.compile(rf"{BEGINS}([0-9a-f]+){ENDS}")


def marked(text: str) -> str:
    """The text with every character that `visible` shows by number between the marks."""
    return "".join(char if visible(char) == char else _mark(char) for char in text)


def whole(text: str) -> Markup:
    """To be sent back by a form: escaped and otherwise as it is, for it is not read here."""
    kept = str(escape(text)).replace(BEGINS, "&#xe000;").replace(ENDS, "&#xe001;")
    return Markup(kept)  # noqa: S704 - escaped in the line above


def drawn(page: str) -> str:
    """A whole page with what is marked in it drawn. Values in it are escaped: no `>` is theirs."""
    return _PIECE.sub(_drawn, page)


def _mark(char: str) -> str:
    return f"{BEGINS}{ord(char):04x}{ENDS}"


def _drawn(piece: re.Match[str]) -> str:
    if piece["bare"] is not None:
        return _MARKED.sub(lambda found: rf"\u{found[1]}", piece["bare"])
    code = piece["code"]
    name = unicodedata.name(chr(int(code, 16)), "a character that is not shown")
    title = f"U+{code.upper()} {name}, told by its number"
    return rf'<span class="escape" title="{title}">\u{code}</span>'
