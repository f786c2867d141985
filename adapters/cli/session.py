"""One command against an opened product: settings first, then the work, then what it tells."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any

from rich.console import RenderableType

from reconciler.limits import Limits

from ..bootstrap import Reconciler, open_reconciler
from ..settings import Settings, load_settings, unknown_variables
from .output import print_human, print_json, say
from .running import Stop, run


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a command has to say: a shape for programs, a picture for people, notes on stderr.

    `picture` None: the work wrote its data itself.
    """

    shape: dict[str, Any]
    picture: Callable[[], RenderableType] | None
    code: int
    notes: tuple[str, ...] = field(default=())


Work = Callable[[Reconciler, Stop], Awaitable[Told]]


def carry_out(
    work: Work, *, as_json: bool, may_create: bool = False, ends_by_signal: bool = False
) -> int:
    """Open the product, do the work, print. A signal's own code goes before the work's, but for
    work that has no other end.

    Only such work, and work that may create, is given the time of a call to end by itself when a
    signal comes.
    """
    settings = checked_settings()
    may_end = may_create or ends_by_signal
    grace = grace_seconds(settings.to_limits()) if may_end else 0.0
    stopped: list[Stop] = []

    async def session(stop: Stop) -> Told:
        stopped.append(stop)
        async with open_reconciler(settings, stopping=stop) as product:
            return await work(product, stop)

    told = run(session, grace_seconds=grace)
    by = stopped[0].signal
    if by is None or ends_by_signal:
        print_told(told, as_json=as_json)
        return told.code
    print_told(replace(told, notes=(_how_to_go_on(told, by.name),)), as_json=as_json)
    return 128 + by


def checked_settings() -> Settings:
    """The settings of this process; warns of misspelt variables and of plain http."""
    settings = load_settings()
    for line in unknown_variables():
        say(f"warning: {line}")
    if settings.sends_in_clear:
        say("warning: RECONCILER_GRAPH_URL is plain http: whoever is on the way can read the token")
    return settings


def print_told(told: Told, *, as_json: bool) -> None:
    """Data to stdout, notes to stderr."""
    if as_json:
        print_json(told.shape)
    elif told.picture is not None:
        print_human(told.picture())
    for note in told.notes:
        say(note)


def _how_to_go_on(told: Told, signal_name: str) -> str:
    command = told.shape.get("next", {}).get("command")
    return f"stopped by {signal_name}, all saved" + (f"; go on with: {command}" if command else "")


def grace_seconds(limits: Limits) -> float:
    """A call that just began may take its whole time, and its answer must still be saved."""
    return (limits.call_timeout + limits.lease_margin).total_seconds()
