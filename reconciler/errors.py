"""Everything this product raises on purpose, one tree.

ReconcilerError              `code` for programs, the message for people, `next_step`: what to do
  InvalidSettings            refused at start
  InvalidPlan                carries every error of the plan at once
  InvalidImport              a source of old documents that cannot be read at all
  UnknownDocument            no such id
  WrongState                 a person asked for what the state does not allow ("too late")
  UnknownItem                the document has no such item
  Refused                    one create was refused for good: the input must change
  AlreadyMade                the item exists; carries its external id
  NotSettled                 what became of it is not known yet, or a person must decide
  DecisionRefused            what a person decided cannot be done, or would break the promise
    StaleEvidence            what the person looked at is not what stands any more
  PlanRefused                a plan of a batch is too old, altered, or too bold
  UnknownRun                 no batch of this id changed anything
  UnknownKey                 no such key of the HTTP service
  LedgerUnavailable          the database cannot be reached or used
    LedgerForbidden          its user lacks a right, which does not pass by itself
    WrongSchema              migrate first
    ForeignLedger            a restored or cloned database, or one of another GRAPH_URL
    BindingTaken             an external id is bound to another intent already
    CommitUnknown            the acknowledgement of a commit was lost; read again

What the API answers is never an exception: it is an `Answer` or a listing that is incomplete.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar


class ReconcilerError(Exception):
    """The root of the tree."""

    code: ClassVar[str] = "error"

    def __init__(self, message: str, *, next_step: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.next_step = next_step


class InvalidSettings(ReconcilerError):
    """A setting, or two together, cannot keep the promise."""

    code = "invalid_settings"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanError:
    """One thing wrong in a plan: where, what, and what to write instead."""

    item: str | None  # the item's key, or its place such as "items[3]"; None for the top
    field: str
    problem: str
    instead: str


class InvalidPlan(ReconcilerError):
    """A plan cannot be accepted; nothing was stored."""

    code = "invalid_plan"

    def __init__(self, errors: tuple[PlanError, ...], *, source: str = "plan") -> None:
        self.errors = errors
        self.source = source
        lines = [_line(source, error) for error in errors]
        super().__init__("\n".join(lines), next_step="mend the plan and submit it again")


class InvalidImport(ReconcilerError):
    """What is to be imported cannot be read at all; a bad line of it is refused by itself."""

    code = "invalid_import"


class UnknownDocument(ReconcilerError):
    """No document has this id."""

    code = "unknown_document"


class WrongState(ReconcilerError):
    """The document's state does not allow what was asked."""

    code = "wrong_state"


class UnknownItem(ReconcilerError):
    """The document has no item of this key."""

    code = "unknown_item"


class Refused(ReconcilerError):
    """The API refused this input and made nothing. Raised by a program's `send`, and to it.

    Only for what is certain: after a timeout, a broken connection or a 5xx nobody knows (A8).
    """

    code = "refused"


class AlreadyMade(ReconcilerError):
    """The item exists outside: there is nothing to send."""

    code = "already_made"

    def __init__(self, external_id: str) -> None:
        super().__init__(f"it exists already: {external_id}", next_step="nothing; use its id")
        self.external_id = external_id


class NotSettled(ReconcilerError):
    """Nothing may be sent now. `until` is when to ask again, which may be at once.

    None where only a person can go on: `why` says what is in the way.
    """

    code = "not_settled"

    def __init__(self, why: str, *, until: datetime | None = None, next_step: str = "") -> None:
        super().__init__(why, next_step=next_step)
        self.why = why
        self.until = until


class DecisionRefused(ReconcilerError):
    """A person's decision is malformed, or what is listed speaks against it; nothing changed."""

    code = "decision_refused"


class StaleEvidence(DecisionRefused):
    """What was decided on has moved; nothing changed. Look at it again, and decide on that."""

    code = "stale_evidence"


class PlanRefused(ReconcilerError):
    """A plan of a batch is not carried out; nothing changed."""

    code = "plan_refused"


class UnknownRun(ReconcilerError):
    """No batch of this id changed anything in this ledger."""

    code = "unknown_run"


class UnknownKey(ReconcilerError):
    """No key of the HTTP service has this id and may still be revoked."""

    code = "unknown_key"


class LedgerUnavailable(ReconcilerError):
    """The ledger cannot be used now. Nothing was changed by the refused transaction."""

    code = "ledger_unavailable"


class LedgerForbidden(LedgerUnavailable):
    """The database user may not do what the ledger needs; waiting does not help."""


class WrongSchema(LedgerUnavailable):
    """The database's schema is missing, older or newer than this program."""

    code = "wrong_schema"


class ForeignLedger(LedgerUnavailable):
    """The database is a copy, or belongs to another GRAPH_URL: creates nothing until accepted."""

    code = "foreign_ledger"


class BindingTaken(LedgerUnavailable):
    """The unique binding refused a second intent for one external id; all was rolled back."""

    code = "binding_taken"

    def __init__(self, external_id: str, *, next_step: str = "") -> None:
        super().__init__(f"{external_id} is bound to another intent already", next_step=next_step)
        self.external_id = external_id


class CommitUnknown(LedgerUnavailable):
    """The commit's acknowledgement was lost: it may or may not be durable. Read again."""

    code = "commit_unknown"


def _line(source: str, error: PlanError) -> str:
    where = f"{source}: item {error.item}" if error.item else source
    return f"{where}: {error.field}: {error.problem}; {error.instead}"
