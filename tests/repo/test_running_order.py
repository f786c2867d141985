"""The order in which several processes take the tests: the gate first, then what takes long."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.repo.tree import ROOT
from tests.running_order import BEHIND_THE_GATE, GATE, LONG, order_among

CONFTEST = """
from tests.running_order import pytest_collection_modifyitems, pytest_runtest_protocol
"""
TEST = """
import os

def test_the_first():
    assert os.nice(0) in {niceness}

def test_the_second(): ...
def test_the_third(): ...
"""
GIVEN = ("--dist", "loadfile", "--no-loadscope-reorder", "-p", "no:cacheprovider")


@pytest.mark.parametrize("file", [GATE, *LONG, BEHIND_THE_GATE])
def test_each_file_that_is_named_is_there(file: str) -> None:
    assert (ROOT / file).is_file()


@pytest.mark.parametrize("processes", [2, 3, 5])
def test_each_process_has_a_long_file_and_the_gates_a_short_one_behind_it(processes: int) -> None:
    order = order_among(processes)

    assert order[0] == GATE
    assert set(order[1:processes]) <= set(LONG)
    assert order[processes] == BEHIND_THE_GATE
    assert sorted(order) == sorted([GATE, *LONG, BEHIND_THE_GATE])


def test_the_gate_begins_first_and_gives_way_to_the_others(tmp_path: Path) -> None:
    """In a tree of the same names."""
    before = os.nice(0)
    for file in ("tests/a/test_first_by_name.py", GATE, LONG[0]):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        niceness = {GATE: {19}, LONG[0]: {before}}.get(file, {before, 19})
        (tmp_path / file).write_text(TEST.format(niceness=niceness), encoding="utf-8")
    (tmp_path / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}

    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-v", "-n", "2", *GIVEN, str(tmp_path)],
        check=False, cwd=tmp_path, env=environment, text=True, stdout=subprocess.PIPE,
    )  # fmt: skip

    assert run.returncode == 0, run.stdout
    begun = re.findall(r"\[(gw\d)\] .* PASSED (\S+)::test_the_first", run.stdout)
    first_of_each = dict(reversed(begun))
    assert sorted(first_of_each.values()) == sorted([GATE, LONG[0]]), run.stdout
