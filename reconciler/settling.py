"""Says when an unanswered call can no longer matter, and when to look (design, section 5).

Everything follows from one time per call, its *bound*: the ledger time at which its end was
recorded or, while none is, the last lease granted to its attempt. No request lands later than
`late_landing` after it (A3), and what landed is listed within `listing_lag` (A4). Times are the
ledger's; of every duration the larger of the stored and the current one counts, so that neither
an older worker's setting nor a new one can shorten a wait.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from .listing import Listing, Statuses
from .model import Attempt, Call, Document, Intent, Item, Kind, Outcome, Timings

CREATED_TIME_STEP: Final = timedelta(seconds=1)
"""Creation times come in whole seconds (facts 5.10): a truncated one may read a second early."""

Window = tuple[tuple[datetime, datetime], ...]
"""Pairs of first and last moment, both inside, in the order of the attempts."""


def bound(call: Call, attempts: Iterable[Attempt]) -> datetime:
    """The time from which waiting for this call counts. A settle lease never touches it."""
    return call.ended_at or _attempt_of(call, attempts).lease_until


def settle_at(intent: Intent, attempts: Iterable[Attempt], current: Timings) -> datetime | None:
    """From this time on a complete listing shows whatever the intent's calls made.

    None: every call was answered finally, there is nothing to wait for. What became of it then
    follows from the answers.
    """
    attempts = tuple(attempts)
    return max((_settled(call, attempts, current) for call in unanswered(intent)), default=None)


def answers_show_from(
    intent: Intent, attempts: Iterable[Attempt], current: Timings
) -> datetime | None:
    """From this time on a complete listing shows what an answer named: A4. None: no call is known.

    What was answered has landed, so unlike `settle_at` this waits for no late landing.
    """
    attempts = tuple(attempts)
    lags = (
        bound(call, attempts)
        + max(_attempt_of(call, attempts).timings.listing_lag, current.listing_lag)
        for call in intent.calls
    )
    return max(lags, default=None)


def unanswered(intent: Intent) -> tuple[Call, ...]:
    """The calls whose answer left something to find out: unknown, refused access, or no end."""
    return tuple(call for call in intent.calls if not call.is_final)


def is_absence_proof(intent: Intent) -> bool:
    """Whether what no listing shows of it was not made for certain.

    By the mark, which the row would bear, or since every call was answered. By name and time it is
    strong, not proof: a row that was renamed or moved before the look does not fit.
    """
    return intent.mark is not None or not unanswered(intent)


def window(intent: Intent, attempts: Iterable[Attempt], current: Timings) -> Window:
    """When an entity of this intent can have been created, by the API's clock.

    One pair for each attempt that sent a call of it: a crash long after the first attempt must not
    open the time between the two to other people's entities. What never left us opens nothing.
    """
    sent = [call for call in intent.calls if call.outcome is not Outcome.NOT_SENT]
    numbers = {call.attempt for call in sent}
    return tuple(
        _span(attempt, [call for call in sent if call.attempt == attempt.number], current)
        for attempt in sorted(attempts, key=lambda attempt: attempt.number)
        if attempt.number in numbers
    )


def next_look(
    items: Iterable[Item], attempts: Iterable[Attempt], after: datetime, current: Timings
) -> datetime | None:
    """When to look next at these pending items, given that the last look began at `after`.

    The first of bound, bound + `listing_lag` and `settle_at` that lies later. None: all three are
    over for every item; a passing reason is then looked at again by the common backoff.
    """
    attempts = tuple(attempts)
    looks = (
        look
        for item in items
        if item.intent is not None
        for look in _looks(item.intent, attempts, current)
    )
    return min((look for look in looks if look > after), default=None)


def owed_look_from(document: Document, current: Timings) -> datetime | None:
    """The time after which the document owes one complete listing (section 5, point 8).

    None: it never had a call whose answer left something to find out.
    """
    intents = (item.intent for item in document.items if item.intent is not None)
    times = (settle_at(intent, document.attempts, current) for intent in intents)
    return max((time for time in times if time is not None), default=None)


def may_say_absent(first: Listing, second: Listing, settled: datetime | None) -> bool:
    """Whether two complete walks together may show that nothing was made (section 5, point 5).

    Both begun once everything shows, the second begun after the first ended, so that no entity can
    move behind both cursors. `settled` is the intent's `settle_at`. At `settle_at` itself
    everything shows already: A3 and A4 say "within".
    """
    return (
        _same_children(first, second)
        and shows_everything(first, settled)
        and _asked_without_filter(second)
        and second.started_at >= first.ended_at
    )


def shows_everything(listing: Listing, settled: datetime | None) -> bool:
    """Whether whatever an intent's calls made stands in this listing, archived or not.

    `settled` is the intent's `settle_at`. Creatives know no status filter.
    """
    asked = listing.request.statuses is Statuses.EVERY_STATUS
    return (asked or listing.request.kind is Kind.ADCREATIVE) and _began_settled(listing, settled)


def is_overdue_passing(now: datetime, settled: datetime | None, passing_max: timedelta) -> bool:
    """Whether a reason that ought to pass lasted too long after `settle_at`: a person's turn.

    Never where nothing is waited for (`settled` None).
    """
    return settled is not None and now >= settled + passing_max


def _attempt_of(call: Call, attempts: Iterable[Attempt]) -> Attempt:
    found = [attempt for attempt in attempts if attempt.number == call.attempt]
    assert found, f"call {call.number} belongs to attempt {call.attempt}, which the ledger lost"
    return found[0]


def _settled(call: Call, attempts: tuple[Attempt, ...], current: Timings) -> datetime:
    stored = _attempt_of(call, attempts).timings
    late_landing = max(stored.late_landing, current.late_landing)
    return bound(call, attempts) + late_landing + max(stored.listing_lag, current.listing_lag)


def _span(attempt: Attempt, calls: list[Call], current: Timings) -> tuple[datetime, datetime]:
    skew = max(attempt.timings.clock_skew, current.clock_skew) + CREATED_TIME_STEP
    late_landing = max(attempt.timings.late_landing, current.late_landing)
    last = max(bound(call, (attempt,)) for call in calls)
    return attempt.started_at - skew, last + late_landing + skew


def _looks(intent: Intent, attempts: tuple[Attempt, ...], current: Timings) -> list[datetime]:
    """The three looks of the call that settles last: earlier calls settle on the way."""
    if not (calls := unanswered(intent)):
        return []
    last = max(calls, key=lambda call: _settled(call, attempts, current))
    stored = _attempt_of(last, attempts).timings
    at = bound(last, attempts)
    lag = max(stored.listing_lag, current.listing_lag)
    return [at, at + lag, _settled(last, attempts, current)]


def _same_children(first: Listing, second: Listing) -> bool:
    one, other = first.request, second.request
    same_place = (one.account_id, one.container) == (other.account_id, other.container)
    return same_place and one.kind is other.kind


def _asked_without_filter(listing: Listing) -> bool:
    nothing_to_filter = listing.request.kind is Kind.ADCREATIVE
    return nothing_to_filter or listing.request.statuses is Statuses.NO_FILTER


def _began_settled(listing: Listing, settled: datetime | None) -> bool:
    return settled is None or listing.started_at >= settled
