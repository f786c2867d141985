"""What is installed is pinned by hash, agrees with pyproject.toml, and names no source."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.repo.tree import ROOT, source

PINNED = re.compile(
    r"^(?P<name>[a-z0-9-]+)==(?P<version>[^ ;]+)(?: ; [^#\\]+)?(?: --hash=sha256:[0-9a-f]{64})+$"
)
FILES = ("runtime", "dev")


def entries(text: str) -> list[str]:
    """The requirements of a file, each on one line, its continuation lines joined."""
    joined = re.sub(r"\s*\\\n\s*", " ", text)
    return [line for line in joined.splitlines() if line.strip()]


def unpinned(text: str) -> Iterator[str]:
    """The lines that are anything but one exact version with its hashes."""
    yield from (entry for entry in entries(text) if not PINNED.match(entry))


def pins(file: str) -> dict[str, str]:
    """The version of each package in a file of requirements."""
    matches = map(PINNED.match, entries(source(Path(f"requirements/{file}.txt"))))
    return {match["name"]: match["version"] for match in matches if match}


def declared(file: str) -> list[Requirement]:
    """What pyproject.toml asks for, which that file has to satisfy."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    development = project["optional-dependencies"]["dev"] if file == "dev" else []
    return [Requirement(line) for line in [*project["dependencies"], *development]]


@pytest.mark.parametrize("file", FILES)
def test_every_requirement_is_an_exact_version_with_its_hashes(file: str) -> None:
    assert list(unpinned(source(Path(f"requirements/{file}.txt")))) == []
    assert pins(file)


@pytest.mark.parametrize("file", FILES)
def test_the_pins_satisfy_what_the_project_declares(file: str) -> None:
    versions = pins(file)

    wrong = [
        str(requirement)
        for requirement in declared(file)
        if not requirement.specifier.contains(versions.get(requirement.name, "0"))
    ]

    assert wrong == []


def test_tests_run_on_what_users_run() -> None:
    assert pins("runtime").items() <= pins("dev").items()


@pytest.mark.parametrize(
    "line",
    [
        "httpx==0.28.1",
        "httpx>=0.28 --hash=sha256:" + "0" * 64,
        "--index-url somewhere",
        "-r other.txt",
        "httpx @ file:///wheels/httpx.whl --hash=sha256:" + "0" * 64,
    ],
)
def test_a_requirement_that_could_become_another_is_noticed(line: str) -> None:
    assert list(unpinned(line)) == [line]
