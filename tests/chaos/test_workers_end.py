"""How the end of a worker of `scripts/chaos` is told: in order, or by itself and with its words."""

from __future__ import annotations

import subprocess
from pathlib import Path

from fixtures.chaos.workers import Worker


def test_one_that_had_ended_by_itself_did_not_end_in_disorder_when_it_was_asked_to(
    tmp_path: Path,
) -> None:
    """Such as one that could not open a ledger that was away: that is judged by its words."""
    worker = Worker(number=1, folder=tmp_path, environment={}, machine="here", within=())
    worker.log.write_text("started\nerror: the ledger is away\n", encoding="utf-8")
    worker._process = subprocess.Popen(["/bin/sh", "-c", "exit 1"])
    worker._process.wait()

    code = worker.end()

    assert code is None
    assert worker.ended_by_itself == ["worker-1.0.log ended with 1: error: the ledger is away"]
