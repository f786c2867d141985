"""Other lives than a kill: processes that are cancelled, and ledgers that fail, at one effect."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any

from fixtures.crash_points import Process
from fixtures.stage import Stage, is_crash
from reconciler.errors import CommitUnknown, LedgerUnavailable


@dataclass(slots=True)
class DiesAt(Process):
    """Dies at the n-th effect of one name, counted from 0: what a story can say in words."""

    effect: str = "graph.create"
    nth: int = 0

    def begin(self, effect: str) -> bool:
        """Sets the number once it is known, and leaves the rest to any process."""
        if effect == self.effect and self.effects.count(effect) == self.nth:
            self.dies_at = len(self.effects)
        return Process.begin(self, effect)


@dataclass(slots=True)
class IsStopped(Process):
    """Stands still for a while at one effect, as by SIGSTOP, and goes on knowing nothing of it.

    While it stands nothing of it has an effect, its renewals included. `stops_for` is in seconds.
    """

    effect: str = "graph.create"
    nth: int = 0
    stops_for: float = 0.0
    goes_on_at: float = 0.0

    async def pause(self, effect: str, *, after: bool = False) -> None:
        """Begin to stand still here, or go on standing."""
        loop = asyncio.get_running_loop()
        reached = self.effects.count(effect) - (1 if after else 0)
        if (effect, after, reached) == (self.effect, self.after, self.nth):
            self.goes_on_at = loop.time() + self.stops_for
        if loop.time() < self.goes_on_at:
            await asyncio.sleep(self.goes_on_at - loop.time())


@dataclass(slots=True)
class IsCancelled(Process):
    """Is cancelled at its n-th effect, as by an orderly shutdown that does not wait."""

    main: asyncio.Task[Any] | None = field(default=None)

    def begin(self, effect: str) -> bool:
        """The effect itself goes on; the task is cancelled where it waits next."""
        self.effects.append(effect)
        if self.dies_at == len(self.effects) - 1 and self.main is not None:
            self.main.cancel()
        return False


@dataclass(slots=True)
class LedgerFails(Process):
    """Its ledger refuses one transaction, or commits it and loses the acknowledgement (`after`)."""

    def begin(self, effect: str) -> bool:
        """Nobody dies; effects of the API are left alone."""
        self.effects.append(effect)
        is_the_one = self.dies_at == len(self.effects) - 1 and effect.startswith("ledger.")
        if is_the_one and not self.after:
            raise LedgerUnavailable("the story says so")
        return is_the_one

    def die(self, effect: str) -> None:
        """The lost acknowledgement."""
        raise CommitUnknown("the story says so")


def ends(stage: Stage, work: Coroutine[Any, Any, object], life: Process) -> bool:
    """Run it; True where it ended as that life is cut short. Other failures come through."""

    async def run() -> bool:
        task = asyncio.ensure_future(work)
        if isinstance(life, IsCancelled):
            life.main = task
        try:
            await task
        except BaseException as error:
            if not (is_crash(error) or _is_cut(error, life)):
                raise
            return True
        return False

    return stage.time.run(run())


def _is_cut(error: BaseException, life: Process) -> bool:
    if isinstance(life, IsCancelled):
        return isinstance(error, asyncio.CancelledError)
    return isinstance(life, LedgerFails) and isinstance(error, LedgerUnavailable)
