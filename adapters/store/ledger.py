"""The ledger port over a database that can run one plain function in one transaction.

A subclass says how a function is run; everything else is the same on every database.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar

from sqlalchemy import Connection

from reconciler.arriving import AccountAndId, Admit
from reconciler.batching import Ask, Broken, DecideAll
from reconciler.due import Due, DueDocument
from reconciler.errors import CommitUnknown
from reconciler.model import Account, Document, DocumentState, Origin
from reconciler.ports import (
    Around,
    Change,
    Decide,
    Fenced,
    Guard,
    Recorded,
    Summary,
    Surroundings,
    View,
)
from reconciler.verdict import Evidence

from . import accounts, arrivals, batches, evidence, identity, reading, transactions, workers
from . import due as due_work
from .many import change_all
from .service import ServiceLedger
from .summaries import summaries
from .surroundings import surroundings_of_all
from .watching import Nobody, Noted, Watcher

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class Locked:
    """The document that a write is about. `alone`: no other document of its account is written."""

    document_id: str
    alone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedTogether:
    """The documents of an account that a write is about, and no other of it is written."""

    account_id: str
    ids: Collection[str]


Locking = Locked | LockedTogether


class SqlLedger(ServiceLedger, ABC):
    """`reconciler.ports.Ledger` in SQL; the obligations of each method stand there."""

    watcher: Watcher = Nobody()
    """Told of each document's changes. What a batch or an import does at once tells its report."""

    @abstractmethod
    async def now(self) -> datetime:
        """The ledger's time, aware UTC."""

    @abstractmethod
    async def aclose(self) -> None:
        """Let what runs end, then close; safe to call again."""

    @abstractmethod
    async def _read(self, body: Callable[[Connection, datetime], Result]) -> Result:
        """Run `body` in one read transaction."""

    @abstractmethod
    async def _write(
        self, body: Callable[[Connection, datetime], Result], locked: Locking | None = None
    ) -> Result:
        """Run `body` in one write transaction and commit; roll back what it raises from.

        `locked` is what must be locked before the time and anything else is read, where the
        database lets transactions run at once. Returns only after the commit would survive a power
        cut.
        """

    async def _watched(
        self, body: Callable[[Connection, datetime], Result], locked: Locked | None = None
    ) -> Result:
        """`_write`, whose faults the watcher is told of."""
        try:
            return await self._write(body, locked)
        except (CommitUnknown, AssertionError) as error:
            self.watcher.failed(error)
            raise

    async def submit(
        self, key: str, accept: Callable[[Document | None, datetime], Change | None]
    ) -> tuple[Document, bool]:
        """Store a new document or change the one of this key; `accept` refuses what it must."""
        noted = Noted(accept)
        document, stored = await self._watched(
            lambda connection, now: transactions.submit(connection, now, key, noted)
        )
        if stored and noted.said is not None:
            self.watcher.stored(document, noted.said, document.since)
        return document, stored

    async def read(self, document_id: str) -> View:
        """The document whole. Raises `UnknownDocument`."""
        return await self._read(
            lambda connection, now: transactions.read(connection, now, document_id)
        )

    async def journal(self, document_id: str) -> tuple[Recorded, ...]:
        """Every event, oldest first. Raises `UnknownDocument`."""
        return await self._read(lambda connection, _: reading.journal(connection, document_id))

    async def evidence(self, evidence_id: str) -> Evidence:
        """Stored evidence. Raises `LedgerUnavailable` if there is none or its hash does not fit."""
        return await self._read(lambda connection, _: evidence.stored(connection, evidence_id))

    async def change(
        self,
        document_id: str,
        guard: Guard,
        decide: Decide,
        *,
        around: Around | None = None,
        only: Collection[str] | None = None,
    ) -> View | None:
        """Guard, decide, store, commit. None where the guard did not match."""
        noted = Noted(decide)
        view = await self._watched(
            lambda connection, now: transactions.change(
                connection, now, document_id, guard, noted, asked=around, only=only
            ),
            Locked(document_id=document_id, alone=around is not None),
        )
        if view is None:
            self.watcher.turned_away(document_id, guard)
        elif noted.said is not None:
            self.watcher.stored(view.document, noted.said, view.now)
        return view

    async def renew(
        self, document_id: str, owner: str, epoch: int, lease: timedelta
    ) -> datetime | None:
        """Move the lease's end, while it is ours and ahead of now. Raises `UnknownDocument`."""
        holder = Fenced(owner=owner, epoch=epoch)
        return await self._write(
            lambda connection, now: transactions.renew(connection, now, document_id, holder, lease),
            Locked(document_id=document_id),
        )

    async def around(self, document_id: str, around: Around) -> Surroundings:
        """Bindings and rivals. Raises `UnknownDocument`."""
        return await self._read(
            lambda connection, _: transactions.around(connection, document_id, around)
        )

    async def account(self, account_id: str) -> Account:
        """The account, an open one if nothing is known of it."""
        return await self._read(lambda connection, _: accounts.known(connection, account_id))

    async def set_account(self, account: Account, seen: Account) -> bool:
        """Replace `seen`; False where it is no longer what stands."""
        return await self._write(lambda connection, _: accounts.replace(connection, account, seen))

    async def summaries(
        self, *, state: DocumentState | None = None, account_id: str | None = None
    ) -> tuple[dict[DocumentState, int], tuple[Summary, ...]]:
        """Counts over the selection, and its newest lines."""
        return await self._read(
            lambda connection, now: summaries(connection, now, state, account_id)
        )

    async def admit(
        self, names: Collection[str], ids: Collection[AccountAndId], decide: Admit
    ) -> None:
        """Store new documents, many in one transaction. Raises `BindingTaken`."""
        await self._write(
            lambda connection, now: arrivals.admit(connection, now, names, ids, decide)
        )

    async def is_complete(self, account_id: str) -> bool:
        """Whether finished documents of it are known, or none is said to be missing."""
        return await self._read(lambda connection, _: arrivals.is_complete(connection, account_id))

    async def say_complete(self, account_id: str) -> None:
        """None of its finished documents is missing."""
        await self._write(
            lambda connection, now: arrivals.say_complete(connection, now, account_id)
        )

    async def exported(
        self,
        *,
        limit: int,
        after: str = "",
        account_id: str | None = None,
        origin: Origin | None = None,
    ) -> tuple[Document, ...]:
        """One page of documents by id."""
        return await self._read(
            lambda connection, _: arrivals.exported(
                connection, limit=limit, after=after, account_id=account_id, origin=origin
            )
        )

    async def due(
        self,
        kind: Due,
        *,
        limit: int,
        passing_max: timedelta,
        after: DueDocument | None = None,
        account_id: str | None = None,
    ) -> tuple[DueDocument, ...]:
        """One page of what is due now, the longest due first."""
        return await self._read(
            lambda connection, now: due_work.due(
                connection,
                now,
                kind,
                limit=limit,
                passing_max=passing_max,
                after=after,
                account_id=account_id,
            )
        )

    async def turns(self, *, limit: int, after: str = "") -> tuple[DueDocument, ...]:
        """Of each account what is to be claimed first, by account."""
        return await self._read(
            lambda connection, now: due_work.turns(connection, now, limit=limit, after=after)
        )

    async def closed_accounts(self) -> tuple[Account, ...]:
        """Accounts without access that are closed until later."""
        return await self._read(due_work.closed_accounts)

    async def beat(self, owner: str) -> None:
        """This worker was seen now."""
        await self._write(lambda connection, now: workers.beat(connection, now, owner))

    async def sign_off(self, owner: str) -> None:
        """This worker ended in order."""
        await self._write(lambda connection, _: workers.sign_off(connection, owner))

    async def worker_seen_at(self) -> datetime | None:
        """When any worker was last seen."""
        return await self._read(lambda connection, _: workers.last_seen(connection))

    async def sweep_lease(self, owner: str, duration: timedelta) -> bool:
        """Take or prolong the one lease on sweeping; False where another's is live."""
        return await self._write(
            lambda connection, now: workers.sweep_lease(connection, now, owner, duration)
        )

    async def end_sweep(self, owner: str) -> None:
        """Give the lease on sweeping back."""
        await self._write(lambda connection, _: workers.end_sweep(connection, owner))

    async def identity(self) -> str:
        """Which ledger this is."""
        return await self._read(lambda connection, _: identity.of(connection))

    async def broken_accounts(self, *, held: bool) -> tuple[Broken, ...]:
        """Accounts with broken documents, by id."""
        return await self._read(
            lambda connection, now: batches.broken_accounts(connection, now, held=held)
        )

    async def broken(
        self, account_id: str, *, held: bool, limit: int, after: str = ""
    ) -> tuple[Document, ...]:
        """One page of broken documents, whole, by id."""
        return await self._read(
            lambda connection, now: batches.broken(
                connection, now, account_id, held=held, limit=limit, after=after
            )
        )

    async def whole(self, ids: Collection[str]) -> tuple[Document, ...]:
        """These documents, whole, by id."""
        return await self._read(lambda connection, _: batches.whole(connection, ids))

    async def around_all(self, account_id: str, around: Around) -> Surroundings:
        """Bindings and rivals of many documents."""
        return await self._read(
            lambda connection, _: surroundings_of_all(connection, account_id, around)
        )

    async def of_run(self, run: str, *, limit: int, after: str = "") -> tuple[str, ...]:
        """One page of documents that a run changed, by id."""
        return await self._read(
            lambda connection, _: batches.of_run(connection, run, limit=limit, after=after)
        )

    async def changed_by(self, run: str, ids: Collection[str]) -> frozenset[str]:
        """Those of these documents that a run changed."""
        return await self._read(lambda connection, _: batches.changed_by(connection, run, ids))

    async def change_all(
        self, account_id: str, guards: Mapping[str, Guard], ask: Ask, decide: DecideAll
    ) -> Mapping[str, Document]:
        """Guard, decide, store, commit, many documents at once."""
        return await self._write(
            lambda connection, now: change_all(
                connection, now, account_id, guards, ask=ask, decide=decide
            ),
            LockedTogether(account_id=account_id, ids=guards.keys()),
        )
