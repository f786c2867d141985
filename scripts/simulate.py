#!/usr/bin/env python3
"""Plays seeded histories on virtual time: many faults, real code, judged by the world's own log."""

import argparse
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from adapters.store.sqlite import SqliteLedger
from fixtures.memory_ledger import MemoryLedger
from fixtures.simulator.batch import Totals
from fixtures.simulator.driver import Run, Show, drive
from fixtures.simulator.planted_bugs import CANARY, caught
from fixtures.simulator.profile import Size
from fixtures.simulator.report import show_failures, show_missing, show_totals
from fixtures.simulator.seeds import read_seeds, store_seeds
from fixtures.stage import OpenLedger

ROOT: Final = Path(__file__).resolve().parents[1]
HISTORIES: Final = 1_000
ENDLESS: Final = 10_000_000
"""A week of them, so that the time is what ends a soak."""

SEEDS: Final = ROOT / "tests" / "seeds" / "failed.txt"
LEDGERS: Final[Mapping[str, OpenLedger]] = {
    "memory": MemoryLedger,
    "sqlite": lambda clock: SqliteLedger.in_memory(now=clock),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """0 where everything held, was met often enough, and the planted bug was seen; 1 otherwise."""
    wanted = _parser().parse_args(arguments)
    console = Console(width=150, highlight=False, markup=False, soft_wrap=False)
    is_replay = wanted.histories == 1
    run = Run(
        seed=wanted.seed,
        histories=wanted.histories or (HISTORIES if wanted.minutes is None else ENDLESS),
        minutes=wanted.minutes,
        ledger=wanted.ledger,
        size=Size(wanted.size),
        jobs=wanted.jobs,
        ledgers=LEDGERS,
        stored=() if is_replay else tuple(read_seeds(SEEDS)),
    )
    began = time.monotonic()
    with _progress(run) as show:
        totals = drive(run, show)
    seconds = time.monotonic() - began

    until = f"to {run.seed + run.histories - 1}" if run.minutes is None else "on"
    about = f"{run.size} histories, seeds {run.seed} {until}, commit {_commit()}"
    show_totals(console, totals, seconds=seconds, jobs=run.jobs, about=about)
    show_failures(console, totals.failures)
    if not is_replay:
        store_seeds(SEEDS, totals.failures, _commit())
    too_rare = show_missing(console, totals)
    overlooked = wanted.canary and not _canary_is_caught(console)
    return 1 if totals.failures or too_rare or overlooked else 0


def _canary_is_caught(console: Console) -> bool:
    """A bug is planted for a moment: a simulator that does not see it proves nothing."""
    after = caught(CANARY)
    if after is None:
        console.print(f"THE CANARY LIVES: {CANARY.name} was not seen in {CANARY.within} histories")
        return False
    console.print(f"canary: {CANARY.name}, caught after {after} of {CANARY.within} histories")
    return True


@contextmanager
def _progress(run: Run) -> Iterator[Show]:
    """A bar on a terminal; nothing elsewhere. Its thread begins after the processes."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    progress = Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True))
    task = progress.add_task("histories", total=run.histories + len(run.stored))

    def show(totals: Totals) -> None:
        progress.start()
        found = f"histories, {len(totals.failures)} violations"
        progress.update(task, completed=totals.histories, description=found)

    try:
        yield show
    finally:
        progress.stop()


def _commit() -> str:
    command = ["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"]
    try:
        said = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return said.stdout.strip()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="scripts/simulate", description=__doc__)
    add = parser.add_argument
    add("--seed", type=int, default=0, help="the first one (default: 0)")
    add("--histories", type=int, help="how many (default: 1,000, or until --minutes are over)")
    add("--minutes", type=float, help="stop after so long, whatever is left")
    add("--ledger", choices=sorted(LEDGERS), help="only this one (default: SQLite one in twenty)")
    add("--size", choices=list(Size), default=Size.LARGE, help="how crowded (default: large)")
    add("--jobs", type=int, default=2, help="processes (default: 2)")
    add("--canary", action="store_true", help="plant a bug afterwards, which must be caught")
    return parser


if __name__ == "__main__":
    sys.exit(main())
