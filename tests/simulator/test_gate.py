"""The gate: twenty thousand histories, and a bug that is planted and must be seen."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.repo.tree import ROOT

HISTORIES = 20_000


@pytest.mark.timeout(3_600)  # four minutes on two idle cores; a busy machine is no bug of ours
def test_the_promise_holds_in_twenty_thousand_histories(capsys: pytest.CaptureFixture[str]) -> None:
    """Every counter must reach its floor too; the table is printed whatever comes."""
    script = str(ROOT / "scripts" / "simulate.py")
    flags = ("--histories", str(HISTORIES), "--jobs", "2", "--canary")
    command = [sys.executable, script, *flags]
    run = subprocess.run(command, check=False, cwd=ROOT, text=True, stdout=subprocess.PIPE)
    with capsys.disabled():
        sys.stdout.write(f"\n{run.stdout}")

    assert run.returncode == 0, run.stdout
