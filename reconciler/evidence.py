"""What a verdict rests on, as plain JSON: the walks, what each stage removed and why, the settings.

`explain` is printed from it and a person may have to act on it, so every removed row can be seen
with the values that were compared, as far as a stage's few examples go.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from .comparing import (
    binding_shown,
    container_shown,
    has_our_name,
    is_ours,
    is_outside,
    source_shown,
)
from .copying import quick
from .limits import Limits
from .listing import IncompleteListing, Listing, Row, Walk
from .model import Grade, Item, Reason
from .settling import Window
from .sieves import SIEVES, Ruling, Says
from .verdict import Evidence
from .vetoes import VETOES, Funnel, Name, contenders

EXAMPLES_MAX: Final = 20
"""Rows shown per stage. A name may have thousands, and evidence is kept for ever."""


class LabelCheck(StrEnum):
    """Whether the label still exists in the account, where an absence rests on it."""

    NOT_NEEDED = "not_needed"
    NOT_KNOWN = "not_known"
    EXISTS = "exists"
    GONE = "gone"


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """A verdict before its evidence is sealed. `reason` None and no row: absent."""

    reason: Reason | None = None
    row: Ruling | None = None
    grade: Grade | None = None
    label: LabelCheck = LabelCheck.NOT_NEEDED

    @property
    def word(self) -> str:
        """The verdict's name as other programs read it."""
        if self.reason is not None:
            return "inconclusive"
        return "absent" if self.row is None else "found"


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounds:
    """What one intent is judged on. `withheld` is a walk of its place that did not end."""

    funnel: Funnel
    name: Name
    listings: tuple[Listing, ...]
    withheld: IncompleteListing | None
    now: datetime
    limits: Limits

    @property
    def why_withheld(self) -> Reason | None:
        """Why that walk gave nothing. None: no walk was given up."""
        return self.withheld.reason if self.withheld is not None else None


def evidence_of(grounds: Grounds, said: Conclusion) -> Evidence:
    """Seal what a conclusion rests on."""
    us = grounds.funnel.claimant
    return Evidence.of(
        {
            **_rivals(grounds.name),
            "document_id": us.document_id,
            "item": us.item,
            "verdict": said.word,
            "reason": said.reason,
            "grade": said.grade,
            "now": grounds.now.isoformat(),
            "settle_at": grounds.name.settle_at and grounds.name.settle_at.isoformat(),
            "window": _window(us.windows),
            "settings": _settings(grounds.limits),
            "sent": _sent(grounds.funnel),
            "listing": _listing(grounds),
            "walks": [_walk(listing) for listing in grounds.listings],
            "stages": [*_sieve_stages(grounds.funnel), *_veto_stages(grounds.name)],
            "lacking": grounds.name.lacking,
            "survivors": _first(sorted(grounds.name.survivors)),
            "survivor_rows": [
                _survivor_row(grounds, grounds.name.survivors[found])
                for found in _first(sorted(grounds.name.survivors))
            ],
            "candidate": said.row and dict(said.row.candidate.row.data),
            "candidate_id": said.row and said.row.id,
            "label": said.label,
            "log": _log(grounds.funnel),
        }
    )


def evidence_of_reply(document_id: str, item: Item, external_id: str, now: datetime) -> Evidence:
    """Seal what needs no listing: a call of ours was answered with this id."""
    calls = item.intent.calls if item.intent else ()
    return Evidence.of(
        {
            "document_id": document_id,
            "item": item.key,
            "verdict": "found",
            "reason": None,
            "grade": Grade.REPLY,
            "now": now.isoformat(),
            "listing": None,
            "stages": [],
            "candidate_id": external_id,
            "calls": [call.number for call in calls if call.external_id == external_id],
        }
    )


def _sieve_stages(funnel: Funnel) -> list[dict[str, Any]]:
    """Each row at the first sieve that disproved it, else doubted it; so `in` falls from one to
    the next."""
    left, stages = len(funnel.rulings), []
    for index, sieve in enumerate(SIEVES):
        here = [ruling for ruling in funnel.rulings if ruling.stage == index]
        stages.append(_stage(sieve.name, left, here, [_example(funnel, r) for r in _first(here)]))
        left -= len(here)
    return stages


def _veto_stages(name: Name) -> list[dict[str, Any]]:
    """Each veto counts what the sieves left of the name; none changes another's count."""
    ids = sorted(name.survivors)
    removed = {veto.name: ids if veto in name.vetoes else [] for veto in VETOES}
    return [
        {
            "stage": stage,
            "in": len(ids),
            "not_ours": 0,
            "doubt": len(doubted),
            "examples": [_survivor(name.survivors[found]) for found in _first(doubted)],
        }
        for stage, doubted in removed.items()
    ]


def _rivals(name: Name) -> dict[str, Any]:
    """Which item of which other document may own a survivor as well; nothing where none may."""
    if not any(veto.reason is Reason.CONTESTED for veto in name.vetoes):
        return {}
    told = sorted((row.id, rival.document_id, rival.item) for row, rival in contenders(name))
    names = ("external_id", "document_id", "item")
    return {"contested_by": [dict(zip(names, one, strict=True)) for one in _first(told)]}


def _survivor(ruling: Ruling) -> dict[str, Any]:
    """What tells one survivor from another, for the person who has to choose."""
    return {"id": ruling.id, "compared": [_told(ruling.candidate.row)]}


def _told(row: Row) -> dict[str, Any]:
    return {
        "name": row.name,
        "created_time": row.created_time,
        "effective_status": row.effective_status,
        "labels": sorted(row.labels),
    }


def _survivor_row(grounds: Grounds, ruling: Ruling) -> dict[str, Any]:
    """A row that nothing speaks against by itself, with what speaks for it."""
    return _survivor(ruling) | {"speaks_for": list(_speaks_for(grounds, ruling))}


def _speaks_for(grounds: Grounds, ruling: Ruling) -> Iterator[str]:
    us, row = grounds.funnel.claimant, ruling.candidate
    if has_our_name(us, row):
        yield "bears the name that was sent"
    if is_ours(us, row):
        yield "bears our mark"
    if not us.is_creative and not is_outside(us, row):
        yield "was created when our call may have made it"


def _stage(name: str, left: int, here: list[Ruling], examples: list[Any]) -> dict[str, Any]:
    disproved = sum(ruling.says is Says.NOT_OURS for ruling in here)
    return {
        "stage": name,
        "in": left,
        "not_ours": disproved,
        "doubt": len(here) - disproved,
        "examples": examples,
    }


def _example(funnel: Funnel, ruling: Ruling) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "id": ruling.id,
        "says": ruling.says,
        "why": ruling.why,
        "reason": ruling.reason,
        "compared": [
            dict(SIEVES[ruling.stage].shown(funnel.claimant, reading))
            for reading in ruling.readings
        ],
    }
    if ruling.says is Says.DOUBT:
        shown["row"] = _doubted(funnel, ruling)
    second_of = _second_of(funnel, ruling)
    return shown if second_of is None else shown | {"second_of": second_of}


def _doubted(funnel: Funnel, ruling: Ruling) -> dict[str, Any]:
    """What the person who has to choose compares of a row, whichever of it a stage doubted."""
    us, candidate = funnel.claimant, ruling.candidate
    bound_to = binding_shown(us, candidate)["bound_to"]
    parent = container_shown(us, candidate)["parent"]
    source = source_shown(us, candidate)
    return {**_told(candidate.row), **source, "bound_to": bound_to, "parent": parent}


def _second_of(funnel: Funnel, ruling: Ruling) -> dict[str, str] | None:
    """The other item of the document, bound to another row listed here, whose name it bears.

    None: it bears none, or not our mark. One request that made two entities shows like this.
    """
    us, listed = funnel.claimant, {other.id for other in funnel.rulings} - {ruling.id}
    if ruling.says is not Says.DOUBT or not funnel.bears_our_mark(ruling):
        return None
    for external_id in sorted(listed & set(us.bindings)):
        owner = us.bindings[external_id]
        name = us.names.get(owner.item) if owner.document_id == us.document_id else None
        if owner.item != us.item and name and ruling.candidate.reads_as(name):
            return {"item": owner.item, "external_id": external_id}
    return None


def _listing(grounds: Grounds) -> dict[str, Any]:
    """The figures of the walks of this place together: the shape of `explain/1`.

    A walk that was given up is told with how far it came, at which page and why.
    """
    given_up = grounds.withheld
    walks: list[Walk] = [*grounds.listings]
    if given_up is not None:
        walks.append(given_up)
    return {
        "complete": bool(walks) and given_up is None,
        "pages": sum(walk.pages for walk in walks),
        "rows": sum(walk.row_count for walk in walks),
        "started_at": min((walk.started_at.isoformat() for walk in walks), default=None),
        "ended_at": max((walk.ended_at.isoformat() for walk in walks), default=None),
        "clock_difference": _worst([walk.clock_difference for walk in grounds.listings]),
        "reason": grounds.why_withheld,
        "detail": given_up.detail if given_up is not None else None,
    }


def _walk(listing: Listing) -> dict[str, Any]:
    return {
        "container": {
            "kind": listing.request.container.kind,
            "id": listing.request.container.id,
        },
        "kind": listing.request.kind,
        "statuses": listing.request.statuses,
        "pages": listing.pages,
        "rows": listing.row_count,
        "narrowed": len(listing.rows),
        "started_at": listing.started_at.isoformat(),
        "ended_at": listing.ended_at.isoformat(),
        "clock_difference": _worst([listing.clock_difference]),
        "saw_an_id_twice": listing.saw_an_id_twice,
    }


def _worst(differences: list[timedelta | None]) -> float | None:
    """The largest difference in seconds, with its sign. None: one was not measured, or no walk."""
    known = [difference for difference in differences if difference is not None]
    if not known or len(known) < len(differences):
        return None
    return max(known, key=abs).total_seconds()


def _sent(funnel: Funnel) -> Mapping[str, Any]:
    intent = funnel.claimant.intent
    return {
        "kind": intent.kind,
        "name": intent.name_sent,
        "container": {"kind": intent.container.kind, "id": intent.container.id},
        "label": intent.mark and intent.mark.document_part,
        "mark_in_name": intent.mark_in_name,
    }


def _settings(limits: Limits) -> Mapping[str, Any]:
    return {
        "late_landing_seconds": limits.late_landing.total_seconds(),
        "listing_lag_seconds": limits.listing_lag.total_seconds(),
        "clock_skew_seconds": limits.clock_skew.total_seconds(),
        "max_per_name": limits.max_per_name,
    }


def _log(funnel: Funnel) -> dict[str, str | None] | None:
    """The app that the activity log names for each row it had to decide on; None: it says nothing
    here."""
    log = funnel.claimant.log
    if log is None:
        return None
    asked = sorted(ruling.id for ruling in funnel.rulings if _is_for_the_log(ruling))
    return {one: log.get(one) for one in _first(asked)}


def _is_for_the_log(ruling: Ruling) -> bool:
    return ruling.says is Says.SURVIVES or SIEVES[ruling.stage].name == "provenance"


def _window(windows: Window) -> list[list[str]]:
    return [[start.isoformat(), end.isoformat()] for start, end in windows]


def _first(rows: Iterable[Any]) -> list[Any]:
    return list(rows)[:EXAMPLES_MAX]
