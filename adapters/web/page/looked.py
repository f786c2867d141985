"""What pressing a look came to, told by the page that is shown after it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from reconciler.model import Reason
from reconciler.settle import Settled

QUERY: Final = "looked"
"""In the address of that page; what is not one of ours there says nothing."""

UNDER_WAY: Final = "under_way"
_BUSY: Final = "busy"
_DONE: Final = "done"

_WORDS: Final = {
    UNDER_WAY: "It is still being listed: read it again in a moment.",
    _BUSY: "Somebody else is at it right now: nothing was listed, and what stands here is from "
    "before.",
    _DONE: "It was listed just now, to the end: what stands here is what the listing showed.",
}


def word_of(settled: Settled) -> str | None:
    """None: there was nothing to list."""
    if settled.held_by_another:
        return _BUSY
    if settled.withheld is not None:
        return settled.withheld.value
    return _DONE if settled.looked else None


def note_of(query: Mapping[str, str]) -> str | None:
    """In words; None where no look was pressed before."""
    word = query.get(QUERY, "")
    if word in _WORDS:
        return _WORDS[word]
    if word in set(Reason):
        return (
            f"The listing that was asked for gave no verdict: {word}. What stands here is from "
            "before; what was not read is not known."
        )
    return None
