"""Shows on stderr what the ledger says of a document while somebody works on it.

On a terminal a bar; elsewhere a line where something changed, at most every ten seconds.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Final

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from reconciler.errors import LedgerUnavailable
from reconciler.lifecycle import shown_next
from reconciler.model import DocumentState, ItemState, NextAction
from reconciler.ports import View

from ..bootstrap import Reconciler
from ..shapes import shown_time
from .next_picture import clock
from .output import console_for, say

LOOK_EVERY_SECONDS: Final = 1.0
LINE_EVERY_SECONDS: Final = 10.0

Show = Callable[[View], None]


@asynccontextmanager
async def watched(product: Reconciler, document_id: str) -> AsyncIterator[None]:
    """Show the document's progress while the body works; nothing with --quiet."""
    if not logging.getLogger().isEnabledFor(logging.WARNING):
        yield
        return
    with _bar() if sys.stderr.isatty() else _lines() as show:
        watcher = asyncio.create_task(_watch(product, document_id, show))
        try:
            yield
        finally:
            watcher.cancel()
            with suppress(asyncio.CancelledError):
                await watcher


async def _watch(product: Reconciler, document_id: str, show: Show) -> None:
    """Until cancelled. What goes wrong in reading is the worker's to tell, not the watcher's."""
    while True:
        await asyncio.sleep(LOOK_EVERY_SECONDS)
        with suppress(LedgerUnavailable):
            show(await product.peek(document_id))


def standing(view: View) -> str:
    """What is going on, in one line."""
    document = view.document
    step = shown_next(document, view.account, view.now)
    if document.state is DocumentState.QUEUED and step.action is NextAction.WAIT:
        until = f" until {clock(shown_time(step.until))}" if step.until else ""
        return f"waiting{until}, because {step.why}"
    return document.state.value.replace("_", " ")


def _made(view: View) -> int:
    return sum(item.state is ItemState.CONFIRMED for item in view.document.items)


@contextmanager
def _bar() -> Iterator[Show]:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    console = console_for(sys.stderr)
    with Progress(*columns, TimeElapsedColumn(), console=console, transient=True) as progress:
        task = progress.add_task("starting", total=None)

        def show(view: View) -> None:
            total = len(view.document.items)
            progress.update(task, description=standing(view), total=total, completed=_made(view))

        yield show


@contextmanager
def _lines() -> Iterator[Show]:
    told, told_at = "", float("-inf")

    def show(view: View) -> None:
        nonlocal told, told_at
        line = f"{_made(view)} of {len(view.document.items)} exist, {standing(view)}"
        if line != told and time.monotonic() - told_at >= LINE_EVERY_SECONDS:
            told, told_at = line, time.monotonic()
            say(line)

    yield show
