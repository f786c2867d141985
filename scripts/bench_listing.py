"""Times a walk of a long container beside others who list it, and tells the memory of each."""

import argparse
import contextlib
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.status import Status

from fixtures.bench.listing_pages import PAGE_ROWS
from fixtures.bench.listing_report import OURS, Figures, show
from fixtures.bench.listing_rivals import RIVALS
from fixtures.bench.page_server import serving_pages
from fixtures.bench.report import machine_facts
from fixtures.bench.turns import Competitor, Turn, competitor

SLOW: Final = "facebook-business"
SLOW_OFTEN_ROWS: Final = 6_000
SLOW_ONCE_ROWS: Final = 200_000
"""The official client is timed once up to here, which takes a minute and a half, and not beyond."""

OUR_MODULE: Final = str(Path(__file__).with_name("bench_walk.py"))


def bench_listing(wanted: argparse.Namespace) -> bool:
    """Run all by turns at each size and print the medians. Whether the targets are met."""
    with Console(stderr=True).status("listing") as status:
        sizes = [_measure(rows, wanted.runs, status) for rows in wanted.rows]
    what = f"pages of {PAGE_ROWS} rows over HTTP on loopback; one process each, by turns"
    show(sizes, what=what, machine=machine_facts())
    return all(figures.is_met for figures in sizes)


def _measure(rows: int, runs: int, status: Status) -> Figures:
    status.update(f"{rows:,} rows: making the pages")
    with serving_pages(rows) as url, contextlib.ExitStack() as stack:
        all_runs = {name: _runs(name, rows, runs) for name in (OURS, *RIVALS)}
        listers = {
            name: stack.enter_context(competitor(*_command(name, url)))
            for name, count in all_runs.items()
            if count
        }
        turns: dict[str, list[Turn]] = {name: [] for name in listers}
        for run in range(runs + 1):  # the first, of each, only warms up
            for name, lister in listers.items():
                if run <= all_runs[name]:
                    status.update(f"{rows:,} rows: {name}, run {run} of {all_runs[name]}")
                    turns[name].append(_turn(lister, rows, name))
    return Figures(rows=rows, turns={name: of[1:] for name, of in turns.items()})


def _runs(name: str, rows: int, runs: int) -> int:
    """How many runs are timed; 0 where it does not take part."""
    if name != SLOW or rows <= SLOW_OFTEN_ROWS:
        return runs
    return 1 if rows <= SLOW_ONCE_ROWS else 0


def _turn(lister: Competitor, rows: int, name: str) -> Turn:
    turn = lister.run()
    if turn.rows != rows:
        raise SystemExit(f"bench: {name} listed {turn.rows} rows of {rows}")
    return turn


def _command(name: str, url: str) -> list[str]:
    return [OUR_MODULE, url] if name == OURS else ["-m", "fixtures.bench.listing_rivals", name, url]
