"""The program as a person types it, in a folder of its own, against the pretend API."""

import io
import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from adapters.cli.app import exit_code_of
from adapters.telemetry import CHATTY, TOLD_BY_US

PROGRAM = Path(sys.executable).with_name("reconciler")
TOKEN = "EAACANARYcommandline0123456789"
"""Accepted by the fake of these tests; must appear nowhere the program writes."""

QUICK = {
    "RECONCILER_LEASE_SECONDS": "4",
    "RECONCILER_CALL_TIMEOUT_SECONDS": "2",
    "RECONCILER_LATE_LANDING_SECONDS": "0.2",
    "RECONCILER_LISTING_LAG_SECONDS": "0.2",
    "RECONCILER_BACKOFF_BASE_SECONDS": "0.1",
}


@dataclass(frozen=True)
class Ran:
    """How one command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What was printed, as JSON."""
        return json.loads(self.out)


@dataclass(frozen=True)
class Shell:
    """A working folder and an environment to type commands in."""

    folder: Path
    settings: Mapping[str, str]

    def run(self, *arguments: str, stdin: str = "", **settings: str) -> Ran:
        """Run `reconciler` to its end inside this process: the same, but for its imports."""
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
        typed = io.TextIOWrapper(io.BytesIO(stdin.encode()), "utf-8")
        with pytest.MonkeyPatch.context() as patched, logging_restored():
            patched.chdir(self.folder)
            for name, value in self._environment(settings).items():
                patched.setenv(name, value)
            for name, stream in {"stdin": typed, "stdout": out, "stderr": err}.items():
                patched.setattr(sys, name, stream)
            code = exit_code_of(arguments)
        return Ran(code, _written(out), _written(err))

    def start(self, *arguments: str, **settings: str) -> subprocess.Popen[str]:
        """Start `reconciler` as a process of its own and leave it running."""
        return self.start_on(subprocess.PIPE, *arguments, **settings)

    def start_on(self, stdout: int, *arguments: str, **settings: str) -> subprocess.Popen[str]:
        """The same with another stdout, such as a terminal."""
        kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        return subprocess.Popen(
            [PROGRAM, *arguments],
            cwd=self.folder,
            env={**kept, **self._environment(settings)},
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run_process(self, *arguments: str, **settings: str) -> Ran:
        """Run `reconciler` to its end as a process of its own."""
        process = self.start(*arguments, **settings)
        out, err = process.communicate(timeout=100)
        return Ran(process.returncode, out, err)

    def _environment(self, settings: Mapping[str, str]) -> dict[str, str]:
        return {"COLUMNS": "100", **self.settings, **settings}

    def plan(self, *names: str, file: str = "plan.json", **more: Any) -> str:
        """Write a plan of ads of these names, in ad set 2001; gives the file's name."""
        items = [
            {
                "key": f"a{number}",
                "kind": "ad",
                "name": name,
                "params": {"status": "PAUSED", "creative": {"creative_id": "3001"}},
            }
            for number, name in enumerate(names, start=1)
        ]
        container = {"kind": "adset", "id": "2001"}
        plan = {"account_id": "act_1001", "container": container, "items": items, **more}
        (self.folder / file).write_text(json.dumps(plan))
        return file

    def submitted(self, *names: str, **more: Any) -> str:
        """The id of a newly accepted document."""
        ran = self.run("submit", self.plan(*names, **more), "--json")
        assert ran.code == 0, ran
        return str(ran.json["document_id"])

    def everything_written(self) -> bytes:
        """Each byte in the folder: the database, its log, whatever else."""
        return b"".join(path.read_bytes() for path in self.folder.rglob("*") if path.is_file())


def _written(stream: io.TextIOWrapper) -> str:
    stream.flush()
    written = stream.buffer
    assert isinstance(written, io.BytesIO)
    return written.getvalue().decode()


@contextmanager
def logging_restored() -> Iterator[None]:
    """Put back the handlers and levels that a command sets for its whole process."""
    loggers = [logging.getLogger(name) for name in ("", *CHATTY, *TOLD_BY_US)]
    before = [(logger, logger.level, list(logger.handlers)) for logger in loggers]
    try:
        yield
    finally:
        for logger, level, handlers in before:
            logger.setLevel(level)
            logger.handlers[:] = handlers
