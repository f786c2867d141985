"""The gate's run: by itself before all other tests of a whole suite, else when its test asks.

Twenty thousand histories take all processors for minutes. Beside other tests they would take twice
as long, and make those wait that have leases to keep; so `scripts/test` has this module play them
and then become pytest, and the test judges what is told in the file that `GATE_REPORT` names.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, NoReturn

ROOT: Final = Path(__file__).resolve().parents[2]
REPORT: Final = "GATE_REPORT"
HISTORIES: Final = 20_000
SECONDS_MAX: Final = 3_000
"""Four minutes on two idle processors; a busy machine is no bug of ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """What `scripts/simulate` ended with, and what it printed."""

    exit_code: int
    told: str


def played() -> Played:
    """What was played before, told once; or now, where nothing was."""
    report = os.environ.get(REPORT)
    if report is None:
        return play()
    told = Played(**json.loads(Path(report).read_text(encoding="utf-8")))
    Path(report).unlink()
    return told


def play() -> Played:
    """Play them; some minutes, and `SECONDS_MAX` at most."""
    script = str(ROOT / "scripts" / "simulate.py")
    flags = (
        "--histories",
        str(HISTORIES),
        "--size",
        "small",
        "--jobs",
        str(os.cpu_count() or 2),
        "--canary",
    )
    try:
        run = subprocess.run(
            [sys.executable, script, *flags],
            check=False,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            text=True,
            stdout=subprocess.PIPE,
            timeout=SECONDS_MAX,
        )
    except subprocess.TimeoutExpired:
        return Played(exit_code=1, told=f"not played within {SECONDS_MAX} seconds")
    return Played(exit_code=run.returncode, told=run.stdout)


def main(arguments: Sequence[str]) -> NoReturn:
    """Play, then run pytest with these arguments in this very process."""
    signal.signal(
        signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM)
    )  # not without the child
    descriptor, report = tempfile.mkstemp(prefix="gate-", suffix=".json")
    with open(descriptor, "w", encoding="utf-8") as file:
        json.dump(asdict(play()), file)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    pytest = [sys.executable, "-m", "pytest", *arguments]
    os.execve(sys.executable, pytest, {**os.environ, REPORT: report})


if __name__ == "__main__":
    main(sys.argv[1:])
