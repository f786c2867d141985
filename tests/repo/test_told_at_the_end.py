"""What a test tells for the closing summary arrives there from a process of xdist too."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.repo.tree import ROOT

TESTS = """
from tests.told_at_the_end import TOLD

def test_that_passes(record_property):
    record_property(TOLD, "all is well")

def test_that_fails(record_property):
    record_property(TOLD, "something broke")
    assert False
"""


def test_what_is_told_is_printed_of_tests_that_pass_and_that_fail(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(
        "from tests.told_at_the_end import pytest_terminal_summary\n", encoding="utf-8"
    )
    (tmp_path / "test_telling.py").write_text(TESTS, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-n", "1", "-p", "no:cacheprovider", str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = subprocess.run(
        command, check=False, cwd=tmp_path, env=environment, text=True, stdout=subprocess.PIPE
    )

    lines = run.stdout.splitlines()
    assert "all is well" in lines
    assert "something broke" in lines
