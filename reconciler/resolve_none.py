"""Whether a person may say that no row is an item's entity, which allows another create.

It would make a second entity wherever the first one exists, so it asks for what an absence asks
for, two complete walks once everything shows, and is refused while any row could be shown to be
ours. What a person may say no to is a row without our mark of which the sieves only doubt.

Pure: frozen values in, a reason out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from .funnel import Weighed
from .listing import Listing
from .mark import marks_of
from .model import Reason
from .settling import may_say_absent
from .sieves import Says
from .vetoes import Funnel, Name


def why_not_none(weighed: Weighed, item: str, listings: tuple[Listing, ...]) -> str | None:
    """Why it may not be said of this item; None where it may. `listings` are its place's walks."""
    name, funnel = weighed.names[item], weighed.funnels[item]
    if not any(may_say_absent(one, two, name.settle_at) for one in listings for two in listings):
        return (
            "two complete walks, both begun after everything shows, are needed, and are not there"
        )
    if ids := _survivors(name):
        return f"{ids} may be it: nothing speaks against that, so another create could be a second"
    if ids := _bearing_a_mark(funnel):
        return f"{ids} bears our mark or what is left of one: another create would be a second"
    return None


def is_refused_on(evidence: Mapping[str, Any], spoken_for: Collection[str]) -> bool:
    """Whether stored evidence shows already that a look of the same rows would refuse it.

    `spoken_for` are ids that were bound since. Of a stage with more rows than the evidence shows
    the rest is not known, and the look says.
    """
    if not set(evidence.get("survivors", ())) <= set(spoken_for):
        return True
    part = (evidence.get("sent") or {}).get("label")
    return any(
        example.get("says") == Says.DOUBT
        and example.get("id") not in spoken_for
        and (example.get("reason") == Reason.MARK_LOST or _shows(part, example.get("row", {})))
        for stage in evidence.get("stages", ())
        for example in stage["examples"]
    )


def _shows(part: str | None, row: Mapping[str, Any]) -> bool:
    marks = marks_of(row.get("name"), tuple(row.get("labels", ())))
    return part in marks.document_parts


def too_soon(settled: datetime | None, now: datetime) -> str | None:
    """Why it is too early to ask the API at all; None where it is not."""
    if settled is None or now >= settled:
        return None
    at = settled.isoformat(timespec="seconds")
    return f"too soon: until {at} the create may still land, and what landed may not show yet"


def _survivors(name: Name) -> str:
    """Also where a veto speaks: it turns them into doubts, and one of them is ours."""
    return ", ".join(sorted(name.survivors))


def _bearing_a_mark(funnel: Funnel) -> str:
    """Doubted rows only: a disproved one with our mark is a copy, a sibling's or bound."""
    doubted = funnel.those(Says.DOUBT)
    ours = [
        ruling.id
        for ruling in doubted
        if funnel.bears_our_mark(ruling) or ruling.reason is Reason.MARK_LOST
    ]
    return ", ".join(sorted(ours))
