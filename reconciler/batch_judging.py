"""What a batch judges of one document, and the look it makes of walks that were made for many.

Pure. Judged together or alone, on the same walks a document gets the same verdicts with the same
evidence: of a shared walk it is shown its own rows only, of shared surroundings its own rivals.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from .facts import with_answers_decided
from .funnel import Policy, judge, needs_label_check
from .limits import Limits
from .listing import IncompleteListing, Listing, Place, Wanted, wanted_for
from .log_question import LogAnswer, Question, question_of
from .look import Look, seen
from .model import Document, DocumentState, Item, ItemState
from .ports import Around, Surroundings
from .signature import is_crashed, is_unsettled, needs_settling
from .the_end import taken_over
from .walking import absence_could_be_said, around_of, place_of


def is_broken(document: Document, now: datetime, *, held: bool) -> bool:
    """Whether a batch has anything to do with it. `held`: also with what waits for a person."""
    if document.state is DocumentState.PUBLISHING:
        return is_crashed(document, now)
    if document.state not in (DocumentState.QUEUED, DocumentState.HELD):
        return False
    return is_unsettled(document, now) or (held and _has_held(document))


def _has_held(document: Document) -> bool:
    return any(item.state is ItemState.HELD for item in document.items)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A document as it stands, and as it is judged: taken over, with its answers decided."""

    standing: Document
    taken_over: Document
    answered: Document
    items: tuple[Item, ...]

    @staticmethod
    def of(document: Document, now: datetime, limits: Limits, *, held: bool) -> Case:
        """`held`: items that a person should decide are judged too."""
        after = _taken_over(document, now, limits) if is_crashed(document, now) else document
        return _case(document, after, lambda item: _is_judged(item, held))

    @staticmethod
    def planned(
        document: Document, now: datetime, limits: Limits, *, crashed: bool, keys: frozenset[str]
    ) -> Case:
        """The same for these items, as they were planned; `crashed`: it is to be taken over."""
        after = _taken_over(document, now, limits) if crashed else document
        return _case(document, after, lambda item: item.key in keys)

    @property
    def places(self) -> frozenset[Place]:
        """Where its items would be listed."""
        return frozenset(place_of(item.intent) for item in self.items if item.intent is not None)

    @property
    def wanted(self) -> Wanted:
        """What a walk made for it alone would keep."""
        return wanted_for(self.answered, self.items)

    @property
    def has_an_answer(self) -> bool:
        """Whether an id, or a refusal, that was recorded decides something."""
        return self.answered is not self.taken_over


def _case(document: Document, after: Document, is_judged: Callable[[Item], bool]) -> Case:
    answered = after
    if after.state in (DocumentState.QUEUED, DocumentState.HELD):
        answered = with_answers_decided(after)
    items = tuple(item for item in answered.items if is_judged(item))
    return Case(standing=document, taken_over=after, answered=answered, items=items)


def _taken_over(document: Document, now: datetime, limits: Limits) -> Document:
    return taken_over(document, now, limits, fraction=0.0)


def _is_judged(item: Item, held: bool) -> bool:
    if item.intent is None or item.intent.has_created_fact:
        return False
    return needs_settling(item) or (held and item.state is ItemState.HELD)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """What was seen of a document's places, and the rules and the time it is judged by.

    `began_at` is the ledger time before the first walk. `log` is what the activity log says where
    a name would decide; None: it was not asked.
    """

    listings: tuple[Listing, ...]
    incomplete: Mapping[Place, IncompleteListing]
    began_at: datetime
    now: datetime
    limits: Limits
    policy: Policy
    label_exists: bool | None = None
    log: LogAnswer | None = None

    def around(self, case: Case) -> Around:
        """What to read of the surroundings."""
        return around_of(case.answered, case.items, self.listings)

    def look(self, case: Case, surroundings: Surroundings) -> Look:
        """Judge it."""
        policy = self.policy if self.log is None else self.log.added_to(self.policy)
        judgement = judge(
            case.answered,
            case.items,
            self.listings,
            surroundings,
            now=self.now,
            limits=self.limits,
            policy=policy,
            incomplete=self.incomplete,
            label_exists=self.label_exists,
        )
        return Look(
            began_at=self.began_at,
            seen=seen(case.answered),
            around=self.around(case),
            surroundings=surroundings,
            judgement=judgement,
            listings=self.listings,
            incomplete=self.incomplete,
            policy=policy,
        )

    def question(self, case: Case, look: Look) -> Question | None:
        """What to ask the activity log, as it was judged without; None: no name decides."""
        timings = self.limits.timings()
        return question_of(case.answered, case.items, look.verdicts, self.listings, timings)

    def needs_label_check(self, case: Case, look: Look) -> bool:
        """Whether an absence waits for "does our label still exist?"."""
        return needs_label_check(case.answered, case.items, self.listings, look.judgement)

    def places_to_walk_again(self, case: Case, look: Look) -> frozenset[Place]:
        """Where an absence could be said, which rests on two walks."""
        return absence_could_be_said(
            case.answered, case.items, self.listings, look.verdicts, self.limits
        )
