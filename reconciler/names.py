"""The one canonical form in which names are sent, stored and compared.

NFC, every run of white space one plain space, trimmed; case matters. The API trims and folds
white space by itself in places (field case R049), so the form is taken before the name is sent:
what comes back then equals what is stored.
"""

from __future__ import annotations

import html
import re
import unicodedata
from typing import Final

NAME_LENGTH_MAX: Final = 400
"""Characters, mark included: the only limit anybody found, for ad sets (facts 4E, 4.28)."""

# Anything but plain ASCII, an entity, a bracket, and white space that canonical form would fold.
_MAY_READ_OTHERWISE: Final = re.compile(r"[^ -~]|[&\[]|  |\A | \Z")
_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")


def canonical(name: str) -> str:
    """The canonical form of a name. May be empty."""
    return " ".join(unicodedata.normalize("NFC", name).split())


def unescaped(name: str) -> str:
    """The canonical form after HTML unescaping: what a name reads as where a server escaped it."""
    return canonical(html.unescape(name)) if "&" in name else canonical(name)


def may_read_otherwise(name: str) -> bool:
    """Whether canonical form, unescaping or taking off a mark could change this name.

    A quick look that saves the slow ones: most names of a container of 200,000 rows are plain.
    """
    return _MAY_READ_OTHERWISE.search(name) is not None


def storable(text: str) -> str:
    """The text with what PostgreSQL refuses made visible: U+0000 and lone surrogates (R051)."""
    if text.isascii() and "\0" not in text:
        return str(text)  # nearly all of it
    return _UNSTORABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", str(text))
