"""The order in which several processes take the tests: what takes long first."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.repo.tree import ROOT
from tests.running_order import LONG

CONFTEST = "from tests.running_order import pytest_collection_modifyitems\n"
TEST = "def test_the_first(): ...\ndef test_the_second(): ...\n"
GIVEN = ("--dist", "loadfile", "--no-loadscope-reorder", "-p", "no:cacheprovider")


@pytest.mark.parametrize("file", LONG)
def test_each_file_that_is_named_is_there(file: str) -> None:
    assert (ROOT / file).is_file()


def test_the_long_files_are_begun_before_all_others(tmp_path: Path) -> None:
    """In a tree of the same names."""
    for file in ("tests/a/test_first_by_name.py", "tests/a/test_second.py", LONG[1], LONG[0]):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(TEST, encoding="utf-8")
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
    assert sorted(first_of_each.values()) == sorted(LONG[:2]), run.stdout
