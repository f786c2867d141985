"""What a plan says of one document and of the whole, and what became of it when it was applied."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from .listing import IncompleteListing, Listing
from .log_question import LogAnswer, Said
from .model import Container, DocumentState, Grade, ItemState, Origin, Reason

FOUND, ABSENT, INCONCLUSIVE = "found", "absent", "inconclusive"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedItem:
    """One verdict, and what it was made on: the item's state and its counter of facts.

    `evidence_hash` is that of the evidence as it was when the plan was made.
    """

    item: str
    state: ItemState
    facts: int
    verdict: str
    evidence_hash: str
    reason: Reason | None = None
    external_id: str | None = None
    grade: Grade | None = None

    @property
    def says(self) -> tuple[object, ...]:
        """What must be the same when it is judged again, for the plan to be carried out."""
        return self.verdict, self.reason, self.external_id, self.grade


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """The exact change. `items` maps a key to what it becomes; empty where none moves."""

    before: DocumentState
    after: DocumentState
    items: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def is_none(self) -> bool:
        """Whether applying it would write nothing."""
        return self.before is self.after and not self.items


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """One document as it was judged. `crashed`: it is taken over first. `group`: which documents
    of the plan were judged on the same walks.

    `listings` hold the rows that this document alone wants, `log` what the activity log says of
    them; with these it is judged again, on the bindings and rivals of then, in the transaction that
    carries it out. `left_to_log` are the ids of those for which only a name speaks, and the log.
    """

    document_id: str
    account_id: str
    container: Container
    origin: Origin
    state: DocumentState
    crashed: bool
    epoch: int
    judged_at: datetime
    began_at: datetime
    items: tuple[PlannedItem, ...]
    change: Change
    group: int = 0
    listings: tuple[Listing, ...] = ()
    incomplete: tuple[IncompleteListing, ...] = ()
    label_exists: bool | None = None
    log: LogAnswer | None = None
    left_to_log: tuple[str, ...] = ()

    @property
    def untold(self) -> tuple[str, ...]:
        """Rows of which a log that was read names no app: they are judged as if none were set."""
        if self.log is None or self.log.said is not Said.TOLD:
            return ()
        return tuple(row for row in self.left_to_log if row not in self.log.apps)

    @property
    def claimed_untold(self) -> int:
        """How many of these rows would be claimed."""
        return sum(item.external_id in self.untold for item in self.items)

    @property
    def claims(self) -> bool:
        """Whether something would be bound that no answer named."""
        return any(item.verdict == FOUND and item.grade is not Grade.REPLY for item in self.items)

    @property
    def reason(self) -> Reason | None:
        """Of several, that of its first item without an answer."""
        return next((item.reason for item in self.items if item.reason is not None), None)


@dataclass(slots=True, kw_only=True)
class AccountPlan:
    """What is planned for one account. `documents`: all it has, broken or not."""

    documents: int
    planned: int = 0
    claims: int = 0
    changes: int = 0

    @property
    def share(self) -> float:
        """The part of all its documents that would claim something."""
        return self.claims / self.documents if self.documents else 0.0


@dataclass(slots=True, kw_only=True)
class Head:
    """What stands at the top of a plan. `at` is ledger time; `settings` are those it was made with.

    `walks` and `pages` count what was listed; `walked_twice` counts the places of which a second
    listing was needed, for an absence rests on two. `moved` counts documents that were changed
    while the plan was made: they are in no plan. `log_pages` were read of the activity log, and
    `log` counts how it answered for documents of which a name would decide. `log_rows` counts what
    a log that was read left open: rows `asked` about, those `untold` of, how many of these would be
    `claimed`, and in how many `documents` they stand.
    """

    run: str
    at: datetime
    ledger: str
    settings: Mapping[str, Any]
    counts: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    accounts: dict[str, AccountPlan] = field(default_factory=dict)
    walks: int = 0
    pages: int = 0
    walked_twice: int = 0
    moved: int = 0
    log_pages: int = 0
    log: Counter[str] = field(default_factory=Counter)
    log_rows: Counter[str] = field(default_factory=Counter)
    stages: dict[str, list[int]] = field(default_factory=dict)

    def add_stages(self, evidence: Mapping[str, Any]) -> None:
        """Add one item's funnel, from the body of its evidence."""
        for stage in evidence["stages"]:
            total = self.stages.setdefault(stage["stage"], [0, 0, 0])
            for at, name in enumerate(("in", "not_ours", "doubt")):
                total[at] += stage[name]

    def add(self, planned: Planned) -> None:
        """Count one document."""
        account = self.accounts[planned.account_id]
        account.planned += 1
        account.claims += planned.claims
        account.changes += not planned.change.is_none
        self.counts.update(item.verdict for item in planned.items)
        self.reasons.update(item.reason.value for item in planned.items if item.reason)
        if planned.log is not None:
            self.log[planned.log.said.value] += 1
            self.log_rows["claimed"] += planned.claimed_untold
            self.log_rows["documents"] += bool(planned.untold)

    @property
    def documents(self) -> int:
        """How many are in the plan."""
        return sum(account.planned for account in self.accounts.values())

    @property
    def changes(self) -> int:
        """How many of them would change."""
        return sum(account.changes for account in self.accounts.values())


class Result(StrEnum):
    """What became of one document of a plan or a run. *Closed.*"""

    CHANGED = "changed"
    NOTHING = "nothing"  # the plan changes nothing here
    BEFORE = "before"  # this run did it already
    STALE = "stale"  # it moved since; left as it is
    ERROR = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One document's line of a report. `verdicts` counts those that were carried out.

    `why` tells what is stale, what failed, and what of a run was taken back; else it is None.
    """

    document_id: str
    account_id: str
    result: Result
    before: DocumentState | None = None
    after: DocumentState | None = None
    reason: Reason | None = None
    verdicts: Mapping[str, int] = field(default_factory=dict)
    why: str | None = None
