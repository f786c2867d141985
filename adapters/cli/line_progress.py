"""How far an import is, on stderr: a bar with rate and remaining time, or a line now and then."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from reconciler.importing import Imported

from ..legacy import Source
from .output import console_for, say

LINE_EVERY_SECONDS: Final = 10.0

Step = Callable[[Imported], None]


@contextmanager
def followed(source: Source) -> Iterator[Step]:
    """Show how far the source is read after each commit; nothing with --quiet."""
    if not logging.getLogger().isEnabledFor(logging.WARNING):
        yield lambda _: None
        return
    with _bar(source) if sys.stderr.isatty() else _lines(source) as step:
        yield step


def told_progress(told: Imported, seconds: float, share: float | None) -> str:
    """Lines and rate, and how long it takes yet where that can be known."""
    rate = told.lines / seconds if seconds > 0 else 0.0
    line = f"{told.lines:,} lines read, {rate:,.0f} a second, {told.refused:,} of them refused"
    if not share:
        return line
    left = seconds * (1 - share) / share
    return f"{line}, {share:.0%}, about {left:,.0f} s left"


def _share(source: Source) -> float | None:
    return min(1.0, source.position() / source.size) if source.size else None


@contextmanager
def _bar(source: Source) -> Iterator[Step]:
    columns = (BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    console = console_for(sys.stderr)
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as progress:
        task = progress.add_task("starting", total=source.size)
        began = time.monotonic()

        def step(told: Imported) -> None:
            said = told_progress(told, time.monotonic() - began, None)
            progress.update(task, description=said, completed=source.position())

        yield step


@contextmanager
def _lines(source: Source) -> Iterator[Step]:
    began = told_at = time.monotonic()

    def step(told: Imported) -> None:
        nonlocal told_at
        now = time.monotonic()
        if now - told_at >= LINE_EVERY_SECONDS:
            told_at = now
            say(told_progress(told, now - began, _share(source)))

    yield step
