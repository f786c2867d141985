"""What no sieve speaks against, level by level, and the exceptions that creatives are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from fixtures.funnel_world import (
    C2,
    PART,
    WHOLE_ACCOUNT,
    attempt,
    bare,
    bound,
    call,
    counted_at,
    document,
    item,
    item_part,
    judged,
    row,
    told,
    two_walks,
    whole_marked,
)
from reconciler.funnel import Policy
from reconciler.listing import Row
from reconciler.model import ContainerKind, Document, Grade, Kind, Outcome
from reconciler.verdict import Found
from tests.unit.sieve_cases import UNMARKED, WHOLE, Case, run


def test_the_plain_case_is_found() -> None:
    assert run(Case("", "", row(), "", "")) == ("found 1001 by mark", [])
    assert run(Case("", "", bare(), "", "", doc=UNMARKED)) == ("found 1001 by name_and_time", [])
    assert run(Case("", "", whole_marked("a1"), "", "", doc=WHOLE)) == ("found 1001 by mark", [])


SURVIVING = [
    Case("nothing but the edge of the window", "R056", bare(created=-6), "", "", doc=UNMARKED),
    Case("the far edge of the window", "", bare(created=426), "", "", doc=UNMARKED),
    Case("a binding to this very item", "", bare(), "", "", doc=UNMARKED,
         bindings=bound("1001", document_id="D1", item="a1", grade=Grade.NAME_AND_TIME)),
    Case("a source field that says none", "Facts 4.21: unset may read as 0.", bare(source_id="0"),
         "", "", doc=UNMARKED),
    Case("an account spelt with act_", "R046", bare(account_id="act_1000000000000001"), "", "",
         doc=UNMARKED),
    Case("a name in another normal form", "R048", bare(name="E\u0301te\u0301"), "", "",
         doc=document(item(name="Été", part=None), part=None)),
    Case("the log names our app", "", bare(), "", "", doc=UNMARKED,
         policy=Policy(app_id="77001", provenance={"1001": "77001"})),
    Case("the log does not tell", "Facts 6.10: a missing row proves nothing.", bare(), "", "",
         doc=UNMARKED, policy=Policy(app_id="77001", provenance={})),
    Case("our own app is not known", "Then no name in the log says anything.", bare(), "", "",
         doc=UNMARKED, policy=Policy(provenance={"1001": "66001"})),
    Case("marked and escaped", "A marked row may equal the name after unescaping.",
         row(name="Tom &amp; Jerry"), "", "", doc=document(item(name="Tom & Jerry"))),
    Case("labels of the user's own beside ours", "", row(labels=("theirs", PART)), "", ""),
    Case("a user's label that looks like a mark", "Ours is readable beside it.",
         row(labels=("rc1-launch", PART)), "", ""),
    Case("a user's name that looks like a mark", "", row(name="Promo [rc1-final]"), "", "",
         doc=document(item(name="Promo [rc1-final]"))),
    Case("a user's name that looks like a mark, sent without one", "",
         bare(name="RC1-launch [rc1-x]"), "", "",
         doc=document(item(name="RC1-launch [rc1-x]", part=None), part=None)),
    Case("our whole mark without the label", "Labels may not come back.",
         whole_marked("a1", labels=()), "", "", doc=WHOLE),
    Case("our whole mark behind an escaped name", "",
         whole_marked("a1", name="Tom &amp; Jerry"), "", "",
         doc=document(item(name="Tom & Jerry", in_name=True))),
    Case("marked, and the log names another app", "The same.", row(), "", "",
         policy=Policy(app_id="77001", provenance={"1001": "66001"})),
    Case("marked, and in no log", "A mark proves more than the log.", row(), "", "",
         policy=Policy(app_id="77001", provenance={})),
]  # fmt: skip


@pytest.mark.parametrize("case", SURVIVING, ids=lambda case: case.name)
def test_what_speaks_against_nothing_is_found(case: Case) -> None:
    verdict, removed = run(case)

    assert removed == [], case.reason
    assert verdict.startswith("found 1001 by "), case.reason


# --- each level's parent -----------------------------------------------------------------------


def test_an_ads_parent_is_its_ad_set() -> None:
    adset = replace(C2, kind=ContainerKind.ADSET, id="2001")
    doc = document(item(kind=Kind.AD, container=adset, part=None), part=None)

    def ad(adset_id: str) -> Row:
        return bare(kind=Kind.AD, adset_id=adset_id)

    assert run(Case("", "", ad("2001"), "", "", doc=doc))[0] == "found 1001 by name_and_time"
    assert run(Case("", "", ad("2002"), "", "", doc=doc)) == ("absent", ["container: not_ours"])


def test_a_campaigns_parent_is_the_account() -> None:
    doc = document(item(kind=Kind.CAMPAIGN, container=WHOLE_ACCOUNT, part=None), part=None)
    ours = bare(kind=Kind.CAMPAIGN, campaign_id=None)

    assert run(Case("", "", ours, "", "", doc=doc))[0] == "found 1001 by name_and_time"


# --- creatives ---------------------------------------------------------------------------------


def creative(external_id: str = "1001", name: str = "Spring", **changes: Any) -> Row:
    """A creative bears no creation time."""
    return row(external_id, name, kind=Kind.ADCREATIVE, created=None, campaign_id=None, **changes)


def creatives(*names: str, bound_to: str | None = None, **changes: Any) -> Document:
    """A document of creatives; the last one is bound where an id is given."""
    items = [
        item(f"a{n}", name, kind=Kind.ADCREATIVE, container=WHOLE_ACCOUNT, **changes)
        for n, name in enumerate(names, start=1)
    ]
    if bound_to:
        items[-1] = item(
            f"a{len(names)}",
            names[-1],
            kind=Kind.ADCREATIVE,
            container=WHOLE_ACCOUNT,
            bound_to=bound_to,
        )
    return document(*items)


def test_a_creative_is_found_by_mark_without_a_creation_time() -> None:
    assert run(Case("", "", creative(), "", "", doc=creatives("Spring"))) == (
        "found 1001 by mark",
        [],
    )


def test_a_creative_may_be_found_though_its_id_is_bound_for_the_api_may_answer_two_with_one() -> (
    None
):
    case = Case("", "", creative(), "", "", doc=creatives("Spring"), bindings=bound("1001"))

    assert run(case)[0] == "found 1001 by mark"


def test_a_creative_is_not_found_by_name_alone() -> None:
    doc = creatives("Spring", part=None)

    assert run(Case("", "", creative(labels=()), "", "", doc=doc))[0] == "unproven_row"


def test_a_sibling_creatives_row_is_known_by_id_and_name_together() -> None:
    doc = creatives("Spring", "Autumn", bound_to="1001")

    by_both = run(Case("", "", creative(name="Autumn"), "", "", doc=doc))
    renamed = run(Case("", "", creative(name="Winter"), "", "", doc=doc))
    ours = run(Case("", "", creative(name="Spring"), "", "", doc=doc))

    assert by_both == ("absent", ["name: not_ours"])
    assert renamed == ("mark_lost", ["name: doubt"])
    assert ours == ("found 1001 by mark", [])


def test_a_creatives_creation_time_says_nothing_where_one_is_given() -> None:
    given = replace(creative(), created_time="2020-01-01T00:00:00+0000")

    doc = creatives("Spring")
    verdict = judged(doc, two_walks(given, container=WHOLE_ACCOUNT, kind=Kind.ADCREATIVE)).verdicts[
        "a1"
    ]

    assert told(verdict) == "found 1001 by mark"
    assert isinstance(verdict, Found)
    assert verdict.created_at is None


def test_our_whole_mark_on_a_row_known_as_a_siblings_is_not_disproved() -> None:
    doc = creatives("Spring", "Autumn", bound_to="1001", in_name=True)
    given = replace(creative(), name=whole_marked("a1", name="Autumn").name)

    assert run(Case("", "", given, "", "", doc=doc)) == ("mark_lost", ["name: doubt"])


def test_a_row_known_as_an_equal_twins_is_not_disproved_for_creatives() -> None:
    doc = creatives("Spring", "Spring", bound_to="1001", part=None)

    assert run(Case("", "", creative(labels=()), "", "", doc=doc)) == ("unproven_row", [])


def test_a_creatives_row_is_not_asked_for_in_the_activity_log() -> None:
    """Facts 6.3: the log has no create event for creatives."""
    case = Case("", "", creative(labels=()), "", "", doc=creatives("Spring", part=None),
                policy=Policy(app_id="77001", provenance={}))  # fmt: skip

    assert run(case) == ("unproven_row", [])


# --- what is stored, not what is set -----------------------------------------------------------


def test_a_row_must_bear_what_that_intent_was_sent_with() -> None:
    mixed = document(item("a1", "Spring", part=None), item("a2", "Autumn"))
    verdicts = judged(mixed, two_walks(bare("1001", "Spring"), row("1002", "Autumn"))).verdicts

    assert told(verdicts["a1"]) == "found 1001 by name_and_time"
    assert told(verdicts["a2"]) == "found 1002 by mark"


def test_what_never_left_us_opens_no_window() -> None:
    never_left = call(outcome=Outcome.NOT_SENT, ended_at=attempt().started_at)
    doc = document(item(part=None, calls=(never_left,)), part=None)

    verdict = judged(doc, two_walks(bare())).verdicts["a1"]

    assert (told(verdict), counted_at(verdict)) == ("absent", ["created: not_ours"])


def test_an_intent_without_a_call_is_an_error_of_ours_and_no_absence() -> None:
    with pytest.raises(AssertionError, match="first call"):
        judged(document(item(calls=())), two_walks())


def test_the_fixture_tells_item_parts_apart() -> None:
    assert len({item_part(key) for key in ("a1", "a2", "a3", "b1")}) == 4
