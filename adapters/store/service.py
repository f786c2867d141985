"""What the HTTP service asks of a ledger beyond the port: lists, what stands above them, keys."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from datetime import datetime
from typing import TypeVar

from sqlalchemy import Connection

from reconciler.model import DocumentState, Kind

from . import keys, reading
from .causes import Trouble, troubles
from .finding import Which
from .judged import Judged
from .keys import KeptKey
from .overview import Overview, overview
from .pages import Page, Place, page
from .standing import Standing, standing

Result = TypeVar("Result")


class ServiceLedger(ABC):
    """A part of `SqlLedger`. No decision rests on it, so the core's port knows nothing of it."""

    @abstractmethod
    async def _read(self, body: Callable[[Connection, datetime], Result]) -> Result:
        """Run `body` in one read transaction."""

    @abstractmethod
    async def _write(self, body: Callable[[Connection, datetime], Result]) -> Result:
        """Run `body` in one write transaction and commit."""

    async def page(
        self,
        *,
        state: DocumentState | None = None,
        accounts: Collection[str] | None = None,
        after: Place | None = None,
        limit: int,
        which: Which | None = None,
        since: datetime | None = None,
        kind: Kind | None = None,
        verdict: Judged | None = None,
        counted: bool = True,
    ) -> Page:
        """A part of the list, newest first. `accounts` with their `act_`; None: any.

        `since`: the present state began then or later. `kind` and `verdict` are met by one item.
        """
        return await self._read(
            lambda connection, now: page(
                connection,
                now,
                state=state,
                accounts=accounts,
                after=after,
                limit=limit,
                which=which,
                since=since,
                kind=kind,
                verdict=verdict,
                counted=counted,
            )
        )

    async def overview(
        self,
        *,
        accounts: Collection[str] | None,
        since: datetime | None,
        kind: Kind | None = None,
        verdict: Judged | None = None,
    ) -> Overview:
        """What an operator sees first, of these accounts and documents; None: any."""
        return await self._read(
            lambda connection, now: overview(
                connection, now, accounts=accounts, since=since, kind=kind, verdict=verdict
            )
        )

    async def troubles(
        self,
        *,
        accounts: Collection[str] | None,
        since: datetime | None,
        kind: Kind | None = None,
        verdict: Judged | None = None,
    ) -> tuple[Trouble, ...]:
        """Items that are in the way of their documents; None: any."""
        return await self._read(
            lambda connection, now: troubles(
                connection, now, accounts=accounts, since=since, kind=kind, verdict=verdict
            )
        )

    async def account_of_key(self, key: str) -> str | None:
        """Whose document has this key; None: nobody's."""
        row = await self._read(lambda connection, _: reading.row_by_key(connection, key))
        return None if row is None else str(row.account_id)

    async def standing(self) -> Standing:
        """How the whole of it stands, for gauges."""
        return await self._read(standing)

    async def keys(self) -> tuple[KeptKey, ...]:
        """Every key of the service, oldest first, revoked ones too."""
        return await self._read(lambda connection, _: keys.all_keys(connection))

    async def add_key(self, key: KeptKey) -> None:
        """Keep a new one; durable on return."""
        await self._write(lambda connection, _: keys.add(connection, key))

    async def revoke_key(self, key_id: str) -> bool:
        """Recognise it no more; False where there is none to revoke."""
        return await self._write(lambda connection, now: keys.revoke(connection, now, key_id))

    async def key_used(self, key_id: str) -> None:
        """Note that it was used now."""
        await self._write(lambda connection, now: keys.used(connection, now, key_id))
