"""What a plan makes of documents on what stands now, or why not: judged once more, one by one.

Pure. Each document is judged on the bindings and rivals that the documents before it left: in one
transaction they become what they would become in one transaction each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from . import events
from .attributes import told_unlisted
from .batch_decision import carried_out, change_of, planned_items
from .batch_judging import Case, Sight
from .batch_standing import Standing
from .batch_values import Planned
from .batching import ManyView
from .deciding import told, told_state
from .limits import Limits
from .look import Look
from .model import Document
from .policy import Policy
from .ports import Around, Change, Event, Guard, SettleLease, Takeover

MOVED: Final = "it moved since it was judged"
MOVED_AROUND: Final = "what stands around it moved, and it would be judged otherwise now"
TAKEN: Final = "what it would claim is bound to another item by now"


class Moved(Exception):
    """Rolls the transaction back: these documents, by id, are to be left out, and why."""

    def __init__(self, why: Mapping[str, str]) -> None:
        super().__init__(why)
        self.why = why


@dataclass(slots=True, kw_only=True)
class Carrying:
    """Lines of one account on their way; `ask` and `decide` are what `change_all` calls.

    `fractions` are chance by document, for backoffs.
    """

    lines: Sequence[Planned]
    run: str
    policy: Policy
    limits: Limits
    owner: str
    fractions: Mapping[str, float]
    _asked: dict[str, Around] = field(default_factory=dict)

    @property
    def guards(self) -> Mapping[str, Guard]:
        """What has to match for each document: the crash that was seen, or a free lease."""
        lease = SettleLease(owner=self.owner, duration=self.limits.lease)
        return {
            line.document_id: Takeover(epoch=line.epoch) if line.crashed else lease
            for line in self.lines
        }

    def ask(self, documents: Sequence[Document]) -> Around:
        """What to read of the surroundings of these."""
        lines = {line.document_id: line for line in self.lines}
        self._asked = {one.id: self._around(lines[one.id], one) for one in documents}
        return Around(
            names=frozenset().union(*(each.names for each in self._asked.values())),
            external_ids=frozenset().union(*(each.external_ids for each in self._asked.values())),
        )

    def _around(self, planned: Planned, document: Document) -> Around:
        case = _case(planned, document, planned.judged_at, self.limits)
        return self._sight(planned).around(case)

    def decide(self, view: ManyView) -> list[Change]:
        """A change for each document of the view. Raises `Moved` where not all stand as judged."""
        standing, changes, moved = Standing(view.surroundings), [], {}
        for planned in self.lines:
            document = view.documents.get(planned.document_id)
            if document is None:
                continue
            found = self._change(planned, document, standing, view)
            if isinstance(found, str):
                moved[document.id] = found
                continue
            standing.put(document, found.document)
            changes.append(found)
        if moved:
            raise Moved(moved)
        return changes

    def _change(
        self, planned: Planned, document: Document, standing: Standing, view: ManyView
    ) -> Change | str:
        """What one document becomes; a text says why it is left."""
        if not stands(planned, document, planned.epoch + 1):
            return MOVED
        case = _case(planned, document, view.now, self.limits)
        look = None
        if case.items:
            around = standing.around(document.id, self._asked[document.id])
            look = self._sight(planned).look(case, around)
        if not _says_the_same(planned, case, look):
            return MOVED_AROUND
        after = carried_out(case, look, view.now, self.limits, self.fractions[document.id])
        if change_of(case, after) != planned.change:
            return MOVED
        if standing.taken(document, after) is not None:
            return TAKEN
        return Change(
            document=after,
            events=_told(planned, self.run, case, after, look),
            evidence=tuple(each.evidence for each in look.verdicts.values()) if look else (),
            run=self.run,
        )

    def _sight(self, planned: Planned) -> Sight:
        """What was seen when the plan was made, as of then: the same judgement, the same hash."""
        return Sight(
            listings=planned.listings,
            incomplete={walk.request.place: walk for walk in planned.incomplete},
            began_at=planned.began_at,
            now=planned.judged_at,
            limits=self.limits,
            policy=self.policy,
            label_exists=planned.label_exists,
            log=planned.log,
        )


def stands(planned: Planned, document: Document, epoch: int) -> bool:
    """Whether nobody has been at it since; a guard of ours raises the epoch by one."""
    if (document.lease_epoch, document.state) != (epoch, planned.state):
        return False
    items = {item.key: item for item in document.items}
    return all(
        (item := items.get(was.item)) is not None
        and (item.state, item.intent.facts if item.intent else 0) == (was.state, was.facts)
        for was in planned.items
    )


def _case(planned: Planned, document: Document, now: datetime, limits: Limits) -> Case:
    keys = frozenset(item.item for item in planned.items)
    return Case.planned(document, now, limits, crashed=planned.crashed, keys=keys)


def _says_the_same(planned: Planned, case: Case, look: Look | None) -> bool:
    says = {item.item: item.says for item in planned_items(case, look)}
    return says == {item.item: item.says for item in planned.items}


def _told(
    planned: Planned, run: str, case: Case, after: Document, look: Look | None
) -> tuple[Event, ...]:
    """The journal's lines: what a recovery would tell, and which run it was."""
    taken = Event(
        kind=events.TAKEN_OVER,
        detail={"attempt": len(case.standing.attempts), "state": case.taken_over.state.value},
    )
    applied = Event(kind=events.BATCH_APPLIED, detail={"run": run, "bound": _bound(planned)})
    return (
        *((taken,) if planned.crashed else ()),
        *(told(look, frozenset(), case.standing) if look else ()),
        *told_unlisted(case.standing, after),
        applied,
        *told_state(case.standing, after),
    )


def _bound(planned: Planned) -> dict[str, str]:
    """The ids that the change binds, by item."""
    changed = planned.change.items.items()
    return {key: change["external_id"] for key, change in changed if change["external_id"]}
