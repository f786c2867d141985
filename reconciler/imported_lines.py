"""From the lines of a source to records: adjacent lines of one document together, bad ones refused.

A document is taken whole or not at all: one refused line refuses the others of it. Memory follows
the lines of one document, which are never more than `LINES_MAX`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from .complaints import Complaints, plain
from .errors import PlanError
from .imported import Record, record_of
from .imported_line import KEYS, Line, document_id_of, read_line
from .model import Kind
from .plan_top import ITEMS_MAX

LINES_MAX: Final = ITEMS_MAX
CHARACTERS_MAX: Final = 16_000_000
IGNORED_KEYS_MAX: Final = 50
"""Different keys that are counted; a table has fewer columns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RawLine:
    """One line as it was written: its number, its text, and its decoded value or why there is none.

    `fault` is what is wrong with the text and what to write instead; None where it was decoded.
    """

    number: int
    text: str
    value: object = None
    fault: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """One thing wrong with one line, and what to write instead. `text` is the line."""

    line: int
    document_id: str | None
    field: str
    reason: str
    text: str = ""


@dataclass(slots=True)
class Reading:
    """Reads lines on; `ignored` counts the keys that were passed over."""

    now: datetime
    ignored: Counter[str] = field(default_factory=Counter)

    def records(self, lines: Iterable[RawLine]) -> Iterator[Group]:
        """One group for each document, in the order of the lines."""
        waiting: list[RawLine] = []
        the_id: str | None = None
        too_many = False
        for raw in lines:
            its_id = document_id_of(raw.value)
            is_another = its_id is None or its_id != the_id
            if waiting and (is_another or _is_full(waiting)):
                too_many = not is_another
                yield self._group(waiting, too_many=too_many)
                waiting = []
            elif is_another:
                too_many = False
            the_id = its_id
            waiting.append(raw)
            if too_many:
                yield self._group(waiting, too_many=True)
                waiting = []
        if waiting:
            yield self._group(waiting, too_many=False)

    def _group(self, raws: list[RawLine], *, too_many: bool) -> Group:
        read = [self._read(raw) for raw in raws]
        lines = tuple(line for line, _ in read if line is not None)
        errors = [
            (raw, error) for raw, (_, errors) in zip(raws, read, strict=True) for error in errors
        ]
        if too_many:
            errors.append((raws[0], _error("line", *TOO_MANY_LINES)))
        if not errors:
            errors = [(raws[at], error) for at, error in _disagreements(lines)]
        if errors:
            return Group(raws=tuple(raws), refused=tuple(_refused(raws, errors)))
        return Group(raws=tuple(raws), record=record_of(raws[0].number, lines))

    def _read(self, raw: RawLine) -> tuple[Line | None, list[PlanError]]:
        if raw.fault is not None:
            return None, [_error("line", *raw.fault)]
        self._count_ignored(raw.value)
        complaints = Complaints()
        return read_line(raw.value, self.now, complaints), complaints.errors

    def _count_ignored(self, value: object) -> None:
        for key in value.keys() - KEYS if isinstance(value, dict) else ():
            if key in self.ignored or len(self.ignored) < IGNORED_KEYS_MAX:
                self.ignored[key] += 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The adjacent lines of one document: a record, or why there is none."""

    raws: tuple[RawLine, ...]
    record: Record | None = None
    refused: tuple[Refused, ...] = ()

    @property
    def characters(self) -> int:
        """What it weighs."""
        return sum(len(raw.text) for raw in self.raws)

    def refuse(self, at: str, problem: str, instead: str) -> tuple[Refused, ...]:
        """Refuse all of its lines, for one reason."""
        errors = [(self.raws[0], _error(at, problem, instead))]
        return tuple(_refused(list(self.raws), errors))


TOO_MANY_LINES: Final = (
    f"its document has more than {LINES_MAX:,} lines or {CHARACTERS_MAX:,} characters",
    "leave it out",
)
ANOTHER_LINE: Final = ("another line of its document is refused", "mend that one")


def _is_full(raws: list[RawLine]) -> bool:
    return len(raws) == LINES_MAX or sum(len(raw.text) for raw in raws) > CHARACTERS_MAX


def _refused(raws: list[RawLine], errors: list[tuple[RawLine, PlanError]]) -> Iterator[Refused]:
    """Every fault of every line; a sound line of a refused document is refused with it."""
    faulty = {raw.number for raw, _ in errors}
    beside = [(raw, _error("line", *ANOTHER_LINE)) for raw in raws if raw.number not in faulty]
    for raw, error in sorted((*errors, *beside), key=lambda pair: pair[0].number):
        yield Refused(
            line=raw.number,
            document_id=document_id_of(raw.value),
            field=error.field,
            reason=f"{error.problem}; {error.instead}",
            text=raw.text,
        )


def _disagreements(lines: tuple[Line, ...]) -> Iterator[tuple[int, PlanError]]:
    """What only shows between the lines of one document."""
    names, seen = 0, set[str]()
    for at, line in enumerate(lines):
        names += len(line.part.names)
        if line.account_id != lines[0].account_id:
            yield at, _error("account_id", "differs within a document", "write one in all lines")
        if line.times != lines[0].times:
            yield at, _error("times", "differ within a document", "write the same in all its lines")
        ids = {found for found in line.part.external_ids if found is not None}
        if line.part.kind is not Kind.ADCREATIVE:
            if both := seen & ids:
                problem = f"{min(both)} is recorded in two lines of the document"
                yield at, _error("recorded", problem, "see which of the two is right")
            seen |= ids
    if names > ITEMS_MAX:
        problem = f"its document has more than {ITEMS_MAX:,} names"
        yield 0, _error("names", problem, "leave such a document out")


def _error(at: str, problem: str, instead: str) -> PlanError:
    return PlanError(item=None, field=plain(at), problem=problem, instead=instead)
