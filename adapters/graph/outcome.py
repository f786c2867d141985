"""The outcome table: what each error code and network event says about one create.

One line per row of the facts sheet, 2B (E01 to E39) and 2C (N01 to N05), read from top to bottom;
the first that matches wins and `DEFAULT`, unknown, stands below all. What the sheet calls MAYBE and
every throttle (its NO* too: facts 2.10) is `unknown`; `rejected` is left for the NO rows about the
input. A line that closes the question never matches a reply that calls itself transient or is a
5xx (E06): such a reply takes back what its code says. Listings use the same table; for them only
`again` matters.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import Final

from reconciler.call_outcome import Again
from reconciler.model import Outcome

from .fault import Fault


class Event(StrEnum):
    """What became of a request that no error code tells about: facts 2C."""

    NEVER_LEFT = "never left"
    NO_CLEAR_ANSWER = "no clear answer"
    REFUSED_STREAM = "refused stream"
    WORKER_DIED = "worker died"
    CREATED = "created"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line. A condition that is None asks nothing; `either` fits as code or as subcode."""

    number: str = field(kw_only=False)
    outcome: Outcome
    again: Again
    code: Container[int] | None = None
    subcode: Container[int] | None = None
    either: Container[int] | None = None
    status: Container[int] | None = None
    words: str | None = None
    is_transient: bool = False
    event: Event | None = None

    def fits(self, fault: Fault) -> bool:
        """Whether this line speaks about that reply."""
        if fault.is_transient and self.outcome is not Outcome.UNKNOWN:
            return False
        return self.event is None and all(self._conditions(fault))

    def _conditions(self, fault: Fault) -> tuple[bool, ...]:
        return (
            self.code is None or _is_in(self.code, fault.code),
            self.subcode is None or _is_in(self.subcode, fault.subcode),
            self.either is None or _is_either(fault, self.either),
            self.status is None or _is_in(self.status, fault.status),
            self.words is None or self.words in fault.message,
            not self.is_transient or fault.is_transient,
        )


def _is_in(numbers: Container[int], number: int | None) -> bool:
    """A missing number is in no set. (A range asked for None would be searched to its end.)"""
    return number is not None and number in numbers


def _is_either(fault: Fault, numbers: Container[int]) -> bool:
    """A subcode without a code says nothing."""
    is_readable = fault.code is not None
    return is_readable and (_is_in(numbers, fault.code) or _is_in(numbers, fault.subcode))


_unknown = partial(Line, outcome=Outcome.UNKNOWN, again=Again.BACKOFF)
_throttle = partial(Line, outcome=Outcome.UNKNOWN, again=Again.THROTTLED)
_access = partial(Line, outcome=Outcome.REFUSED_ACCESS, again=Again.ACCESS)
_rejected = partial(Line, outcome=Outcome.REJECTED, again=Again.NEVER)
_not_sent = partial(Line, outcome=Outcome.NOT_SENT, again=Again.NOW)


REPLIES: Final = (
    # --- trouble on the far side: the object may have been made -----------------------------------
    # Meant for GET (facts 1.13), where paging shrinks the page. The one message that is matched on:
    # nothing else tells it from E01. On a create it says as little as any 500.
    _unknown("E03", code={1}, words="reduce the amount of data"),
    _unknown("E02", code={1}, subcode={99}),
    _unknown("E01", code={1}),
    _unknown("E04", code={2}),
    _unknown("E05", code=range(-(2**31), 0)),
    _unknown("E07", code={960}),
    # "Incorrect signature" to one source, a reset connection to another: not proven, so unknown.
    _unknown("E08", code={104}),
    _unknown("E09", code={3910001}),
    _unknown("E10", code={100}, subcode={1487390}),
    _unknown("E38", code={803}),
    _unknown("E39", code={2642}),
    # --- throttles: nothing promises that a throttled write was not carried out (facts 2.10) ------
    _throttle("E11", code={4}),
    # E13 and E18 are limits on changes, not on creates, and end by themselves (next day, an hour):
    # the input need not change, so they are throttles although the sheet says NO.
    _throttle("E13", code={17}, subcode={1885172}),
    _throttle("E12", code={17}),
    _throttle("E14", code={32}),
    _throttle("E15", code={341}),
    _throttle("E17", code={613}, subcode={1487742}),
    _throttle("E18", code={613}, subcode={1487632}),
    _throttle("E20", code={613}, subcode={5044001}),
    # --- token, permission, policy, account limit -------------------------------------------------
    # Both say "stop", not "wait": only a person or the account's own cap ends them.
    _access("E19", code={613}, subcode={1487225}),
    _access("E21", code={613}, subcode={1996}),
    _throttle("E16", code={613}),  # below its subcodes
    _throttle("E22", code=range(80000, 80015)),
    _access("E23", code={190}),
    _access("E24", code={102}),
    _access("E25", code={3, 10, *range(200, 300)}),
    _access("E26", either={368, 2859015, 1404078}),
    # Three causes in one, lost access among them: never read as deleted (facts 7.12).
    _access("E29", code={100}, subcode={33}),
    _access("E35", either={2446867}),
    # --- the input --------------------------------------------------------------------------------
    _rejected("E27", code={506}),
    _rejected("E30", code={100}, subcode={1885183}),
    _rejected("E31", code={100}, subcode={1885194}),
    _rejected("E32", code={100}, subcode={2446289, 1885557, 2490155}),
    _rejected("E33", either={1487901, 1885272, 1885650}),
    _rejected("E34", either={1487056, 1487862, 1885088}),
    _rejected("E36", code={2500}),
    _rejected("E37", code={194}),
    # Rests on our never sending `fields` with a create: facts 2.12. `form` refuses it.
    _rejected("E28", code={100}),
    # --- no code that we know ---------------------------------------------------------------------
    _throttle("N02", status={429}),  # not seen from Meta; what any edge proxy says
    _unknown("E06", is_transient=True),
)
"""Replies that bear an error, or no id."""

APP_WIDE: Final = frozenset({"E11", "E15"})
"""Throttles of the whole app, not of one account: they close every account of the token."""

DEFAULT: Final = _unknown("N02", event=Event.NO_CLEAR_ANSWER)
"""Codes nobody listed, 3xx, HTML, null, an empty body, a reply without an id; every exception."""

EVENTS: Final = (
    # Nothing left us: resolving, connecting, the TLS handshake, waiting for a connection.
    _not_sent("N01", event=Event.NEVER_LEFT),
    DEFAULT,
    # HTTP/2 only, which we do not speak; here so that the table is whole.
    _not_sent("N03", event=Event.REFUSED_STREAM),
    # Nobody is left to record it: a call without an end counts as sent (design, section 4).
    _unknown("N04", event=Event.WORKER_DIED),
    Line("N05", outcome=Outcome.CREATED, again=Again.NEVER, event=Event.CREATED),
)
"""What happened to a request of which no reply tells."""


def line_of(fault: Fault) -> Line:
    """The first line that fits a reply, else `DEFAULT`."""
    return next((line for line in REPLIES if line.fits(fault)), DEFAULT)


def line_of_event(event: Event) -> Line:
    """The line of a network event. Every event has one."""
    return next(line for line in EVENTS if line.event is event)
