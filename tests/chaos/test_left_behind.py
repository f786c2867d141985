"""A chaos run that is itself killed leaves nobody behind who would go on publishing."""

from __future__ import annotations

import os
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final

import pytest

from tests.repo.tree import ROOT

SECONDS_MAX: Final = 60.0
POLL_SECONDS: Final = 0.05
SMALL: Final = ("--database", "sqlite", "--workers", "2", "--documents", "1", "--minutes", "10")
PROCESSES: Final = 3
"""Two workers and the API."""


def descendants(process_id: int) -> Iterator[int]:
    """Children, and theirs."""
    for listed in Path(f"/proc/{process_id}/task").glob("*/children"):
        for child in map(int, listed.read_text().split()):
            yield child
            yield from descendants(child)


def is_gone(handle: int) -> bool:
    """Whether it ends, sooner or later."""
    waiting = select.poll()
    waiting.register(handle, select.POLLIN)
    return bool(waiting.poll(SECONDS_MAX * 1_000))


@pytest.mark.timeout(120)
def test_a_run_that_is_killed_leaves_no_worker_and_no_api(tmp_path: Path) -> None:
    """With SIGKILL, which it cannot hear; its workers publish for real, and are stopped too."""
    folder = tmp_path / "kept"
    command = [sys.executable, str(ROOT / "scripts" / "chaos.py"), *SMALL, "--keep", str(folder)]
    with (
        ExitStack() as closing,
        subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL) as run,
    ):
        while not any(log.stat().st_size for log in folder.glob("worker-*.log")):
            with suppress(subprocess.TimeoutExpired):
                pytest.fail(f"it ended with {run.wait(POLL_SECONDS)}")
        left = set(descendants(run.pid))
        handles = [os.pidfd_open(each) for each in left]
        for handle in handles:
            closing.callback(os.close, handle)
        run.kill()

        assert len(left) >= PROCESSES
        assert all(map(is_gone, handles))
