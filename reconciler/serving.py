"""What a worker does, whoever says when: serves documents, sweeps, and says that it is there.

It dies of nothing that one document or a hiccup of the ledger does: an error is counted, told, and
puts that document aside for a while, so that a poisonous one is no hot loop. A right that its user
lacks at the ledger is no hiccup: it is kept as `forbidden`, and whoever drives this ends by it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from typing import Any, Final

from .access import closed_because
from .aside import Aside
from .due import DueDocument
from .errors import LedgerForbidden, LedgerUnavailable, ReconcilerError
from .model import Attempt, Document
from .next_step import WORKER_SEEN_WITHIN
from .outside import Outside
from .ports import View
from .publish import attempt_once
from .sweep import Swept, pick_up, sweep

POLL: Final = timedelta(seconds=1)
"""The mean pause between two questions for work; jitter halves it or adds half."""

BEAT_EVERY: Final = WORKER_SEEN_WITHIN / 4
"""How often a worker says that it is there."""


PICK_UP_EVERY: Final = timedelta(seconds=1)
"""How long a document whose worker died waits at most after its lease, where nobody is busy."""


class Happening(StrEnum):
    """What a worker tells of itself. *Closed.*"""

    TAKEN = "taken"  # a document was claimed by us
    ENDED = "ended"  # our attempt at it ended
    FAILED = "failed"  # an error at one document; it is put aside
    SWEPT = "swept"
    LEDGER_AWAY = "ledger_away"  # nothing new is taken until it is back
    LEDGER_BACK = "ledger_back"
    STOPPING = "stopping"


@dataclass(frozen=True, slots=True, kw_only=True)
class Happened:
    """One line of a worker's story."""

    what: Happening
    document_id: str | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)


Tell = Callable[[Happened], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Worked:
    """What a worker did in its life: attempts by outcome, sweeps, errors at documents or sweeps."""

    attempts: Mapping[str, int]
    sweeps: int
    errors: int


class Serving:
    """What one worker has in hand, has put aside, and has counted."""

    def __init__(self, outside: Outside, tell: Tell) -> None:
        self.in_hand: dict[str, str] = {}  # documents with their accounts
        self.forbidden: LedgerForbidden | None = None
        self._outside = outside
        self._tell = tell
        self._aside = Aside(outside, at_least=POLL)
        self._beat_at = float("-inf")  # by the boot clock
        self._attempts: Counter[str] = Counter()
        self._sweeps = self._errors = 0
        self._away = 0  # questions in a row that the ledger did not answer

    def worked(self) -> Worked:
        """The counts."""
        return Worked(attempts=dict(self._attempts), sweeps=self._sweeps, errors=self._errors)

    # --- documents ---------------------------------------------------------------------------

    def may_take(self, row: DueDocument) -> bool:
        """Whether it is not in our hands, nor to be left alone for a while."""
        return row.document_id not in self.in_hand and not self._aside.has(row.document_id)

    def has_room(self, account_id: str) -> bool:
        """Whether the account has not yet its share of this worker."""
        in_hand = sum(account == account_id for account in self.in_hand.values())
        return in_hand < self._outside.limits.account_concurrency

    async def serve(self, row: DueDocument) -> None:
        """Publish it, one attempt, if it can be claimed now. Idempotent: the claim decides.

        Whatever fails is told, counted, and stays with this one.
        """
        self.in_hand[row.document_id] = row.account_id
        try:
            await self._publish(row)
        except LedgerForbidden as error:
            self.forbidden = error
            self._failed(row.document_id, error.message)
        except ReconcilerError as error:
            self._failed(row.document_id, error.message)
        except Exception as error:  # noqa: BLE001 - a bug met at one document stops no other
            self._failed(row.document_id, f"{type(error).__name__}: {error}")
        finally:
            self.in_hand.pop(row.document_id, None)

    async def _publish(self, row: DueDocument) -> None:
        account = await self._outside.ledger.account(row.account_id)
        if await closed_because(account, self._outside) is not None:
            return  # its documents are told again when it is time to ask it again
        ran = await attempt_once(row.document_id, row.account_id, self._outside, self._taken)
        if ran is None:
            self._aside.put(row.document_id)  # somebody was quicker, or it changed
            return
        view, attempt = ran
        self._ended(view.document, attempt)

    def _taken(self, claimed: View) -> None:
        document = claimed.document
        taken = {"attempt": len(document.attempts)}
        self._tell(Happened(what=Happening.TAKEN, document_id=document.id, detail=taken))

    def _ended(self, document: Document, attempt: Attempt) -> None:
        """An attempt of ours ended: in order, or as somebody who took over left it."""
        self._aside.forget(document.id)
        outcome = attempt.outcome.value if attempt.outcome is not None else "lost"
        self._attempts[outcome] += 1
        detail = {
            "state": document.state.value,
            "attempt": attempt.number,
            "outcome": outcome,
            "error": attempt.error,
        }
        self._tell(Happened(what=Happening.ENDED, document_id=document.id, detail=detail))

    def _failed(self, document_id: str, error: str) -> None:
        self._errors += 1
        self._aside.put(document_id)
        detail = {"error": error}
        self._tell(Happened(what=Happening.FAILED, document_id=document_id, detail=detail))

    # --- the sweep ---------------------------------------------------------------------------

    async def sweep(self) -> None:
        """One pass over what is due though nobody asks; it creates nothing."""
        try:
            swept = await sweep(self._outside)
        except LedgerUnavailable as error:
            if isinstance(error, LedgerForbidden):
                self.forbidden = error
            swept = Swept(run="", error=error.message)
        self._sweeps += 1
        self._errors += swept.errors
        self._tell(Happened(what=Happening.SWEPT, detail={"swept": swept}))

    async def pick_up(self) -> None:
        """Take over what crashed, and look at it: told like a sweep, where there was anything.

        A ledger that is away is told by whoever asks it for work.
        """
        try:
            swept = await pick_up(self._outside)
        except LedgerForbidden as error:
            self.forbidden = error
            return
        except LedgerUnavailable:
            return
        self._errors += swept.errors
        if swept.visits:
            self._tell(Happened(what=Happening.SWEPT, detail={"swept": swept}))

    # --- being there -------------------------------------------------------------------------

    async def beat(self) -> None:
        """Say that we are there, if it is time, so that people wait for us. Raises
        `LedgerUnavailable`."""
        now = self._outside.clock.boot_seconds()
        if now >= self._beat_at:
            await self._outside.ledger.beat(self._outside.owner)
            self._beat_at = now + BEAT_EVERY.total_seconds()

    def no_answer(self, error: str) -> None:
        """What says what to do was asked and did not answer; told once, until it does."""
        self._away += 1
        if self._away == 1:
            self._tell(Happened(what=Happening.LEDGER_AWAY, detail={"error": error}))

    def answered(self) -> None:
        """It answers, again or still."""
        if self._away:
            self._away = 0
            self._tell(Happened(what=Happening.LEDGER_BACK))

    def stopping(self) -> None:
        """Nothing new begins."""
        in_hand = {"in_hand": len(self.in_hand)}
        self._tell(Happened(what=Happening.STOPPING, detail=in_hand))

    def pause(self) -> timedelta:
        """How long to wait before asking again: longer each time there was no answer."""
        fraction = self._outside.chance.fraction()
        moment = POLL * (0.5 + fraction)
        if self._away:
            moment += self._outside.limits.backoff(self._away - 1, fraction)
        return moment

    @asynccontextmanager
    async def counted_on(self) -> AsyncIterator[None]:
        """At its end, cancelled too, nobody is to wait for us any more."""
        try:
            yield
        finally:
            with suppress(LedgerUnavailable):
                await self._outside.ledger.sign_off(self._outside.owner)
