"""Every blind spot of name and time has a paragraph of residual risk, and stories that show it."""

import ast
import re
from pathlib import Path

import pytest

from tests.repo.tree import parsed, source

PAGE = Path("docs/old-documents.md")
STORIES = Path("tests/integration/test_blind_spots.py")
WORDS_MIN = 40

# The named ones: what the heading of its paragraph must say, and how many stories it has at least.
SPOTS = {
    "another person makes the same name in the window": 2,
    "renamed, moved, archived or deleted before the recovery": 4,
    "clock difference at an edge": 1,
    "two broken documents with one name": 2,
    "documents that nobody imported": 2,
}


def paragraphs(page: str) -> dict[str, str]:
    """What stands under each heading of the section, by the heading in small letters."""
    section = re.split(r"^## ", page.split("## What can still be wrong\n")[1], flags=re.M)[0]
    parts = re.split(r"^### (.+)\n", section, flags=re.M)[1:]
    return {head.lower(): text for head, text in zip(parts[::2], parts[1::2], strict=True)}


def named(text: str) -> set[str]:
    """The stories that a text points at."""
    return set(re.findall(r"`(test_\w+)`", text))


def stories() -> set[str]:
    """Those that are there."""
    functions = (node for node in parsed(STORIES).body if isinstance(node, ast.FunctionDef))
    return {each.name for each in functions if each.name.startswith("test_")}


@pytest.mark.parametrize("spot", SPOTS)
def test_a_blind_spot_has_a_paragraph_and_stories(spot: str) -> None:
    (text,) = [text for head, text in paragraphs(source(PAGE)).items() if spot in head]

    assert len(re.sub(r"\(`test_.*\)", "", text).split()) >= WORDS_MIN
    assert len(named(text)) >= SPOTS[spot]
    assert named(text) - stories() == set()


def test_every_paragraph_is_of_a_named_spot_and_every_story_stands_in_one() -> None:
    written = paragraphs(source(PAGE))

    assert len(written) == len(SPOTS)
    assert stories() - named("".join(written.values())) == set()


def test_the_readme_names_them_and_says_where_they_are() -> None:
    (line,) = [
        line
        for line in source(Path("README.md")).splitlines()
        if "(docs/old-documents.md#what-can-still-be-wrong)" in line
    ]

    for word in ("same name", "renamed, moved, archived or deleted", "clock", "nobody imported"):
        assert word in line
    assert "two broken documents" in line.lower()
