"""A program with its own client, whose every create goes through the guard, on a stage."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta

from adapters.bootstrap import Reconciler
from fixtures.stage import Stage
from reconciler import events
from reconciler.errors import NotSettled
from reconciler.open_intent import OpenIntent
from reconciler.outside import Outside
from tests.crash.programs import sender

Send = Callable[[OpenIntent], Awaitable[str | int]]


class Program:
    """A process with its own client. `sent` are the intents that its client was given."""

    def __init__(self, stage: Stage, outside: Outside | None = None) -> None:
        self.stage = stage
        self.outside = outside or stage.process()
        self.sent: list[OpenIntent] = []
        self.product = Reconciler(self.outside, read_budget=timedelta(seconds=2), close=_nothing)

    async def send(self, intent: OpenIntent) -> str | int:
        self.sent.append(intent)
        return await sender(self.outside)(intent)

    async def makes(self, document_id: str, item: str, send: Send | None = None) -> str:
        return await self.product.create_once(document_id, item, send or self.send)

    def made(self, document_id: str, item: str, send: Send | None = None) -> str:
        return self.stage.time.run(self.makes(document_id, item, send))

    def made_when_it_may(self, document_id: str, item: str) -> tuple[str, list[NotSettled]]:
        """Its id, and what it was told before: each time it comes again when it was told to."""
        told_off: list[NotSettled] = []
        for _ in range(10):
            try:
                return self.made(document_id, item), told_off
            except NotSettled as open_:
                told_off.append(open_)
            self.stage.time.pass_until(told_off[-1].until or self.stage.time.now())
        raise AssertionError(f"was never let through: {told_off}")


async def _nothing() -> None:
    pass


def ids_of(stage: Stage) -> list[str]:
    return [made.id for made in stage.world.log if made.kind == "ad"]


def told(stage: Stage, document_id: str) -> list[str]:
    """The assumptions that the journal counts as broken."""
    lines = stage.time.run(stage.ledger.journal(document_id))
    return [
        line.event.detail["assumption"]
        for line in lines
        if line.event.kind == events.ASSUMPTION_BROKEN
    ]
