"""The ports a use case needs, handed over as one value."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Final, Literal

from .limits import Limits
from .model import Document
from .policy import Legacy
from .ports import Chance, Clock, Graph, Ledger
from .slots import Slots

Work = Literal["attempt", "look"]
"""What is watched: one attempt from its claim to its end, or one look from its first walk on."""

Watch = Callable[[Work, Document], AbstractContextManager[object]]
"""Surrounds a piece of work, to see how long it takes. Decides nothing, and raises nothing."""

_UNSEEN: Final = nullcontext()


def unseen(_: Work, __: Document) -> AbstractContextManager[object]:
    """Nobody watches."""
    return _UNSEEN


def _never() -> bool:
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """Everything outside the core, and the bounds to use it within.

    `owner` is this process's name on leases, fresh at every start. `stopping` is asked before
    every create: once it says True no further create starts, what is in flight is awaited, saved,
    and the document handed back uncounted. `legacy` says what suffices for documents without a mark
    from elsewhere. `slots` bounds the creates in flight over all documents. `watch` surrounds
    attempts and looks.
    """

    ledger: Ledger
    graph: Graph
    clock: Clock
    chance: Chance
    limits: Limits
    owner: str
    legacy: Legacy = field(default_factory=Legacy)
    stopping: Callable[[], bool] = _never
    watch: Watch = unseen
    slots: Slots = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "slots", Slots(self.limits.concurrency))
