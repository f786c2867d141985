"""`list` and `watch`: the same documents, once, or kept up to date until a signal."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime
from functools import partial
from typing import Any

from rich.console import RenderableType

from reconciler.errors import LedgerUnavailable
from reconciler.model import Kind

from ..bootstrap import Reconciler
from ..bootstrap.service import page_of
from ..shapes import documents_list
from ..store.judged import Judged
from ..store.listed_state import ListedState
from ..store.summaries import LINES_MAX
from .exit_codes import ExitCode
from .list_picture import list_picture
from .output import say
from .running import Stop
from .session import Told, Work
from .streams import is_silenced
from .watch_picture import shown

Shape = dict[str, Any]
Read = Callable[[Reconciler], Awaitable[tuple[datetime, Shape]]]
Draw = Callable[[Shape], RenderableType]


def list_documents(
    *,
    state: ListedState | None,
    account: str | None,
    kind: Kind | None,
    verdict: Judged | None,
) -> Work:
    """Counts over the whole selection, then its newest documents."""
    read, draw = _selection(state, account, kind, verdict)

    async def work(product: Reconciler, _: Stop) -> Told:
        _now, shape = await read(product)
        return Told(shape=shape, picture=lambda: draw(shape), code=ExitCode.DONE)

    return work


def watch(
    *,
    state: ListedState | None,
    account: str | None,
    kind: Kind | None,
    verdict: Judged | None,
    every: float,
    as_json: bool,
) -> Work:
    """The same, read again every so many seconds; a signal is how this command succeeds.

    It ends too when whoever reads its output has seen enough. A ledger that is away is told once,
    and asked until it is back.
    """
    read, draw = _selection(state, account, kind, verdict)

    async def work(product: Reconciler, stop: Stop) -> Told:
        shape: Shape = {}
        is_away = False
        with shown(draw, every, as_json=as_json) as show:
            while not (stop() or is_silenced()):
                try:
                    now, shape = await read(product)
                    show(now, shape)
                    is_away = False
                except LedgerUnavailable as away:
                    if not is_away:
                        say(f"{away.message}; asked again every {every:g} s")
                    is_away = True
                await stop.pause(every)
        return Told(shape=shape, picture=None, code=ExitCode.DONE)

    return work


def _selection(
    state: ListedState | None, account: str | None, kind: Kind | None, verdict: Judged | None
) -> tuple[Read, Draw]:
    """How it is read, and how it is drawn."""

    async def read(product: Reconciler) -> tuple[datetime, Shape]:
        listed, _after = await page_of(
            product,
            state=state,
            accounts=None if account is None else {account},
            after=None,
            limit=LINES_MAX,
            kind=kind,
            verdict=verdict,
        )
        shape = documents_list(
            listed.counts,
            listed.lines,
            listed.now,
            listed.accounts,
            worker_seen=listed.worker_seen,
        )
        return listed.now, shape

    narrowed = any(asked is not None for asked in (state, account, kind, verdict))
    crashed = state is ListedState.CRASHED
    return read, partial(list_picture, narrowed=narrowed, crashed=crashed)
