"""A create that waits at a gate: the moment at which a test acts on the program that sent it."""

import asyncio
import threading

from fixtures.graph.app import FakeGraph
from fixtures.graph.call import Call
from fixtures.graph.fault import Fault, Proceed, Setting, at_creates
from fixtures.graph.reply import Reply

SECONDS_MAX = 60


class Gate:
    """Stops the n-th create, before the API acts on it or after, until it is opened."""

    def __init__(self, graph: FakeGraph, *, nth: int = 1, after_commit: bool = False) -> None:
        self._reached = threading.Event()
        self._open = threading.Event()
        self._after_commit = after_commit
        graph.faults.add(Fault("gate", at_creates, self._strike), nth=nth, count=1)

    def wait_until_reached(self) -> None:
        """Return once the create stands at the gate."""
        assert self._reached.wait(SECONDS_MAX), "no create came"

    def open(self) -> None:
        """Let it through."""
        self._open.set()

    async def _strike(self, call: Call, proceed: Proceed, _: Setting) -> Reply:
        reply = await proceed(call) if self._after_commit else None
        self._reached.set()
        await asyncio.to_thread(self._open.wait, SECONDS_MAX)
        return reply if reply is not None else await proceed(call)
