"""A contested row names who else claims it: the other document, its item, and on what."""

from __future__ import annotations

from typing import Any

from adapters.cli.funnel_picture import funnel_picture
from adapters.shapes import Explained, explanation
from adapters.shapes.rivals import named, rivals
from fixtures.funnel_world import (
    ACCOUNT,
    C2,
    LOOKED_AT,
    bare,
    bound,
    document,
    judged,
    rival,
    row,
    two_walks,
)
from reconciler import events
from reconciler.copying import replace
from reconciler.model import Account, Grade, Item, ItemState, JudgedItem, Reason
from reconciler.ports import Event, Recorded, View
from reconciler.verdict import Evidence
from tests.unit.sieve_cases import UNMARKED
from tests.unit.test_funnel_picture import drawn

ALSO = "may have made it by its name and time"


def held(reason: Reason | None = Reason.CONTESTED) -> Item:
    (one,) = UNMARKED.items
    assert one.intent is not None
    return replace(one, state=ItemState.HELD, intent=replace(one.intent, reason=reason))


def evidence(**around: Any) -> Evidence:
    return judged(UNMARKED, two_walks(bare()), **around).verdicts["a1"].evidence


def one_of(document_id: str, item: str | None, how: str) -> dict[str, Any]:
    return {"external_id": "1001", "document_id": document_id, "item": item, "how": how}


def explained(sealed: Evidence, *journal: Recorded) -> dict[str, Any]:
    judgement = JudgedItem(
        item="a1",
        verdict=sealed.body["verdict"],
        reason=sealed.body["reason"] and Reason(sealed.body["reason"]),
        judged_at=LOOKED_AT,
        evidence_id=sealed.id,
        evidence_hash=sealed.hash,
    )
    contested = replace(UNMARKED, items=(held(),), verdicts=(judgement,))
    view = View(document=contested, account=Account(id=ACCOUNT), now=LOOKED_AT)
    return explanation(Explained(view=view, evidence={"a1": sealed}, journal=journal))


def test_each_document_that_may_own_the_row_as_well_is_in_the_evidence_and_no_other() -> None:
    others = (
        rival(document_id="D3"),
        rival(document_id="D2"),
        rival("Autumn", document_id="D4"),
        rival(container=C2, document_id="D5"),
    )

    body = evidence(rivals=others).body

    assert body["reason"] == "contested"
    assert body["contested_by"] == [
        {"external_id": "1001", "document_id": one, "item": "r1"} for one in ("D2", "D3")
    ]


def test_where_nobody_contests_the_evidence_is_as_it_was() -> None:
    assert "contested_by" not in evidence(rivals=(rival("Autumn"),)).body
    marked = judged(document(), two_walks(row()), rivals=(rival(),)).verdicts["a1"].evidence
    assert "contested_by" not in marked.body


def test_explain_names_the_other_document_and_its_item_to_programs_and_to_people() -> None:
    shape = explained(evidence(rivals=(rival(),)))

    (one,) = shape["items"]
    assert one["contested_by"] == [one_of("D2", "r1", ALSO)]
    words = f"item r1 of D2 {ALSO}: 1001"
    assert one["why"].endswith(words)
    assert words in " ".join(drawn(funnel_picture(shape), width=100).split())


def test_a_row_that_another_document_has_by_name_and_time_names_it() -> None:
    sealed = evidence(bindings=bound("1001", document_id="D7", grade=Grade.NAME_AND_TIME))

    found = rivals(held(), Reason.CONTESTED, sealed.body, ())

    assert found == [one_of("D7", "r1", "has it by name and time")]


def test_a_claim_that_was_given_up_names_the_document_that_took_the_row() -> None:
    detail = {"external_id": "1001", "given_up_to": "D9"}
    told = Event(kind=events.CONTESTED, item="a1", detail=detail)
    others = Event(kind=events.CONTESTED, item="a2", detail=detail | {"given_up_to": "D8"})
    journal = tuple(
        Recorded(sequence=number, at=LOOKED_AT, event=event)
        for number, event in enumerate((told, others), start=1)
    )

    assert rivals(held(), None, evidence().body, journal) == [
        one_of("D9", None, "took it from this item")
    ]
    for judgement in (None, Reason.CONTESTED):
        assert rivals(held(Reason.UNPROVEN_ROW), judgement, evidence().body, journal) == []


def test_what_was_found_and_given_up_since_says_to_whom_and_not_only_that_it_was_found() -> None:
    detail = {"external_id": "1001", "given_up_to": "D9"}
    mine, others = (
        Recorded(
            sequence=number, at=LOOKED_AT, event=Event(kind=events.CONTESTED, item=key, detail=said)
        )
        for number, key, said in ((1, "a1", detail), (2, "a2", detail | {"given_up_to": "D8"}))
    )

    (one,) = explained(evidence(), mine, others)["items"]
    (untouched,) = explained(evidence(), others)["items"]

    assert one["verdict"] == untouched["verdict"] == "found"
    assert one["since"].startswith("it was given up to D9, at 2026-03-10 12:15:00 UTC")
    assert one["why"].endswith(one["since"])
    assert [rival["document_id"] for rival in one["contested_by"]] == ["D9"]
    assert untouched["since"] is None


def test_evidence_from_before_rivals_were_named_is_still_explained() -> None:
    body = {**evidence(rivals=(rival(),)).body}
    del body["contested_by"]

    (one,) = explained(Evidence.of(body))["items"]

    assert one["contested_by"] == []
    assert one["why"] == "another document may own the row as well as this one"


def test_a_sentence_names_a_few_and_counts_the_rest() -> None:
    many = [one_of(f"D{number}", "r1", ALSO) for number in range(5)]

    assert named("contested", many).endswith("item r1 of D2 may have made it by its name and "
                                             "time: 1001; and 2 more")  # fmt: skip
