"""The sieves: what disproves that a row is an intent's entity, and what makes it doubtful.

Every sieve looks at every narrowed row. One disproof makes the row `not_ours`, whatever else is
doubtful; otherwise one doubt makes it a `doubt`; a row with neither survives. So nothing is shown
to be ours by a sieve: a survivor is what nothing speaks against.

The table is the specification (design, section 6): each line is one reason, in the order in which
a row is counted, and for each line there is a test that fails without it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from . import comparing as row
from .candidate import Candidate, Readings
from .claimant import Claimant
from .copying import quick
from .model import Reason

Holds = Callable[[Claimant, Candidate], bool]


class Says(StrEnum):
    """What the sieves say of one row."""

    SURVIVES = "survives"
    DOUBT = "doubt"
    NOT_OURS = "not_ours"


@dataclass(frozen=True, slots=True)
class Line:
    """One reason. `doubt` None: it disproves."""

    doubt: Reason | None
    why: str
    holds: Holds


@dataclass(frozen=True, slots=True)
class Sieve:
    """One stage. `shown` gives the values that were compared, for the evidence."""

    name: str
    shown: Callable[[Claimant, Candidate], Mapping[str, Any]]
    lines: tuple[Line, ...]


_CONTESTED, _ECHO, _LOST = Reason.CONTESTED, Reason.ECHO_UNPROVEN, Reason.MARK_LOST
_UNPROVEN, _LOG = Reason.UNPROVEN_ROW, Reason.PROVENANCE

# fmt: off
SIEVES: Final = (
    Sieve("bound", row.binding_shown, (
        Line(None, "is bound to another item of this document", row.is_bound_to_a_sibling),
        Line(None, "is bound elsewhere for good", row.is_bound_elsewhere_for_good),
        Line(_CONTESTED, "is bound elsewhere by name and time",
             row.is_bound_elsewhere_by_name_and_time),
    )),
    Sieve("container", row.container_shown, (
        Line(None, "is of another kind", row.is_of_another_kind),
        Line(None, "has another account or parent and no mark of ours", row.is_elsewhere_unmarked),
        Line(_LOST, "bears our mark under another account or parent", row.is_elsewhere),
        Line(_UNPROVEN, "lacks its account, parent or name", row.lacks_a_field),
    )),
    Sieve("mark", row.marks_shown, (
        Line(None, "bears another document's mark and none of ours", row.bears_only_foreign_marks),
        Line(None, "bears the whole mark of another item", row.bears_a_siblings_mark),
        Line(None, "bears no mark, where marks show", row.is_unmarked_where_marks_show),
        Line(None, "bears our mark, but the call was sent without", row.bears_a_mark_never_sent),
        Line(None, "bears our mark as an older twin was sent with it", row.is_an_older_twins),
        Line(_ECHO, "bears no mark, and no row shows that marks come back", row.is_unmarked),
        Line(_LOST, "bears a mark that cannot be read", row.bears_an_unreadable_mark),
        Line(_LOST, "bears our mark and a foreign one", row.bears_two_documents_marks),
        Line(_LOST, "bears our mark, but not as it was sent", row.bears_our_mark_otherwise),
    )),
    Sieve("copy", row.source_shown, (
        Line(None, "is a copy", row.is_a_copy),
    )),
    Sieve("name", row.names_shown, (
        Line(None, "has another name and no mark of ours", row.has_another_name_unmarked),
        Line(None, "has the name of another item that lacks its entity",
             row.has_a_name_still_lacking),
        Line(None, "is another item's by id and name", row.is_a_siblings_by_id_and_name),
        Line(_LOST, "bears our mark under another name", row.has_another_name_marked),
        Line(_UNPROVEN, "reads as the names of two items", row.reads_as_two_names),
        Line(_UNPROVEN, "has the name only after unescaping, and no mark of ours",
             row.has_our_name_escaped_unmarked),
    )),
    Sieve("created", row.times_shown, (
        Line(None, "was created outside the window and bears no mark of ours",
             row.is_outside_unmarked),
        Line(_UNPROVEN, "has no readable creation time with a zone", row.has_no_readable_time),
        Line(_UNPROVEN, "bears our mark, created outside the window", row.is_outside),
    )),
    Sieve("provenance", row.apps_shown, (
        Line(None, "was created by another app", row.is_another_apps),
        Line(_LOG, "is not in the activity log", row.is_in_no_log),
    )),
)
# fmt: on

_LINES: Final = tuple((stage, line) for stage, sieve in enumerate(SIEVES) for line in sieve.lines)
_DISPROOFS: Final = tuple((stage, line) for stage, line in _LINES if line.doubt is None)
_DOUBTS: Final = tuple((stage, line) for stage, line in _LINES if line.doubt is not None)


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """What all sieves together say of one id: at which stage, why. A survivor has no stage."""

    says: Says
    readings: Readings
    stage: int = len(SIEVES)
    why: str = ""
    reason: Reason | None = None

    @property
    def candidate(self) -> Candidate:
        """The latest reading: what is shown, and bound if it is found."""
        return self.readings[-1]

    @property
    def id(self) -> str:
        """The external id that was ruled on."""
        return self.candidate.row.id


def rule(us: Claimant, readings: Readings) -> Ruling:
    """Rule on one id.

    What was read twice with different data survives only if both readings do, and is `not_ours`
    only if both say so.
    """
    if len(readings) == 1:
        return _rule_on(us, readings[0], readings)
    rulings = [_rule_on(us, reading, readings) for reading in readings]
    first = min(rulings, key=lambda ruling: ruling.stage)
    if len({ruling.says for ruling in rulings}) == 1:
        return first
    doubts = [ruling for ruling in rulings if ruling.says is Says.DOUBT]
    return min(doubts, key=lambda ruling: ruling.stage) if doubts else _torn(first)


def _torn(disproof: Ruling) -> Ruling:
    return Ruling(
        says=Says.DOUBT,
        readings=disproof.readings,
        stage=disproof.stage,
        why=f"was read twice, and once {disproof.why}",
        reason=Reason.UNPROVEN_ROW,
    )


def _rule_on(us: Claimant, candidate: Candidate, readings: Readings) -> Ruling:
    for says, lines in ((Says.NOT_OURS, _DISPROOFS), (Says.DOUBT, _DOUBTS)):
        for stage, line in lines:
            if line.holds(us, candidate):
                return Ruling(
                    says=says, readings=readings, stage=stage, why=line.why, reason=line.doubt
                )
    return Ruling(says=Says.SURVIVES, readings=readings)
