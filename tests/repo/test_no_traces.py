"""Nothing in the repository names a package registry's host or a folder of somebody's machine."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.repo.tree import repository_files, source

# Put together here, so that this file does not contain what it looks for.
HOSTS = [
    ".".join(parts)
    for parts in [
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("pypi", "python", "org"),
        ("registry", "npmjs", "org"),
        ("proxy", "golang", "org"),
        ("deb", "debian", "org"),
        ("conda", "anaconda", "org"),
    ]
]
FOLDERS = ["/" + name + "/" for name in ("work", "root", "home", "Users", "opt/pypi")]
NEEDLES = re.compile(
    # A folder only where a path begins: the same word deeper inside a path is nobody's machine.
    "|".join([*map(re.escape, HOSTS), *(rf"(?<![\w.~}}$)-]){re.escape(name)}" for name in FOLDERS)])
)


def traces(text: str) -> Iterator[str]:
    """The lines that say where the text was made."""
    for number, line in enumerate(text.splitlines(), start=1):
        if NEEDLES.search(line):
            yield f"{number}: {line.strip()}"


def test_no_file_names_a_registry_or_a_machine() -> None:
    found = [f"{file}:{trace}" for file in repository_files() for trace in traces(source(file))]

    assert found == []


@pytest.mark.parametrize("needle", [*HOSTS, *FOLDERS])
def test_a_trace_is_noticed(needle: str) -> None:
    assert list(traces(f"one line\nsee {needle}x\n")) == [f"2: see {needle}x"]


def test_the_same_word_inside_a_path_is_no_trace() -> None:
    assert list(traces(str(Path("docs") / "work" / "plan.md"))) == []
