"""What the program tells people to type exists."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters.cli import commands
from reconciler.errors import WrongState
from reconciler.lifecycle import queued
from reconciler.model import DocumentState
from tests.repo.tree import ROOT
from tests.unit import sample_views as sample

FILES = sorted(
    path for folder in ("reconciler", "adapters") for path in (ROOT / folder).rglob("*.py")
)
TYPED = re.compile(r"\breconciler ([a-z_]+)")
NO_COMMAND = {"to"}


def texts(path: Path) -> Iterator[str]:
    """Every text of a module, its docstrings apart."""
    tree = ast.parse(path.read_text("utf-8"))
    said = {
        id(statement.value)
        for statement in ast.walk(tree)
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            yield node.value


def composed(path: Path) -> Iterator[str]:
    """Every command of a module that is put together with what it is about."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        match node:
            case ast.Call(func=ast.Name("typed_command"), args=[ast.Constant(str(name)), *_]):
                yield name.partition(" ")[0]
            case _:
                pass


def commands_told() -> set[str]:
    written = {name for path in FILES for text in texts(path) for name in TYPED.findall(text)}
    return written | {name for path in FILES for name in composed(path)}


def test_every_command_that_a_text_names_exists() -> None:
    told = commands_told()

    assert {"explain", "recover", "show", "doctor", "migrate"} <= told
    assert told - NO_COMMAND <= {str(name) for name in commands.names()} | {"list"}


@pytest.mark.parametrize(
    ("state", "says"),
    [
        (DocumentState.HELD, "then reconciler recover"),
        (DocumentState.PUBLISHED, "reconciler submit PLAN.json --new"),
        (DocumentState.CANCELLED, "reconciler submit PLAN.json --new"),
    ],
)
def test_a_document_that_cannot_be_queued_says_what_to_type(
    state: DocumentState, says: str
) -> None:
    with pytest.raises(WrongState) as refused:
        queued(sample.view(state).document, sample.NOW)

    assert says in refused.value.next_step
