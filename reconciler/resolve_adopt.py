"""Whether a person may adopt a row: what speaks against it, and which of that they may overrule.

Each line of the sieves' table is in one of three parts. What shows that the row is somebody
else's, nobody may overrule: it would let one entity stand for two items, or claim what another
made. What only disproves that *our call* made it, `override` may: the journal says what was
overridden. The rest, and the vetoes, are the very doubts that a person is asked about.

Pure: frozen values in, a ruling out.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from . import comparing as row
from .candidate import Readings
from .claimant import Claimant
from .funnel import Weighed
from .listing import Listing
from .ports import Binding
from .resolve_sibling import what_a_sibling_loses
from .settling import shows_everything
from .sieves import SIEVES, Line, Says

NEVER: Final = frozenset(
    {
        row.is_bound_to_a_sibling,
        row.is_bound_elsewhere_for_good,
        row.is_of_another_kind,
        row.is_elsewhere_unmarked,
        row.is_elsewhere,
        row.bears_only_foreign_marks,
        row.bears_a_siblings_mark,
        row.bears_two_documents_marks,
        row.is_a_copy,
        row.is_a_siblings_by_id_and_name,
    }
)
"""It is somebody else's, or stands elsewhere."""

BY_OVERRIDE: Final = frozenset(
    {
        row.is_unmarked_where_marks_show,
        row.bears_a_mark_never_sent,
        row.has_another_name_unmarked,
        row.has_a_name_still_lacking,
        row.is_an_older_twins,
        row.has_another_name_marked,
        row.is_outside_unmarked,
        row.is_outside,
        row.has_no_readable_time,
        row.is_another_apps,
    }
)
"""Another name, another time, no mark where marks show: our call did not make it so."""

BY_A_PERSON: Final = frozenset(
    {
        row.is_bound_elsewhere_by_name_and_time,
        row.is_unmarked,
        row.bears_an_unreadable_mark,
        row.bears_our_mark_otherwise,
        row.reads_as_two_names,
        row.has_our_name_escaped_unmarked,
        row.is_in_no_log,
    }
)
"""Doubts."""

HINT: Final = "; if it is ours all the same, say so with --override"


@dataclass(frozen=True, slots=True, kw_only=True)
class Adoptable:
    """What is to be said about adopting one row.

    `refused` is why not, None where it may be adopted. `overridden` says what spoke against it.
    `warnings` say which other item of the document then lacks its row. `outranked` is another
    document's binding that is no proof, and gives way; None: there is none.
    """

    refused: str | None = None
    overridden: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    outranked: Binding | None = None


def adoptable(
    weighed: Weighed,
    item: str,
    external_id: str,
    listings: tuple[Listing, ...],
    *,
    override: bool,
) -> Adoptable:
    """Judge the row of this id as the entity of an item that lacks one.

    `listings` are the complete walks of the item's place: what they do not show is not adopted,
    whatever a single GET may show.
    """
    us = weighed.funnels[item].claimant
    readings = weighed.places.get(us.place, {}).get(external_id)
    if readings is None:
        return Adoptable(refused=f"{external_id} is not in the complete listing of its container")
    against = _lines(us, readings)
    never = [line.why for line in against if _is_never(line, us, readings)]
    if never:
        return Adoptable(refused=f"{external_id} {never[0]}, which nobody can overrule")
    settled = weighed.names[item].settle_at
    if not _bears_our_mark(us, readings) and not _shown_late_enough(listings, settled):
        return Adoptable(refused=f"too soon: {_until(settled)}")
    overridden = tuple(f"{external_id} {line.why}" for line in against if _is_bold(line))
    warnings = what_a_sibling_loses(weighed, item, external_id)
    if overridden and not override:
        return Adoptable(refused=f"{'; '.join((*overridden, *warnings))}{HINT}")
    return Adoptable(
        overridden=overridden, warnings=warnings, outranked=_outranked(us, external_id)
    )


def why_another_first(weighed: Weighed, item: str, external_id: str) -> str | None:
    """Why the item's own row stands before this one: it was made, and would be too many.

    That is a row with our mark which no sieve speaks against. None: there is none, or this is it.
    """
    funnel = weighed.funnels[item]
    own = sorted(r.id for r in funnel.those(Says.SURVIVES) if funnel.bears_our_mark(r))
    if not own or external_id in own:
        return None
    bears = "bears" if len(own) == 1 else "bear"
    return (
        f"{', '.join(own)} {bears} this item's name and our mark, and nothing speaks against that: "
        "adopt it, or delete it outside if it is not wanted"
    )


def _lines(us: Claimant, readings: Readings) -> list[Line]:
    """Every line that holds for any reading: what was read twice is doubted twice."""
    return [
        line
        for sieve in SIEVES
        for line in sieve.lines
        if any(line.holds(us, reading) for reading in readings)
    ]


def _is_never(line: Line, us: Claimant, readings: Readings) -> bool:
    """Without account and parent a row is not shown to stand where the intent wants it."""
    if line.holds is row.lacks_a_field:
        return any(not (r.account_id and r.parent_in(us.intent.container)) for r in readings)
    return line.holds in NEVER


def _is_bold(line: Line) -> bool:
    """A row that lacks its name alone may be overruled like one of another name."""
    return line.holds in BY_OVERRIDE or line.holds is row.lacks_a_field


def _bears_our_mark(us: Claimant, readings: Readings) -> bool:
    return all(row.is_ours(us, reading) for reading in readings)


def _shown_late_enough(listings: tuple[Listing, ...], settled: datetime | None) -> bool:
    return any(shows_everything(listing, settled) for listing in listings)


def _until(settled: datetime | None) -> str:
    at = settled.isoformat(timespec="seconds") if settled else "it is settled"
    return f"until {at} our own create may still land, and that row would be a second one"


def _outranked(us: Claimant, external_id: str) -> Binding | None:
    binding = us.bindings.get(external_id)
    if binding is None or binding.grade.is_proof or binding.document_id == us.document_id:
        return None
    return None if us.is_creative else binding
