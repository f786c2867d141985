"""How each command ends, for the shell: one table of codes, one order where several fit.

Design section 8. Other programs branch on these numbers; a change here is a change of interface.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import IntEnum
from typing import Final

from reconciler.batch_values import Head, Outcome, Result
from reconciler.duplicates import Duplicates
from reconciler.errors import ReconcilerError, StaleEvidence
from reconciler.lifecycle import shown_next
from reconciler.model import DocumentState, NextAction, Reason
from reconciler.ports import View
from reconciler.resolve import Resolved
from reconciler.signature import is_unsettled
from reconciler.sweep import Swept


class ExitCode(IntEnum):
    """*Closed.*"""

    DONE = 0  # or nothing to do
    ERROR = 1  # unknown id, too late, refused plan
    CHANGES_PLANNED = 2  # only where it was asked for
    NEEDS_A_PERSON = 3  # done, but something waits for a decision
    ENDED_SHORT = 4  # ended partly, failed, cancelled or stale
    RUN_AGAIN = 5  # withheld, waiting or held by another worker
    USAGE = 64  # the command line makes no sense
    INTERRUPTED = 130
    TERMINATED = 143


PRECEDENCE: Final = (
    ExitCode.USAGE,
    ExitCode.ERROR,
    ExitCode.ENDED_SHORT,
    ExitCode.NEEDS_A_PERSON,
    ExitCode.RUN_AGAIN,
    ExitCode.CHANGES_PLANNED,
    ExitCode.DONE,
)

OF_STATE: Final = {
    DocumentState.DRAFT: ExitCode.DONE,
    DocumentState.QUEUED: ExitCode.RUN_AGAIN,
    DocumentState.PUBLISHING: ExitCode.RUN_AGAIN,
    DocumentState.PUBLISHED: ExitCode.DONE,
    DocumentState.PARTLY_PUBLISHED: ExitCode.ENDED_SHORT,
    DocumentState.FAILED: ExitCode.ENDED_SHORT,
    DocumentState.CANCELLED: ExitCode.ENDED_SHORT,
    DocumentState.HELD: ExitCode.NEEDS_A_PERSON,
}

NO_ANSWER: Final = frozenset(
    {Reason.LISTING_INCOMPLETE, Reason.THROTTLED, Reason.ACCESS, Reason.CLOCK}
)
"""Reasons for which a look that was due said nothing. `too_soon` is an answer: not yet."""


def first_that_fits(codes: Iterable[ExitCode]) -> ExitCode:
    """The one that is told where several fit; `DONE` where none was given."""
    given = set(codes)
    return next((code for code in PRECEDENCE if code in given), ExitCode.DONE)


def after_publish(view: View) -> ExitCode:
    """Whether the document got where `publish` wants it."""
    return first_that_fits({OF_STATE[view.document.state], _of_next(view)})


def after_recover(
    view: View, *, withheld: Reason | None = None, held_by_another: bool = False
) -> ExitCode:
    """Whether anything is left to find out. A settled document that waits for `publish` is done."""
    document = view.document
    is_settled = document.state is DocumentState.QUEUED and not is_unsettled(document, view.now)
    codes = {ExitCode.DONE if is_settled else OF_STATE[document.state], _of_next(view)}
    if withheld is not None or held_by_another:
        codes.add(_of_reason(withheld))
    return first_that_fits(codes)


def after_show(*, withheld: Reason | None = None, held_by_another: bool = False) -> ExitCode:
    """Reading is done whatever it showed, unless a look that was due had no answer."""
    no_answer = held_by_another or withheld in NO_ANSWER
    return ExitCode.RUN_AGAIN if no_answer else ExitCode.DONE


def after_cancel(view: View) -> ExitCode:
    """Cancelled, or recorded and honoured when the attempt under way ends."""
    is_done = view.document.state is DocumentState.CANCELLED
    return ExitCode.DONE if is_done else ExitCode.RUN_AGAIN


def after_sweep(swept: Swept) -> ExitCode:
    """Whether the pass did all that was due, and left nothing for a person that was not there."""
    codes = {ExitCode.ERROR} if swept.errors else set()
    if swept.held_by_another:
        codes.add(ExitCode.RUN_AGAIN)
    for visit in swept.visits:
        if visit.new_surplus or (visit.after is DocumentState.HELD is not visit.before):
            codes.add(ExitCode.NEEDS_A_PERSON)
        if visit.held_by_another or visit.withheld in NO_ANSWER:
            codes.add(ExitCode.RUN_AGAIN)
    return first_that_fits(codes)


def after_batch_plan(head: Head, *, detailed: bool) -> ExitCode:
    """Whether all could be judged; `detailed` also tells that something would change."""
    codes = {ExitCode.RUN_AGAIN} if NO_ANSWER & {Reason(one) for one in head.reasons} else set()
    if head.moved:
        codes.add(ExitCode.RUN_AGAIN)
    if detailed and head.changes:
        codes.add(ExitCode.CHANGES_PLANNED)
    return first_that_fits(codes)


def of_outcome(outcome: Outcome) -> Iterator[ExitCode]:
    """What one document of a batch says of its end."""
    if outcome.result in OF_RESULT:
        yield OF_RESULT[outcome.result]
    if outcome.result is Result.CHANGED and outcome.after is DocumentState.HELD:
        yield ExitCode.NEEDS_A_PERSON
    if outcome.result is Result.NOTHING and outcome.reason in NO_ANSWER:
        yield ExitCode.RUN_AGAIN


OF_RESULT: Final = {Result.STALE: ExitCode.ENDED_SHORT, Result.ERROR: ExitCode.ERROR}
"""The other results are done, as far as these go."""


def after_import(refused_lines: int) -> ExitCode:
    """Whether every line was taken."""
    return ExitCode.ENDED_SHORT if refused_lines else ExitCode.DONE


def after_resolve(resolved: Resolved) -> ExitCode:
    """Decided, or decided before; what else the document waits for, its next action tells."""
    undecided = resolved.held_by_another or resolved.withheld is not None
    return ExitCode.RUN_AGAIN if undecided else ExitCode.DONE


def after_decisions(results: Iterable[str]) -> ExitCode:
    """Of a file of decisions: some could not be done, or not yet."""
    return first_that_fits(OF_DECISION.get(result, ExitCode.DONE) for result in results)


OF_DECISION: Final = {
    "refused": ExitCode.ENDED_SHORT,
    "stale": ExitCode.ENDED_SHORT,
    "error": ExitCode.ERROR,
    "withheld": ExitCode.RUN_AGAIN,
    "held_by_another": ExitCode.RUN_AGAIN,
}
"""By what came of its line; the rest is done."""


def after_duplicates(found: Duplicates) -> ExitCode:
    """Something of ours is too many: a person's. Look-alikes alone are nobody's business here."""
    codes = {ExitCode.RUN_AGAIN} if found.incomplete else set()
    if any(len(group.ours) > group.wanted for group in found.groups):
        codes.add(ExitCode.NEEDS_A_PERSON)
    return first_that_fits(codes)


def after_error(error: ReconcilerError) -> ExitCode:
    """What moved since it was looked at is stale; any other error is one."""
    return ExitCode.ENDED_SHORT if isinstance(error, StaleEvidence) else ExitCode.ERROR


def after_doctor(checks_passed: bool) -> ExitCode:
    """A check that failed is an error: what it found must be mended before the promise holds."""
    return ExitCode.DONE if checks_passed else ExitCode.ERROR


def _of_next(view: View) -> ExitCode:
    """Surplus that nobody has seen yet needs a person in every state."""
    action = shown_next(view.document, view.account, view.now).action
    needs_a_person = action in (NextAction.DECIDE, NextAction.RAISE_LIMIT)
    return ExitCode.NEEDS_A_PERSON if needs_a_person else ExitCode.DONE


def _of_reason(withheld: Reason | None) -> ExitCode:
    standing = withheld is not None and not withheld.is_passing
    return ExitCode.NEEDS_A_PERSON if standing else ExitCode.RUN_AGAIN
