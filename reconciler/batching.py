"""The ledger's part in repairing many documents at once: which they are, whole, and what a run did.

Everything here is read in pages, so that a hundred thousand broken documents ask for no more memory
than a few hundred.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from .model import Account, Document

if TYPE_CHECKING:
    from .ports import Around, Change, Guard, Surroundings


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """One account with broken documents: how many, and how many documents it has in all."""

    account_id: str
    broken: int
    documents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ManyView:
    """What a decision about many documents may look at, read inside the transaction.

    `documents` are those whose guard matched, by id, as it left them. `surroundings` leave none of
    them out of the rivals. `now` is the ledger's time, bound once.
    """

    documents: Mapping[str, Document]
    account: Account
    now: datetime
    surroundings: Surroundings


Ask = Callable[[Sequence[Document]], "Around"]
"""What to read of the surroundings of these documents."""

DecideAll = Callable[[ManyView], Sequence["Change"]]
"""One change for each document of the view. Pure, and safe to call again; whatever it raises rolls
the transaction back and reaches the caller."""


class Batches(Protocol):
    """The part of the ledger port that `batch` lives by.

    A document is *broken* if it crashed, or if it is `queued` or `held`, unsettled and nobody's
    publishing lease is live. With `held` also those that wait for a person are told.
    """

    async def identity(self) -> str:
        """Which ledger this is. A copy that was accepted, and a restored one, have another."""

    async def broken_accounts(self, *, held: bool) -> tuple[Broken, ...]:
        """Accounts with broken documents, by id."""

    async def broken(
        self, account_id: str, *, held: bool, limit: int, after: str = ""
    ) -> tuple[Document, ...]:
        """At most `limit` broken documents of an account, whole, by id, beginning behind `after`.

        An answer promises nothing: the guard of whoever acts on it decides.
        """

    async def whole(self, ids: Collection[str]) -> tuple[Document, ...]:
        """These documents, whole, by id, in one read transaction. Unknown ids are left out."""

    async def around_all(self, account_id: str, around: Around) -> Surroundings:
        """What stands around many documents of an account, in one read transaction.

        Like `Ledger.around`, but no document is left out of the rivals: whoever judges one of them
        leaves out its own.
        """

    async def of_run(self, run: str, *, limit: int, after: str = "") -> tuple[str, ...]:
        """At most `limit` documents that a run changed, by id, beginning behind `after`."""

    async def changed_by(self, run: str, ids: Collection[str]) -> frozenset[str]:
        """Those of these documents that a run changed."""

    async def change_all(
        self, account_id: str, guards: Mapping[str, Guard], ask: Ask, decide: DecideAll
    ) -> Mapping[str, Document]:
        """`Ledger.change` for many documents of an account, by id, in one transaction.

        Each guard is a conditional update of its own; where it does not match, or there is no such
        document, nothing of that one is changed, and it is in no view and not in the answer.
        Returns the others as stored, only after that would survive a power cut. Raises
        `BindingTaken` with everything rolled back.
        """
