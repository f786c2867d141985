"""One story for every engine of somebody else's: it is killed in a create, and says all thrice."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from fixtures.graph.app import FakeGraph
from tests.e2e.command_line import Shell
from tests.e2e.gate import Gate
from tests.e2e.test_cli_worker import ads, queued, wait_until
from tests.repo.tree import ROOT

ENDS_WITHIN_SECONDS = 60
PYTHON = Path(sys.executable)
NAMES = ("Spring / 1", "Spring / 2", "Spring / 3")
KILLED_SOON = {"RECONCILER_LEASE_SECONDS": "6", "RECONCILER_CALL_TIMEOUT_SECONDS": "3"}
"""For a lease whose end is waited for; from the claim to the send a busy machine has 2.4 s."""


def programs_of(page: str) -> list[str]:
    """The programs of a page of docs/recipes, as they stand there."""
    text = (ROOT / "docs" / "recipes" / page).read_text()
    return re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class Engine:
    """`commands` are its processes, started in the shell's folder; `say` hands ids to it."""

    shell: Shell
    commands: Sequence[Sequence[str]]
    say: Callable[[Sequence[str]], None]
    settings: Mapping[str, str]

    @contextmanager
    def running(self) -> Iterator[Life]:
        """All of its processes; none outlives the block."""
        with ExitStack() as stack:
            processes = [stack.enter_context(self._started(one)) for one in self.commands]
            life = Life(processes, self.shell.folder)
            try:
                yield life
            finally:
                life.kill()

    @contextmanager
    def _started(self, command: Sequence[str]) -> Iterator[subprocess.Popen[bytes]]:
        kept = ("PATH", "HOME", "PYTHONPATH")
        inherited = {name: os.environ[name] for name in kept if name in os.environ}
        with (
            (self.shell.folder / "engine.log").open("ab") as log,
            subprocess.Popen(
                command,
                cwd=self.shell.folder,
                env={**inherited, **self.shell.settings, **self.settings},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            ) as process,
        ):
            yield process


@dataclass(frozen=True)
class Life:
    """One life of an engine."""

    processes: Sequence[subprocess.Popen[bytes]]
    folder: Path

    def kill(self) -> None:
        """SIGKILL to everything, with all children."""
        for process in self.processes:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
            finally:
                process.wait()

    def end(self) -> None:
        """SIGTERM, and every process ends by it."""
        for process in self.processes:
            process.send_signal(signal.SIGTERM)
        for process in self.processes:
            process.wait(ENDS_WITHIN_SECONDS)

    @property
    def said(self) -> str:
        """Everything it wrote, for a test that failed."""
        return (self.folder / "engine.log").read_text("utf-8", "replace")


def an_engine_that_is_killed_and_says_everything_thrice_makes_each_item_once(
    engine: Engine, graph: FakeGraph
) -> None:
    """Ids are said three times before, once more when all of it is done, and one is never said."""
    shell = engine.shell
    told, untold = queued(shell, *NAMES), queued(shell, "Autumn / 1")
    engine.say([told] * 3)
    gate = Gate(graph, nth=2, after_commit=True)
    with engine.running() as first:
        gate.wait_until_reached()
        first.kill()  # it made something, and nobody was told its id
    gate.open()
    with engine.running() as second:
        wait_until(shell, told, untold)
        engine.say([told, untold] * 3)
        last = queued(shell, "Winter / 1")
        engine.say([last])
        wait_until(shell, last)
        second.end()

    wanted, made = sorted([*NAMES, "Autumn / 1", "Winter / 1"]), ads(graph)
    assert made == wanted, f"{made}\n{second.said}"
