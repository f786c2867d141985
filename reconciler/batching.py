"""The ledger's part in repairing many documents at once: which they are, whole, and what a run did.

Everything here is read in pages, so that a hundred thousand broken documents ask for no more memory
than a few hundred.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from .model import Document

if TYPE_CHECKING:
    from .ports import Around, Surroundings


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """One account with broken documents: how many, and how many documents it has in all."""

    account_id: str
    broken: int
    documents: int


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
