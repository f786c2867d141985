"""What is due though nobody asks for it, and what workers tell each other through the ledger.

The document's row is the queue: nothing else says that something is to be done. Each kind of work
is one question to the ledger, asked page by page, so that neither a long queue nor an account that
cannot be served now keeps anything else waiting. Imported documents are nobody's work.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol

from .copying import quick
from .model import Account


class Due(StrEnum):
    """A kind of work. The first is a worker's, the others are the sweep's. *Closed.*

    `claim`: what the claim would match. `takeover`: the crash signature. `look`: queued, due and
    unsettled, its lease free. `owed_look`: one is owed, due, in any state, its lease free.
    `cancel`: a request that waits for nobody any more. `stranded`: queued without a time, so that
    nothing would ever take it.
    """

    CLAIM = "claim"
    TAKEOVER = "takeover"
    LOOK = "look"
    OWED_LOOK = "owed_look"
    CANCEL = "cancel"
    STRANDED = "stranded"


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class DueDocument:
    """One row of an answer. `at` is when it fell due, None for kinds that know no time.

    `recoveries` counts settlers that took the document and never gave it back: it may have killed
    them.
    """

    document_id: str
    account_id: str
    at: datetime | None
    recoveries: int = 0


class Duties(Protocol):
    """The part of the ledger port that workers and sweeps live by."""

    async def due(
        self,
        kind: Due,
        *,
        limit: int,
        passing_max: timedelta,
        after: DueDocument | None = None,
        account_id: str | None = None,
    ) -> tuple[DueDocument, ...]:
        """At most `limit` of what is due now, the longest due first, beginning behind `after`.

        `account_id`: of this account alone; only claims are asked for so.

        Of an account that is closed until later, throttled or without access, no claims and no
        looks are told, but looks that have been due for `passing_max`: those are a person's now.
        An answer promises nothing: the guard of whoever acts on it decides.
        """

    async def turns(self, *, limit: int, after: str = "") -> tuple[DueDocument, ...]:
        """Of each account the claim that fell due first, `at` untold; at most `limit`, ordered by
        account, behind the account `after`. As quick among many documents of one as among few."""

    async def closed_accounts(self) -> tuple[Account, ...]:
        """Up to 1,000 accounts that refused our token and are closed until later, by id."""

    async def beat(self, owner: str) -> None:
        """Record that this worker was seen now. Rows of workers not seen for a day are dropped."""

    async def sign_off(self, owner: str) -> None:
        """This worker ended in order: forget that it was seen."""

    async def worker_seen_at(self) -> datetime | None:
        """When any worker was last seen, None if none is known."""

    async def sweep_lease(self, owner: str, duration: timedelta) -> bool:
        """Take the one lease on sweeping until now + `duration`, or prolong it if it is ours.

        False where another's is live. It ends by itself: a killed sweeper stops nobody.
        """

    async def end_sweep(self, owner: str) -> None:
        """Give the lease on sweeping back, if it is ours."""
