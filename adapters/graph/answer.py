"""Turns what came back for a create into the core's `Answer`: an id, or a line of the table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from reconciler.call_outcome import Again, Answer
from reconciler.model import CallError, Outcome

from .fault import Fault, read_fault
from .outcome import DEFAULT, Event, Line, line_of, line_of_event
from .reply import NoReply, Reply
from .text import id_text, visible_text
from .throttle import wait_asked

MESSAGE_LENGTH_MAX: Final = 300

Redact = Callable[[str], str]


def answer_to_create(back: Reply | NoReply, redact: Redact) -> Answer:
    """The table applied. `created` only for a 2xx whose body is an object with an id, no error."""
    if isinstance(back, NoReply):
        event = Event.NEVER_LEFT if back.never_left else Event.NO_CLEAR_ANSWER
        return _answer(line_of_event(event), CallErrorOf(redact).no_reply(event, back))
    external_id = created_id(back)
    if external_id is not None:
        return Answer(outcome=Outcome.CREATED, external_id=external_id)
    fault = read_fault(back)
    line = DEFAULT if _speaks_of_an_id(back.json()) else line_of(fault)
    wait = wait_asked(back.headers) if line.again is Again.THROTTLED else None
    error = CallErrorOf(redact).fault(line, fault, back)
    return Answer(outcome=line.outcome, again=line.again, error=error, wait=wait)


def created_id(reply: Reply) -> str | None:
    """The id that proves the create (N05), digits as text; None for everything else."""
    content = reply.json()
    if not 200 <= reply.status < 300 or not isinstance(content, dict):
        return None
    if content.get("error") is not None or content.get("success") is False:
        return None
    return id_text(content.get("id"))


def short(text: str, redact: Redact) -> str:
    """Redacted first, then cut: a cut secret would no longer be recognised. Fit to be stored."""
    clean = " ".join(visible_text(redact(text)).split())
    return clean[:MESSAGE_LENGTH_MAX]


class CallErrorOf:
    """Builds the redacted account of what went wrong."""

    def __init__(self, redact: Redact) -> None:
        self._redact = redact

    def fault(self, line: Line, fault: Fault, reply: Reply) -> CallError:
        """Of a reply; where the API gives no message, the beginning of the body speaks for it."""
        said = ". ".join(text for text in (fault.message, fault.explanation) if text)
        text = said or f"HTTP {fault.status}: {reply.body[:1000].decode('utf-8', 'replace')}"
        return CallError(
            row=line.number,
            message=short(text, self._redact),
            http_status=fault.status,
            code=fault.code,
            subcode=fault.subcode,
            trace_id=short(fault.trace_id, self._redact) if fault.trace_id else None,
        )

    def no_reply(self, event: Event, back: NoReply) -> CallError:
        """Of a network event."""
        line = line_of_event(event)
        return CallError(row=line.number, message=short(back.message, self._redact))


def _answer(line: Line, error: CallError) -> Answer:
    return Answer(outcome=line.outcome, again=line.again, error=error)


def _speaks_of_an_id(content: Any) -> bool:
    """An error beside an id contradicts itself: the object may be there, so nothing is closed."""
    return isinstance(content, dict) and content.get("id") is not None
