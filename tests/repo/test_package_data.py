"""What stands beside the code and is read at run time, or by a user, is in the built package."""

from __future__ import annotations

import tomllib
from pathlib import Path, PurePosixPath
from typing import Final

from tests.repo.tree import ROOT, repository_files

PACKAGES: Final = ("reconciler", "adapters")
CODE_AND_WORDS: Final = frozenset({".py", ".md"})


def test_every_file_beside_the_code_is_shipped() -> None:
    data = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    patterns = data["tool"]["setuptools"]["package-data"]["*"]

    beside = [
        ROOT / name
        for name in repository_files()
        if name.parts[0] in PACKAGES and name.suffix not in CODE_AND_WORDS
    ]

    assert beside
    assert [path.relative_to(ROOT) for path in beside if not _ships(path, patterns)] == []


def _ships(path: Path, patterns: list[str]) -> bool:
    """As setuptools reads a pattern: from the folder of the package that the file stands in."""
    package = next(up for up in path.parents if (up / "__init__.py").exists())
    inside = PurePosixPath(path.relative_to(package))
    return any(
        len(inside.parts) == len(PurePosixPath(pattern).parts) and inside.match(pattern)
        for pattern in patterns
    )
