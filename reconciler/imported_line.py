"""Reads one line of documents from elsewhere: a decoded object to a `Line`, all its faults at once.

Nothing is mended by a guess: a missing list is not an empty one, and an unreadable time is none.
Keys that mean nothing here are passed over, for such lines come out of other people's tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from .complaints import Complaints, shown
from .imported_part import Part, read_part
from .imported_times import FIELDS, Times, read_times
from .plan_values import read_account_id

KEYS: Final = frozenset(
    {"document_id", "account_id", "container", "kind", "names", "recorded", *FIELDS}
)
DOCUMENT_ID_LENGTH_MAX: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One accepted line; adjacent ones of one document are its parts."""

    document_id: str
    account_id: str
    times: Times
    part: Part

    @property
    def is_begun(self) -> bool:
        """Whether anything can have been sent."""
        times = self.times
        began = times.publish_started_at or times.publish_finished_at
        return began is not None or any(self.part.external_ids)


def document_id_of(value: object) -> str | None:
    """The id by which a line belongs to a document; None where it says none that can be used."""
    if not isinstance(value, Mapping):
        return None
    return _document_id(value.get("document_id"))


def read_line(value: object, now: datetime, complaints: Complaints) -> Line | None:
    """The line; None, and everything that is wrong with it, where it cannot be accepted.

    `now` is the ledger's: nothing that a line tells of can lie ahead of it.
    """
    if not isinstance(value, Mapping):
        complaints.say("line", f"is {shown(value)}, no object", "write one JSON object a line")
        return None
    before = len(complaints.errors)
    document_id = _read_document_id(value, complaints)
    account_id = read_account_id(value.get("account_id"), "account_id", complaints)
    part = read_part(value, account_id, complaints)
    times = read_times(value, now, complaints)
    if document_id is None or account_id is None or part is None or times is None:
        return None
    line = Line(document_id=document_id, account_id=account_id, times=times, part=part)
    _refuse_a_life_unseen(line, complaints)
    return line if len(complaints.errors) == before else None


def _refuse_a_life_unseen(line: Line, complaints: Complaints) -> None:
    """Begun and not ended, and nothing says when its worker was last there."""
    times = line.times
    if not line.is_begun or times.publish_finished_at or times.worker_gone_at or times.seen_at:
        return
    problem = "is missing, though ids are recorded: nothing says when its worker was last there"
    complaints.say("publish_started_at", problem, "write it, or last_seen_at, or worker_gone_at")


def _read_document_id(value: Mapping[str, object], complaints: Complaints) -> str | None:
    written = value.get("document_id")
    document_id = _document_id(written)
    if document_id is None:
        instead = f"write 1 to {DOCUMENT_ID_LENGTH_MAX} printable characters, or an integer"
        complaints.say("document_id", f"is {shown(written)}, no id", instead)
    return document_id


def _document_id(value: object) -> str | None:
    is_number = isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**40
    text = str(value) if is_number else value
    if not isinstance(text, str) or not 1 <= len(text) <= DOCUMENT_ID_LENGTH_MAX:
        return None
    return text if text.isprintable() and text.strip() == text else None
