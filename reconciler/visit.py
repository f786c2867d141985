"""What a sweep does with one document: settle what is due, and see to it that it goes on.

Whatever fails is told in the visit. A document that cannot be settled stays as it is, and is due
again at the next pass.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from . import events
from .copying import replace
from .due import Due
from .errors import ReconcilerError
from .model import Document, DocumentState, Origin, Reason
from .outside import Outside
from .ports import Change, Event, LeaseFree, View
from .settle import settle
from .verdict import Absent, Found, Inconclusive, Verdict


class Count(StrEnum):
    """What a pass counts. The first three are verdicts on items, the others documents. *Closed.*"""

    FOUND = "found"
    ABSENT = "absent"
    INCONCLUSIVE = "inconclusive"
    NOTHING = "nothing"
    STALE = "stale"
    ERROR = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """What a pass did with one document.

    `before` and `after` are its states, None where they could not be read. `withheld` says why a
    look gave no verdict; `held_by_another`, that somebody else was at it; `error`, what failed.
    `new_surplus` counts entities beyond what it wants that were not known before.
    """

    document_id: str
    kind: Due
    before: DocumentState | None = None
    after: DocumentState | None = None
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    withheld: Reason | None = None
    held_by_another: bool = False
    error: str | None = None
    new_surplus: int = 0

    @property
    def counts(self) -> Counter[Count]:
        """Its part of the pass's counts."""
        if self.error is not None:
            return Counter((Count.ERROR,))
        if self.held_by_another:
            return Counter((Count.STALE,))
        if self.verdicts:
            return Counter(map(_counted, self.verdicts.values()))
        return Counter((Count.NOTHING if self.withheld is None else Count.INCONCLUSIVE,))


async def visit(document_id: str, kind: Due, outside: Outside) -> Visit:
    """Do what is due for one document. Whatever fails is told in the visit, and stops nobody."""
    done = Visit(document_id=document_id, kind=kind)
    try:
        view = await outside.ledger.read(document_id)
        done = replace(done, before=view.document.state)
        settled = await settle(document_id, outside)
        after = await _driven(settled.view, outside)
    except ReconcilerError as error:
        return replace(done, error=error.message)
    except Exception as error:  # noqa: BLE001 - a bug met at one document must not stop the others
        return replace(done, error=f"{type(error).__name__}: {error}")
    return replace(
        done,
        after=after.state,
        verdicts=settled.verdicts,
        withheld=settled.withheld,
        held_by_another=settled.held_by_another,
        new_surplus=max(0, len(after.surplus) - len(view.document.surplus)),
    )


async def _driven(view: View, outside: Outside) -> Document:
    """A queued document of ours is always due at some time; one that is not is made due now."""

    def decide(view: View) -> Change:
        if not _is_stranded(view.document):
            return Change(document=view.document)
        told = Event(kind=events.STATE, detail={"state": view.document.state.value, "why": "due"})
        return Change(document=replace(view.document, due_at=view.now), events=(told,))

    if not _is_stranded(view.document):
        return view.document
    driven = await outside.ledger.change(view.document.id, LeaseFree(), decide, only=())
    return view.document if driven is None else driven.document


def _is_stranded(document: Document) -> bool:
    is_queued = document.state is DocumentState.QUEUED and document.origin is Origin.OURS
    return is_queued and document.due_at is None


def _counted(verdict: Verdict) -> Count:
    match verdict:
        case Found():
            return Count.FOUND
        case Absent():
            return Count.ABSENT
        case Inconclusive():
            return Count.INCONCLUSIVE
