"""How a cell of the sieve table is put to the test: one row, and where the funnel counts it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fixtures.funnel_world import (
    document,
    item,
    judged,
    row,
    told,
    two_walks,
)
from reconciler.funnel import Policy
from reconciler.listing import Row
from reconciler.model import Document
from reconciler.ports import Binding

LABELLED = document(item("a1", "Spring"))
WHOLE = document(item("a1", "Spring", in_name=True), item("a2", "Spring", in_name=True))
UNMARKED = document(item("a1", "Spring", part=None), part=None)
PROVEN = row("9999", "Autumn", created=5)  # a sibling's row: it shows that our label comes back
WITH_SIBLING = document(item("a1", "Spring"), item("a2", "Autumn", bound_to="9999"))
NO_BINDINGS: Mapping[str, Binding] = {}


@dataclass(frozen=True)
class Case:
    """One cell: `want` is the verdict on item a1, `at` the stage that counts the row and how."""

    name: str
    reason: str
    given: Row
    want: str
    at: str
    doc: Document = LABELLED
    others: tuple[Row, ...] = ()
    bindings: Mapping[str, Binding] = field(default_factory=dict)
    policy: Policy = field(default_factory=Policy)


def run(case: Case) -> tuple[str, list[str]]:
    """The verdict on a1, and where its one row was counted; other rows are counted nowhere else."""
    verdict = judged(
        case.doc,
        two_walks(case.given, *case.others, **_place(case.doc)),
        bindings=case.bindings,
        policy=case.policy,
    ).verdicts["a1"]
    removed = [
        f"{stage['stage']}: {example['says']}"
        for stage in verdict.evidence.body["stages"]
        for example in stage["examples"]
        if "says" in example and example["id"] == case.given.id
    ]
    return told(verdict), removed


def _place(doc: Document) -> dict[str, Any]:
    intent = doc.item("a1").intent
    assert intent is not None
    return {"container": intent.container, "kind": intent.kind}


def none(field_name: str) -> dict[str, Any]:
    """This field, missing."""
    return {field_name: None}
