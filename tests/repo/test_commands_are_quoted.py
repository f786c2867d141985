"""A command that is advised names foreign ids: one function quotes them, nobody else does."""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise

import pytest

from tests.repo.tree import parsed, python_files, repository_files, source

OPEN = re.compile(r"\breconciler [a-z][a-z ]*(--[a-z-]+ )*$")
"""The words before a value: a command, and what it is about comes next."""

PRINTED = re.compile(r"""\breconciler [a-z]([^<>{}\n]*\{\{|[^"'{}\n]*["']\s*[~+%])""")
"""A command of a template, with a value in it that the template prints, or joins, by itself."""


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


def printed(text: str) -> Iterator[int]:
    """The lines of a template that put a value behind a command by hand."""
    for found in PRINTED.finditer(text):
        yield text.count("\n", 0, found.start()) + 1


def test_no_template_prints_a_value_into_a_command_by_hand() -> None:
    templates = [file for file in repository_files() if file.suffix == ".html"]
    assert templates, "no template was found"

    found = [f"{file}:{line}" for file in templates for line in printed(source(file))]

    assert found == []


@pytest.mark.parametrize(
    "line",
    [
        "<code>reconciler resume {{ account.id }}</code> ends it",
        "<p>{{ why }}: reconciler resolve --adopt {{ one }} ITEM</p>",
        "reconciler key revoke --json {{key}}",
        "{{ 'reconciler show ' ~ id }}",
    ],
)
def test_a_template_that_composes_a_command_is_noticed(line: str) -> None:
    assert list(printed(f"<p>\n{line}\n</p>")) == [2]


def test_a_command_without_a_value_may_stand_in_a_template() -> None:
    line = "<p>reconciler list</p> {{ one }}, {{ typed_command('show', one) }}"

    assert list(printed(line)) == []


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
