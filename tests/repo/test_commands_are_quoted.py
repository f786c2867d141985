"""A command that is advised names foreign ids: one function quotes them, nobody else does."""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise

import pytest

from tests.repo.tree import parsed, python_files

OPEN = re.compile(r"\breconciler [a-z][a-z ]*(--[a-z-]+ )*$")
"""The words before a value: a command, and what it is about comes next."""


def composed(tree: ast.Module) -> Iterator[int]:
    """The lines at which a value is put behind a command by hand."""
    for node in ast.walk(tree):
        match node:
            case ast.JoinedStr(values=values):
                for before, value in pairwise(values):
                    if _is_open(before) and isinstance(value, ast.FormattedValue):
                        yield node.lineno
            case ast.Constant(value=str(text)) if OPEN.search(text.partition("{")[0]):
                if "{" in text:
                    yield node.lineno
            case _:
                pass


def _is_open(part: ast.expr) -> bool:
    return (
        isinstance(part, ast.Constant)
        and isinstance(part.value, str)
        and OPEN.search(part.value) is not None
    )


def test_no_command_is_composed_by_hand() -> None:
    files = python_files("reconciler", "adapters")
    assert files, "no module was found"

    found = [f"{file}:{line}" for file in files for line in composed(parsed(file))]

    assert found == []


@pytest.mark.parametrize(
    "line",
    [
        'f"reconciler show {document.id}"',
        'f"look, then reconciler explain {document.id}; go on"',
        'f"reconciler batch apply {plan} goes on"',
        'f"reconciler submit --key {key}"',
        '"reconciler publish {id} makes it"',
    ],
)
def test_a_command_composed_by_hand_is_noticed(line: str) -> None:
    assert len(list(composed(ast.parse(line)))) == 1
