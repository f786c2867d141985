"""The demo runs from a copy of the tree as a person would start it, and leaves nothing behind."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.repo.tree import ROOT

SECONDS_MAX = 110
PARTS = ("reconciler", "adapters", "fixtures", "scripts")
CHECKS = (
    "the ledger has 3 ids, the API has created 5",
    "name and time cannot tell which are ours",
    "2 ads were found, and they are the 2 that were lost",
    "the read created nothing",
    "nothing exists twice",
    "everything that is wanted exists",
    "the recorded ids are the created ones",
    "9 creates were sent for 9 entities",
    "nothing that exists was edited or deleted",
    "the document is published",
)


@dataclass(frozen=True)
class Copy:
    """A copy of the tree that uses the environment of these tests instead of making its own."""

    root: Path
    temporary: Path

    def environment(self) -> dict[str, str]:
        """A real token of the caller's must not matter, nor may a setting of his."""
        return os.environ | {
            "RECONCILER_VENV": sys.prefix,
            "RECONCILER_GRAPH_TOKEN": "the-callers-own",
            "RECONCILER_LEASE_SECONDS": "nonsense",
            "NO_COLOR": "1",
            "TMPDIR": str(self.temporary),
        }

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """The demo, in a process group of its own as in a terminal."""
        return subprocess.Popen(
            [self.root / "scripts" / "demo", *arguments],
            cwd=self.temporary,
            env=self.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            start_new_session=True,
        )

    def left_behind(self) -> list[str]:
        """Folders, and processes that work in one of them or were started to."""
        mark = str(self.temporary).encode()
        processes = [
            str(folder) for folder in Path("/proc").glob("[0-9]*") if mark in _command_line(folder)
        ]
        return [*map(str, self.temporary.iterdir()), *processes]


def _command_line(process: Path) -> bytes:
    try:
        return (process / "cmdline").read_bytes()
    except OSError:
        return b""


@pytest.fixture
def copy(tmp_path: Path) -> Iterator[Copy]:
    root = tmp_path / "a tree with spaces"
    for part in PARTS:
        leave_out = shutil.ignore_patterns("__pycache__", "*.pyc")
        shutil.copytree(ROOT / part, root / part, ignore=leave_out)
    # It would rebuild the environment for this place. That it is called is all that matters here.
    (root / "scripts" / "bootstrap").write_text('#!/bin/sh\ntouch "$(dirname "$0")/called"\n')
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    yield Copy(root, temporary)
    assert (root / "scripts" / "called").exists()


def test_the_demo_kills_a_worker_and_ends_with_everything_once(copy: Copy) -> None:
    with copy.start() as process:
        out, err = process.communicate(timeout=SECONDS_MAX)

    assert process.returncode == 0, out + err
    assert err == ""
    assert "\x1b" not in out
    assert "killed with SIGKILL" in out
    assert [check for check in CHECKS if f"✓ {check}" not in out] == []
    assert "✗" not in out
    assert re.search(r"together +9 +9 +9\n", out)
    assert [line for line in out.splitlines() if line != line.rstrip()] == []
    assert copy.left_behind() == []


def test_a_stopped_demo_leaves_nothing_behind(copy: Copy) -> None:
    with copy.start() as process:
        assert process.stdout is not None
        seen = next(line for line in process.stdout if "reconciler submit" in line)
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=SECONDS_MAX)

    assert seen
    assert process.returncode == 130
    assert err == "stopped; nothing of it is left running\n"
    assert copy.left_behind() == []


def test_it_keeps_what_it_made_where_it_is_asked_to_and_overwrites_nothing(copy: Copy) -> None:
    kept = copy.temporary / "kept"
    kept.mkdir()
    (kept / "mine").touch()

    with copy.start("--keep", "kept") as process:
        _, err = process.communicate(timeout=SECONDS_MAX)

    assert process.returncode == 64
    assert "name a new or an empty folder" in err
    assert [file.name for file in kept.iterdir()] == ["mine"]
