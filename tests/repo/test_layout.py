"""Every file says in one sentence what it is for, is short, and has a name that says something."""

import ast
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.repo.tree import CODE_FOLDERS, ROOT, parsed, python_files, repository_files, source

LINES_MAX = 400
# Names under which anything may be put, so that in the end everything is.
EMPTY_NAMES = {"utils", "util", "helpers", "helper", "manager", "managers", "common", "misc"}


def docstring_complaint(tree: ast.Module) -> str | None:
    """Says what is wrong with how a module introduces itself."""
    first_paragraph = (ast.get_docstring(tree) or "").partition("\n\n")[0].strip()
    if not first_paragraph:
        return "has no docstring"
    if not first_paragraph.endswith((".", "?")):
        return "does not begin with a sentence"
    return None


def sleeps(tree: ast.Module) -> Iterator[int]:
    """The lines on which a module waits by the wall clock."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id="time"), attr="sleep"):
                yield node.lineno
            case ast.ImportFrom(module="time", names=names) if any(
                n.name == "sleep" for n in names
            ):
                yield node.lineno
            case _:
                pass


def empty_names(file: Path) -> set[str]:
    """The parts of a path that say nothing."""
    return {part.removesuffix(".py").strip("_") for part in file.parts} & EMPTY_NAMES


def test_every_module_begins_with_a_sentence_that_says_what_it_is_for() -> None:
    found = [
        f"{file} {complaint}"
        for file in python_files(*CODE_FOLDERS)
        if (complaint := docstring_complaint(parsed(file)))
    ]

    assert found == []


@pytest.mark.parametrize("text", ["", "import ast", '""""""', '"""Settles documents"""'])
def test_a_module_that_does_not_introduce_itself_is_noticed(text: str) -> None:
    assert docstring_complaint(ast.parse(text)) is not None


def test_no_file_of_code_is_too_long_to_read_in_one_go() -> None:
    lengths = {
        file: len(source(file).splitlines())
        for file in repository_files()
        if file.parts[0] in CODE_FOLDERS and file.suffix in {".py", ".sql", ""}
    }

    assert {file: length for file, length in lengths.items() if length > LINES_MAX} == {}


def test_no_module_has_a_name_that_says_nothing() -> None:
    assert [file for file in python_files(*CODE_FOLDERS) if empty_names(file)] == []


@pytest.mark.parametrize("name", ["adapters/utils.py", "common/lease.py", "reconciler/_helpers.py"])
def test_a_name_that_says_nothing_is_noticed(name: str) -> None:
    assert empty_names(Path(name))


def test_every_main_folder_says_where_things_go() -> None:
    folders = {file.parts[0] for file in repository_files() if len(file.parts) > 1}
    main = {folder for folder in folders if not folder.startswith(".")}

    assert {folder for folder in main if not (ROOT / folder / "README.md").is_file()} == set()


def test_no_test_waits_by_the_wall_clock() -> None:
    found = [f"{file}:{line}" for file in python_files("tests") for line in sleeps(parsed(file))]

    assert found == []


@pytest.mark.parametrize("text", ["time.sleep(1)", "from time import sleep", "nap = time.sleep"])
def test_a_wait_by_the_wall_clock_is_noticed(text: str) -> None:
    assert list(sleeps(ast.parse(text))) == [1]


def test_every_script_can_be_run_and_is_listed() -> None:
    scripts = [
        file for file in repository_files() if file.parts[0] == "scripts" and not file.suffix
    ]
    listed = source(Path("scripts/README.md"))

    assert [file for file in scripts if not source(file).startswith("#!/usr/bin/env ")] == []
    assert [file for file in scripts if not os.access(ROOT / file, os.X_OK)] == []
    assert [file for file in scripts if f"| `{file.name}` |" not in listed] == []
