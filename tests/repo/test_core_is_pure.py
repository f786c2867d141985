"""The core reads no clock, does no I/O and needs nothing but the standard library."""

import ast
import sys
from collections.abc import Iterator

import pytest

from tests.repo.tree import parsed, python_files

# Modules of the standard library that neither reach outside nor differ from run to run. A new one
# may join the list if that is true of it.
PURE = {
    "__future__", "abc", "asyncio", "base64", "binascii", "bisect", "collections", "contextlib",
    "copy", "dataclasses", "datetime", "decimal", "enum", "fractions", "functools", "graphlib",
    "hashlib", "heapq", "hmac", "html", "inspect", "itertools", "json", "math", "numbers",
    "operator", "re", "shlex", "string", "struct", "textwrap", "types", "typing", "unicodedata",
}  # fmt: skip
CLOCKS = {"now", "utcnow", "today"}
OUTSIDE = {"open", "print", "input", "eval", "exec", "breakpoint", "__import__"}
WRITES_CODE = "reconciler/copying.py"  # as `dataclasses` does, from the names of fields alone


def complaints(tree: ast.Module) -> Iterator[str]:
    """Says what in a module of the core is not pure."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (why for name in names for why in _import_complaints(name.name))
            case ast.ImportFrom(level=0, module=str(module)):
                yield from _import_complaints(module)
            case ast.ImportFrom(level=level) if level > 1:
                yield "an import that leaves the core"
            case ast.Attribute(attr=attr, value=value) if attr in CLOCKS and _is_a_date_class(
                value
            ):
                yield f"{attr}: the time is an argument"
            case ast.Call(func=ast.Name(id=name)) if name in OUTSIDE:
                yield f"{name}(): no I/O"
            case _:
                pass


def _import_complaints(module: str) -> Iterator[str]:
    top = module.partition(".")[0]
    if top == "reconciler":
        yield f"import of {module}: imports inside a package are relative"
    elif top not in sys.stdlib_module_names:
        yield f"import of {module}: not of the standard library"
    elif top not in PURE:
        yield f"import of {module}: reaches outside, or is not known not to"


def _is_a_date_class(value: ast.expr) -> bool:
    name = value.attr if isinstance(value, ast.Attribute) else getattr(value, "id", "")
    return name in {"datetime", "date"}


def test_the_core_is_pure() -> None:
    files = python_files("reconciler")
    assert files, "no module of the core was found"

    found = [f"{file}: {why}" for file in files for why in complaints(parsed(file))]

    assert [why for why in found if why != f"{WRITES_CODE}: exec(): no I/O"] == []


@pytest.mark.parametrize(
    "line",
    [
        "import httpx",
        "from sqlmodel import Field",
        "import time",
        "import os.path",
        "from random import Random",
        "import uuid as identifiers",
        "def late():\n    import socket",
        "from ..adapters import graph",
        "from reconciler.model import Document",
        "import datetime\nnow = datetime.datetime.now(datetime.UTC)",
        "from datetime import datetime\nfield(default_factory=datetime.utcnow)",
        "from datetime import date\ndate.today()",
        "open('ledger')",
    ],
)
def test_an_impure_line_is_noticed(line: str) -> None:
    assert len(list(complaints(ast.parse(line)))) == 1


@pytest.mark.parametrize(
    "line",
    [
        "from __future__ import annotations",
        "from collections.abc import Mapping",
        "from .model import Document",
        "from . import model",
        "import datetime\ndatetime.timedelta(seconds=1)",
        "def due(clock):\n    return clock.now()",
    ],
)
def test_a_pure_line_is_left_alone(line: str) -> None:
    assert list(complaints(ast.parse(line))) == []
