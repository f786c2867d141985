"""A short run of `scripts/chaos` on each database: real processes, the same oracle."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Final

import pytest

from tests.repo.tree import ROOT

SMALL: Final = ("--documents", "40", "--workers", "4", "--minutes", "0.25", "--long-stops", "1")
STRIKES: Final = {
    "sqlite": ("--kills", "7"),
    "postgresql": ("--kills", "7", "--restarts", "1"),
}


@pytest.mark.timeout(600)  # about a minute; a busy machine is no bug of ours
@pytest.mark.parametrize("database", STRIKES)
def test_nothing_is_made_twice_or_claimed_wrongly_whoever_is_killed(database: str) -> None:
    """What breached it and the command that plays it again are printed."""
    flags = ["--database", database, *SMALL, *STRIKES[database], "--json"]
    command = [sys.executable, str(ROOT / "scripts" / "chaos.py"), *flags]

    run = subprocess.run(command, check=False, cwd=ROOT, text=True, capture_output=True)

    assert run.returncode == 0, run.stdout + run.stderr
    figures = json.loads(run.stdout)["figures"]
    assert figures["documents"] == 40
    assert figures["items"] <= figures["entities"] <= figures["creates sent"]
    assert figures["orphaned attempts"] > 0
    assert figures["found by mark"] > 0
