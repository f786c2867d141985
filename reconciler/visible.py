"""Text from outside, made so that it can be shown: nothing in it moves or turns what is read."""

from __future__ import annotations

import unicodedata
from typing import Final

_HARMFUL: Final = frozenset({"Cc", "Cs", "Co", "Cn", "Zl", "Zp"})
_TURNING: Final = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


_BLANK: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and one symbol that are drawn as nothing: fillers of Hangul, a pattern without dots."""


def shows_nothing(text: str) -> bool:
    """Whether a reader sees no letter, figure or sign: white space, control characters, joiners,
    variation selectors and the like."""
    return not any(unicodedata.category(char)[0] in "LNPS" for char in text if char not in _BLANK)


def visible(text: str) -> str:
    """The text as it may stand in a terminal or on a page.

    Control characters could move the cursor, marks of writing direction could swap what is read;
    both are shown by number.
    """
    return "".join(_shown(char) for char in text)


def _shown(char: str) -> str:
    if char in _TURNING or unicodedata.category(char) in _HARMFUL:
        return f"\\u{ord(char):04x}"
    return char
