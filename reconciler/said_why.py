"""Whether a person who decides said why: the journal keeps it for those who ask later."""

from __future__ import annotations

from typing import Final

from .visible import shows_nothing

PLACEHOLDER: Final = "TEXT"
"""What the commands and requests that we advise have in the place of a reason."""


def why_unsaid(reason: str, *, of: str) -> str | None:
    """What is wrong with a reason that says nothing; None where it says something.

    `of` names what needs it. What we advise, sent as it stands, would record our word as theirs.
    """
    if shows_nothing(reason):
        return f"{of} needs a reason: say in a few words why"
    if reason.strip() == PLACEHOLDER:
        return f"{PLACEHOLDER} stands for the reason of {of}: write why in its place"
    return None
