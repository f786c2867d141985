"""The settle lease of a person's decision: taken, renewed, and given back whatever comes of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from .access import closed_by
from .copying import replace
from .errors import LedgerUnavailable, ReconcilerError
from .look import Look
from .outside import Outside
from .ports import Change, Fenced, SettleLease, View
from .renewal import HeldLease, local_now, renewed


@dataclass(slots=True, kw_only=True)
class Granted:
    """A lease of ours and the document as it was when we got it, later as it was last read."""

    view: View
    held: HeldLease
    outside: Outside

    @property
    def fence(self) -> Fenced:
        """What every change under it begins with."""
        return Fenced(owner=self.held.owner, epoch=self.held.epoch)

    @property
    def is_given_back(self) -> bool:
        """Whether the last change released it."""
        return self.view.document.lease is None

    async def give_back(self, look: Look | None = None) -> None:
        """Release it, uncounted and with nothing changed; an account that a walk found closed is
        recorded as closed. Somebody else's takeover is as good."""

        def decide(view: View) -> Change:
            document = view.document
            recoveries = max(0, document.recoveries - 1)
            wait = look.wait if look else None
            withheld = look.withheld if look else None
            account = closed_by(view.account, withheld, view.now, wait, self.outside)
            return Change(
                document=replace(document, lease=None, recoveries=recoveries),
                account=None if account is view.account else account,
            )

        # Whole, for it is what the person is shown of the document.
        given = await self.outside.ledger.change(self.held.document_id, self.fence, decide)
        self.view = given or await self.outside.ledger.read(self.held.document_id)


@asynccontextmanager
async def settle_lease(document_id: str, outside: Outside) -> AsyncIterator[Granted | None]:
    """None: somebody else's lease is live. A refusal gives it back; a crash leaves it to expire."""
    local = local_now(outside)
    guard = SettleLease(owner=outside.owner, duration=outside.limits.lease)
    view = await outside.ledger.change(document_id, guard, lambda v: Change(document=v.document))
    if view is None or view.document.lease is None:
        yield None
        return
    async with renewed(document_id, view.document.lease, local, outside) as held:
        granted = Granted(view=view, held=held, outside=outside)
        try:
            yield granted
        except (ReconcilerError, asyncio.CancelledError):
            with suppress(LedgerUnavailable):
                await granted.give_back()
            raise
