"""How far a batch is, on stderr: a bar with rate and remaining time, or a line now and then."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from .output import console_for, say

LINE_EVERY_SECONDS: Final = 10.0

Step = Callable[[int, int, str], None]
"""Documents done, of how many (0: not known), and what else there is to say."""


@contextmanager
def followed(done: str) -> Iterator[Step]:
    """Show how many documents are `done`; nothing with --quiet."""
    if not logging.getLogger().isEnabledFor(logging.WARNING):
        yield lambda _done, _of, _more: None
        return
    with _bar(done) if sys.stderr.isatty() else _lines(done) as step:
        yield step


def told_progress(word: str, done: int, of: int, more: str, seconds: float) -> str:
    """Documents and rate, and how long it takes yet where that can be known."""
    rate = done / seconds if seconds > 0 else 0.0
    line = f"{done:,} documents {word}, {rate:,.0f} a second, {more}"
    if not of or not rate:
        return line
    return f"{line}, {min(1.0, done / of):.0%}, about {max(0, of - done) / rate:,.0f} s left"


@contextmanager
def _bar(word: str) -> Iterator[Step]:
    columns = (BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    console = console_for(sys.stderr)
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as progress:
        task = progress.add_task("starting", total=None)
        began = time.monotonic()

        def step(done: int, of: int, more: str) -> None:
            said = told_progress(word, done, 0, more, time.monotonic() - began)
            progress.update(task, description=said, total=of or None, completed=done)

        yield step


@contextmanager
def _lines(word: str) -> Iterator[Step]:
    began = told_at = time.monotonic()

    def step(done: int, of: int, more: str) -> None:
        nonlocal told_at
        now = time.monotonic()
        if now - told_at >= LINE_EVERY_SECONDS:
            told_at = now
            say(told_progress(word, done, of, more, now - began))

    yield step
