"""Why an attempt ends where it does, and how that is called."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from .look import Look
from .model import AttemptOutcome, Document, Outcome
from .next_wave import next_wave, only_unreachable_left
from .outside import Outside
from .ports import View
from .signature import needs_settling
from .wave import Sent, Stop


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """Why the attempt ends here. `stop` None: nothing is left to send."""

    outcome: AttemptOutcome
    error: str | None = None
    stop: Stop | None = None
    wait: timedelta | None = None  # what a throttle asked for
    look: Look | None = None
    put_off: bool = False  # by the backoff


UNREACHED: Final = "nothing could be sent: the API was not reached"
TOO_SHORT: Final = (
    "nothing could be sent: too little of the lease was left for a call; "
    "lengthen RECONCILER_LEASE_SECONDS"
)


def reason_to_stop(view: View, outside: Outside) -> Ending | None:
    """After a cancel, at an account that was paused or found closed, or on the way out."""
    if view.document.cancel_requested:
        return Ending(outcome=AttemptOutcome.CANCELLED, stop=Stop.CANCEL)
    if not view.account.may_create(outside.graph.token_print(view.account.id), view.now):
        return Ending(outcome=AttemptOutcome.HANDED_BACK, stop=Stop.CLOSED)
    if outside.stopping():
        return Ending(outcome=AttemptOutcome.HANDED_BACK, stop=Stop.SHUTDOWN)
    return None


def nothing_left(document: Document, outside: Outside) -> Ending:
    """Every item that could be sent was answered, or was tried as often as one attempt may."""
    if only_unreachable_left(document, outside.limits):
        return Ending(outcome=AttemptOutcome.HANDED_BACK, error=UNREACHED, put_off=True)
    return Ending(outcome=AttemptOutcome.SUCCEEDED)


def stopped(document: Document, sent: Sent, outside: Outside) -> Ending:
    """What was met with the last answer closes the account all the same; it hands nothing back."""
    if sent.stop is Stop.LEASE:
        return out_of_lease(document)
    outcome = AttemptOutcome.HANDED_BACK
    if sent.stop is Stop.UNSAVED:
        outcome = AttemptOutcome.ERROR
    elif not (is_unsettled(document) or next_wave(document, outside.limits)):
        outcome = nothing_left(document, outside).outcome
    return Ending(outcome=outcome, error=sent.error, stop=sent.stop, wait=sent.wait)


def out_of_lease(document: Document) -> Ending:
    """At once again where something was sent; where nothing was, it would be a hot loop."""
    if _sent_something(document):
        return Ending(outcome=AttemptOutcome.HANDED_BACK, stop=Stop.LEASE)
    return Ending(
        outcome=AttemptOutcome.HANDED_BACK, error=TOO_SHORT, stop=Stop.LEASE, put_off=True
    )


def _sent_something(document: Document) -> bool:
    attempt = document.attempts[-1].number
    return any(
        call.attempt == attempt and call.outcome is not Outcome.NOT_SENT
        for item in document.items
        if item.intent is not None
        for call in item.intent.calls
    )


def is_unsettled(document: Document) -> bool:
    """Whether anything of it has to be settled before more may be made."""
    return any(needs_settling(item) for item in document.items)
