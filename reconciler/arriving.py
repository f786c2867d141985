"""The ledger's part in taking documents from elsewhere over, and in handing them back.

Many new documents are one transaction: a commit for each would make an import of 200,000 lines an
evening's work. What stands already is changed one by one, through the guards, like everything else.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from .model import Document, Origin

if TYPE_CHECKING:
    from .ports import Binding, Change

AccountAndId = tuple[str, str]
"""An ad account and an external id in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What stands where new documents want to stand, read in the transaction that stores them.

    `documents` are bare (no items, attempts, verdicts, surplus), by each of the asked names that is
    their id or their key.
    """

    now: datetime
    documents: Mapping[str, Document] = field(default_factory=dict)
    bindings: Mapping[AccountAndId, Binding] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """What to store: new documents, and accounts of which finished documents are known now."""

    changes: tuple[Change, ...] = ()
    complete: frozenset[str] = frozenset()


Admit = Callable[[Standing], Admission]
"""Pure, quick, and safe to call again; what it raises rolls everything back."""


class Arrivals(Protocol):
    """The part of the ledger port that imports and exports live by."""

    async def admit(
        self, names: Collection[str], ids: Collection[AccountAndId], decide: Admit
    ) -> None:
        """Store new documents in one transaction, after `decide` saw what stands in their place.

        `names` are looked up as ids and as keys. Returns only after all of it would survive a power
        cut. Raises `BindingTaken`, with everything rolled back.
        """

    async def is_complete(self, account_id: str) -> bool:
        """Whether finished documents of this account are known, or none is said to be missing."""

    async def say_complete(self, account_id: str) -> None:
        """Record durably that no finished document of this account is missing."""

    async def exported(
        self,
        *,
        limit: int,
        after: str = "",
        account_id: str | None = None,
        origin: Origin | None = None,
    ) -> tuple[Document, ...]:
        """At most `limit` documents by id, beginning behind `after`, with their items.

        Their intents come without calls, they without attempts, verdicts and surplus. None: of any
        account, of any origin.
        """
