"""What was listed for a plan, in words, for the terminal and for the page alike."""

from __future__ import annotations


def listed_in_words(walks: int, pages: int, walked_twice: int) -> str:
    """A walk that was refused at once has no page, so neither is a part of the other."""
    twice = f"{_counted(walked_twice, 'container')} twice, for an absence rests on two"
    return f"{_counted(walks, 'walk')}, {_counted(pages, 'page')} in all; {twice}"


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"
