"""That no row is it is offered only where a decision on the same rows would not refuse that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import pytest

from adapters.shapes import Explained, explanation
from adapters.shapes.advice import commands
from adapters.shapes.next_command import next_command
from adapters.shapes.offers import ADOPT, HOLD, NONE, may_be_none, offers
from fixtures.funnel_world import (
    ACCOUNT,
    C2,
    LIMITS,
    LOOKED_AT,
    bound,
    document,
    item,
    judged,
    rival,
    row,
    two_walks,
)
from reconciler.copying import replace
from reconciler.funnel import weigh
from reconciler.listing import Row
from reconciler.model import (
    Account,
    Document,
    DocumentState,
    Grade,
    ItemState,
    JudgedItem,
    Next,
    NextAction,
    Reason,
)
from reconciler.ports import Binding, Rival, Surroundings, View
from reconciler.resolve_none import why_not_none
from reconciler.verdict import Evidence
from tests.unit.sieve_cases import LABELLED, UNMARKED

ID: Final = "23850000000000777"
OTHER: Final = "23850000000000778"
TWINS: Final = document(item("a1", part=None, fingerprint="one"), item("a2", part=None), part=None)


def at(external_id: str = ID, **changed: Any) -> Row:
    return row(external_id, **changed)


@dataclass(frozen=True)
class Case:
    """Rows that hold an item for this reason, and whether a decision may say it is none of them."""

    name: str
    reason: Reason
    rows: tuple[Row, ...]
    may_be_none: bool
    doc: Document = LABELLED
    rivals: tuple[Rival, ...] = ()
    bindings: dict[str, Binding] | None = None


_R = Reason
CASES = [
    Case("a stranger's", _R.ECHO_UNPROVEN, (at(labels=()),), True),
    Case("a stranger's beside a cut mark", _R.ECHO_UNPROVEN,
         (at(labels=()), at(OTHER, labels=("rc1-short",))), False),
    Case("a cut mark", _R.MARK_LOST, (at(labels=("rc1-short",)),), False),
    Case("two of ours", _R.AMBIGUOUS, (at(), at(OTHER)), False),
    Case("twins that differ", _R.TWINS, (at(labels=()),), False, TWINS),
    Case("a rival's as well", _R.CONTESTED, (at(labels=()),), False, UNMARKED, (rival(),)),
    Case("bound elsewhere by name and time", _R.CONTESTED, (at(labels=()),), True, UNMARKED, (),
         dict(bound(ID, grade=Grade.NAME_AND_TIME))),
    Case("no readable time", _R.UNPROVEN_ROW, (at(labels=(), created_time=None),), True, UNMARKED),
    Case("our mark outside the window", _R.UNPROVEN_ROW, (at(created=-7),), False),
    Case("our mark elsewhere", _R.MARK_LOST, (at(campaign_id=C2.id),), False),
]  # fmt: skip


def evidence_of(case: Case) -> Any:
    verdict = judged(
        case.doc,
        two_walks(*case.rows),
        bindings=case.bindings,
        rivals=case.rivals,
        only={"a1"},
    ).verdicts["a1"]
    assert verdict.evidence.body["reason"] == case.reason
    return verdict.evidence.body


def held(doc: Document, reason: Reason | None) -> Document:
    one, *rest = doc.items
    assert one.intent is not None
    held_for = replace(one, state=ItemState.HELD, intent=replace(one.intent, reason=reason))
    return replace(doc, items=(held_for, *rest))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_none_may_be_said_on_the_evidence_exactly_where_the_decision_would_allow_it(
    case: Case,
) -> None:
    surroundings = Surroundings(bindings=case.bindings or {}, rivals=case.rivals)
    walks = two_walks(*case.rows)
    weighed = weigh(case.doc, walks, surroundings, limits=LIMITS)
    document = held(case.doc, case.reason)

    assert (why_not_none(weighed, "a1", walks) is None) is case.may_be_none
    assert may_be_none(document, document.items[0], evidence_of(case)) is case.may_be_none


def test_what_another_item_adopted_since_is_no_candidate_any_more() -> None:
    """Of twins the last one is none of the rows once the others have theirs."""
    case = next(case for case in CASES if case.reason is Reason.TWINS)
    first, _ = TWINS.items
    adopted = replace(TWINS, items=(first, item("a2", part=None, bound_to=ID)))
    document = held(adopted, Reason.TWINS)

    assert may_be_none(document, document.items[0], evidence_of(case))


def test_the_row_that_was_given_up_to_another_document_is_no_candidate_any_more() -> None:
    found = judged(UNMARKED, two_walks(at(labels=()))).verdicts["a1"].evidence.body
    assert found["verdict"] == "found"

    for reason, sayable in ((Reason.CONTESTED, True), (Reason.UNPROVEN_ROW, False)):
        document = held(UNMARKED, reason)
        assert may_be_none(document, document.items[0], found) is sayable


def test_what_would_be_refused_is_neither_offered_nor_the_next_command() -> None:
    document = held(LABELLED, Reason.ECHO_UNPROVEN)
    (one,) = document.items
    step = Next(action=NextAction.DECIDE, why="it is held")

    assert offers(one, None) == (NONE, ADOPT, HOLD)
    assert offers(one, None, may_be_none=False) == (ADOPT, HOLD)
    assert "--none" not in " ".join(commands(document, one, None, may_be_none=False))
    assert "--none" in str(next_command(document, step))
    assert "--adopt" in str(next_command(document, step, never_none={"a1"}))


@pytest.mark.parametrize("case", [one for one in CASES if one.reason is Reason.ECHO_UNPROVEN],
                         ids=lambda case: case.name)  # fmt: skip
def test_what_explain_says_to_type_is_what_the_evidence_allows(case: Case) -> None:
    evidence = Evidence.of(evidence_of(case))
    judgement = JudgedItem(
        item="a1",
        verdict="inconclusive",
        reason=case.reason,
        judged_at=LOOKED_AT,
        evidence_id=evidence.id,
        evidence_hash=evidence.hash,
    )
    document = replace(
        held(case.doc, case.reason),
        state=DocumentState.HELD,
        verdicts=(judgement,),
        next=Next(action=NextAction.DECIDE, why="it is held"),
    )
    view = View(document=document, account=Account(id=ACCOUNT), now=LOOKED_AT)

    told = explanation(Explained(view=view, evidence={"a1": evidence}))

    (one,) = told["items"]
    assert one["may_be_none"] is case.may_be_none
    assert ("--none" in " ".join(one["commands"])) is case.may_be_none
    assert ("--none" in told["next"]["command"]) is case.may_be_none
