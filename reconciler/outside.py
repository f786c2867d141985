"""The ports a use case needs, handed over as one value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .limits import Limits
from .ports import Chance, Clock, Graph, Ledger


def _never() -> bool:
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """Everything outside the core, and the bounds to use it within.

    `owner` is this process's name on leases, fresh at every start. `stopping` is asked before
    every create: once it says True no further create starts, what is in flight is awaited, saved,
    and the document handed back uncounted.
    """

    ledger: Ledger
    graph: Graph
    clock: Clock
    chance: Chance
    limits: Limits
    owner: str
    stopping: Callable[[], bool] = _never
