#!/usr/bin/env python3
"""Draws accounts full of old documents, recovers each in every way, and counts what was wrong."""

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from fixtures.old_accounts.corpus import Corpus, measured
from fixtures.old_accounts.rates import STRANGERS, UNTOUCHED, Rates
from fixtures.old_accounts.report import as_json, show_scores


def main(arguments: Sequence[str] | None = None) -> int:
    """0, whatever was counted: it measures and judges nothing."""
    wanted = _parser().parse_args(arguments)
    rates = replace(UNTOUCHED if wanted.untouched else Rates(), gone_known=wanted.gone_known)
    corpus = Corpus(seed=wanted.seed, worlds=wanted.worlds, rates=rates, jobs=wanted.jobs)
    began = time.monotonic()
    with _progress(corpus.worlds) as step:
        scores = measured(corpus, step)
    seconds = time.monotonic() - began

    if wanted.json:
        sys.stdout.write(json.dumps(as_json(corpus, scores)) + "\n")
        return 0
    console = Console(width=170, highlight=False, markup=False)
    strangers = ", ".join(f"{name} {share:.0%}" for name, share in STRANGERS.items())
    last = corpus.seed + corpus.worlds - 1
    about = f"{corpus.worlds:,} accounts, seeds {corpus.seed} to {last}, {seconds:,.0f} s"
    show_scores(console, scores, about=f"{about}; strangers: {strangers} of the names")
    return 0


@contextmanager
def _progress(worlds: int) -> Iterator[Callable[[int], None]]:
    """A bar on a terminal; nothing elsewhere. Its thread begins after the processes."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    clocks = (TimeElapsedColumn(), TimeRemainingColumn())
    progress = Progress(*columns, *clocks, console=Console(stderr=True))
    task = progress.add_task("accounts", total=worlds)

    def step(done: int) -> None:
        progress.start()
        progress.update(task, completed=done)

    try:
        yield step
    finally:
        progress.stop()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="scripts/corpus", description=__doc__)
    add = parser.add_argument
    add("--seed", type=int, default=0, help="the first account's (default: 0)")
    add("--worlds", type=_count, default=50, help="how many accounts (default: 50)")
    add("--jobs", type=_count, default=2, help="processes (default: 2)")
    add("--untouched", action="store_true", help="nobody edits anything, and every clock is right")
    add(
        "--gone-known",
        type=_share,
        default=Rates().gone_known,
        metavar="SHARE",
        help="broken documents of which the worker's end is known (default: 0.5)",
    )
    add("--json", action="store_true", help="for programs: corpus/1")
    return parser


def _share(text: str) -> float:
    share = float(text)
    if not 0 <= share <= 1:
        raise argparse.ArgumentTypeError("give a number from 0 to 1")
    return share


def _count(text: str) -> int:
    count = int(text)
    if count < 1:
        raise argparse.ArgumentTypeError("give at least 1")
    return count


if __name__ == "__main__":
    sys.exit(main())
