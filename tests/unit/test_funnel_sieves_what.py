"""The sieve table, cell by cell: copy, name, created and provenance, which say what a row is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fixtures.funnel_world import (
    C2,
    bare,
    bound,
    document,
    item,
    row,
    whole_marked,
)
from reconciler.funnel import LegacyEvidence, Policy
from reconciler.model import Grade, ItemState, Origin
from tests.unit.sieve_cases import LABELLED, UNMARKED, WITH_SIBLING, Case, run

IMPORTED = document(item(part=None), part=None, origin=Origin.IMPORTED)
DEMANDING = Policy(legacy_evidence=LegacyEvidence.PROVENANCE)

CASES = [
    # --- copy
    Case(
        "a copy with our mark",
        reason="A copy inherits name and labels; its source field tells.",
        given=row("1001", source_id="1000"),
        want="absent",
        at="copy: not_ours",
    ),
    Case(
        "a copy without a mark",
        reason="The same for documents without one.",
        given=bare("1001", source_id="1000"),
        doc=UNMARKED,
        want="absent",
        at="copy: not_ours",
    ),
    # --- name
    Case(
        "our mark and another item's name",
        reason="Within a document the label tells nothing; the name does, and that one lacks it.",
        given=row("1001", "Autumn"),
        doc=document(item("a1", "Spring"), item("a2", "Autumn", state=ItemState.HELD)),
        want="absent",
        at="name: not_ours",
    ),
    Case(
        "our mark and the name of an item that has its entity",
        reason="That one needs none, so this may be ours, renamed.",
        given=row("1001", "Autumn"),
        doc=WITH_SIBLING,
        want="mark_lost",
        at="name: doubt",
    ),
    Case(
        "our mark and the name of an item under another parent",
        reason="That one could not be listed here.",
        given=row("1001", "Autumn"),
        doc=document(item("a1", "Spring"), item("a2", "Autumn", container=C2)),
        want="mark_lost",
        at="name: doubt",
    ),
    Case(
        "our mark and a name of nobody's",
        reason="R044: the API stored another name; it is ours, and nobody may create again.",
        given=row("1001", "Acme Ads EUR"),
        want="mark_lost",
        at="name: doubt",
    ),
    Case(
        "our whole mark and another lacking item's name",
        reason="The whole mark says more than the name.",
        given=whole_marked("a1", name="Autumn"),
        doc=document(
            item("a1", "Spring", in_name=True), item("a2", "Autumn", state=ItemState.HELD)
        ),
        want="mark_lost",
        at="name: doubt",
    ),
    Case(
        "our label and a name with a cut mark",
        reason="Sent with the label only, it never had a mark in its name.",
        given=row("1001", "Spring [rc1-aaaaaaaa"),
        want="mark_lost",
        at="name: doubt",
    ),
    Case(
        "unmarked and escaped",
        reason="A server that escapes, or somebody's name: not proven.",
        given=bare("1001", "Tom &amp; Jerry"),
        doc=document(item("a1", "Tom & Jerry", part=None), part=None),
        want="unproven_row",
        at="name: doubt",
    ),
    Case(
        "our mark and the escaped names of two items",
        reason="Either may have become this.",
        given=row("1001", "Tom &amp; Jerry"),
        doc=document(item("a1", "Tom & Jerry"), item("a2", "Tom &amp; Jerry")),
        want="unproven_row",
        at="name: doubt",
    ),
    # --- created
    *(
        Case(
            f"created {why}",
            reason="R039, R056: outside the window nobody's call of ours was on its way.",
            given=bare("1001", created=at),
            doc=UNMARKED,
            want="absent",
            at="created: not_ours",
        )
        for why, at in (
            ("an hour before", -3600),
            ("two minutes before", -120),
            ("a second before the window", -7),
            ("a second after the window", 427),
        )
    ),
    Case(
        "our mark, created outside the window",
        reason="Ours, at a time that cannot be: a clock or a record is wrong.",
        given=row("1001", created=-7),
        want="unproven_row",
        at="created: doubt",
    ),
    *(
        Case(
            f"creation time {text!r}, {'marked' if doc is LABELLED else 'unmarked'}",
            reason="R056: a time without zone, or none, is not guessed.",
            given=replace(given, created_time=text),
            doc=doc,
            want="unproven_row",
            at="created: doubt",
        )
        for text in (None, "2026-03-10T12:00:04", "yesterday", "1969-12-31T15:59:59-0800")
        for doc, given in ((LABELLED, row("1001")), (UNMARKED, bare("1001")))
    ),
    # --- provenance
    Case(
        "the log names another app",
        reason="R041 with the log: another app's is not ours.",
        given=bare("1001"),
        doc=UNMARKED,
        policy=Policy(app_id="77001", provenance={"1001": "66001"}),
        want="absent",
        at="provenance: not_ours",
    ),
    Case(
        "the log does not tell",
        reason="Facts 6.10: it may lag.",
        given=bare("1001"),
        doc=IMPORTED,
        policy=replace(DEMANDING, app_id="77001", provenance={}),
        want="provenance",
        at="provenance: doubt",
    ),
    Case(
        "our own app is not known",
        reason="Then no name in the log says anything.",
        given=bare("1001"),
        doc=IMPORTED,
        policy=replace(DEMANDING, provenance={"1001": "66001"}),
        want="provenance",
        at="provenance: doubt",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_cell_of_the_table(case: Case) -> None:
    assert run(case) == (case.want, [case.at]), case.reason


def test_a_row_counts_at_the_first_sieve_that_disproved_it_however_early_another_doubts() -> None:
    given = bare("1001", account_id=None, created=-3600)

    assert run(Case("", "", given, "", "", doc=UNMARKED)) == ("absent", ["created: not_ours"])


def test_of_several_doubts_the_first_sieves_counts() -> None:
    given = row("1001", campaign_id=None, created=None, name="Nobody's")

    assert run(Case("", "", given, "", "")) == ("unproven_row", ["container: doubt"])


def test_the_bound_sieve_doubts_before_all_others() -> None:
    verdict = run(
        Case("", "", bare("1001", created=None), "", "", doc=UNMARKED,
             bindings=bound("1001", grade=Grade.NAME_AND_TIME))
    )  # fmt: skip

    assert verdict == ("contested", ["bound: doubt"])
