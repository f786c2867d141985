"""No engine: the worker itself asks the ledger what is due, once a second."""

from __future__ import annotations

from reconciler.outside import Outside
from reconciler.serving import Tell, Worked
from reconciler.worker import work

from .names import EngineName


class InProcess:
    """For SQLite, and wherever nothing but the ledger is wanted. Any number of workers may run."""

    name = EngineName.IN_PROCESS

    async def work(self, outside: Outside, tell: Tell) -> Worked:
        """As `reconciler.worker.work`."""
        return await work(outside, tell)
