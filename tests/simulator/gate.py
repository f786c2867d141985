"""The gate's run: by itself before all other tests of a whole suite, else when its test asks.

Twenty thousand histories take all processors for minutes. Beside other tests they would take twice
as long, and make those wait that have leases to keep; so `scripts/test` plays them first, by this
module, and the test judges what is told in the file that `GATE_REPORT` names.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
REPORT: Final = "GATE_REPORT"
HISTORIES: Final = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """What `scripts/simulate` ended with, and what it printed."""

    exit_code: int
    told: str


def played() -> Played:
    """What was played before, or now where nothing was."""
    report = os.environ.get(REPORT)
    if report is None:
        return play()
    return Played(**json.loads(Path(report).read_text(encoding="utf-8")))


def play() -> Played:
    """Play them; some minutes."""
    script = str(ROOT / "scripts" / "simulate.py")
    flags = ("--histories", str(HISTORIES), "--jobs", "2", "--canary")
    command = [sys.executable, script, *flags]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = subprocess.run(
        command, check=False, cwd=ROOT, env=environment, text=True, stdout=subprocess.PIPE
    )
    return Played(exit_code=run.returncode, told=run.stdout)


if __name__ == "__main__":
    Path(os.environ[REPORT]).write_text(json.dumps(asdict(play())), encoding="utf-8")
