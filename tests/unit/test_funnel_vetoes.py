"""The vetoes judge a name whole: contested, ambiguous, over the cap; and twins share its rows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fixtures.funnel_world import (
    C2,
    FOREIGN_PART,
    PART,
    all_told,
    answered,
    attempt,
    bare,
    bound,
    counted_at,
    document,
    item,
    judged,
    rival,
    row,
    told,
    two_walks,
    whole_marked,
)
from reconciler.limits import Limits
from reconciler.listing import Row
from reconciler.model import Document, ItemState, Kind
from reconciler.ports import Rival

UNMARKED = document(item("a1", part=None), part=None)


def unmarked(*keys: str) -> Document:
    """Twins sent without a mark, with equal requests."""
    return document(*(item(key, part=None) for key in keys), part=None)


# --- uncontested -------------------------------------------------------------------------------

RIVALS = [
    ("it lacks the name", rival(), "contested"),
    ("it was sent with a mark that may not come back", rival(part=FOREIGN_PART), "contested"),
    ("it bound the name to another row by name and time", rival(bound_to="7777"), "contested"),
    ("its name is another", rival("Autumn"), "found 1001 by name_and_time"),
    ("its parent is another", rival(container=C2), "found 1001 by name_and_time"),
    ("its kind is another", rival(kind=Kind.AD), "found 1001 by name_and_time"),
    (
        "the row was created before it began",
        rival(attempts=(attempt(start=3600, lease=3900),)),
        "found 1001 by name_and_time",
    ),
    (
        "the row was created after its last call",
        rival(attempts=(attempt(start=-3600, lease=-3300),)),
        "found 1001 by name_and_time",
    ),
]


@pytest.mark.parametrize(("why", "other", "want"), RIVALS, ids=[why for why, _, _ in RIVALS])
def test_a_rival_contests_a_row_unless_its_own_sieves_disprove_it(
    why: str, other: Rival, want: str
) -> None:
    verdict = judged(UNMARKED, two_walks(bare()), rivals=(other,)).verdicts["a1"]

    assert told(verdict) == want, why
    assert ("uncontested: doubt" in counted_at(verdict)) is (want == "contested")


def test_one_more_row_never_frees_another_from_a_rival() -> None:
    """Its label on a row says that its marks come back; the walk keeps such rows by chance only."""
    its_own = row("2002", labels=(FOREIGN_PART,))
    listings = two_walks(bare(), its_own)

    verdicts = judged(UNMARKED, listings, rivals=(rival(part=FOREIGN_PART),)).verdicts

    assert told(verdicts["a1"]) == "contested"


def test_a_row_that_bears_our_mark_is_contested_by_nobody() -> None:
    verdicts = judged(document(), two_walks(row()), rivals=(rival(), rival(part=PART))).verdicts

    assert told(verdicts["a1"]) == "found 1001 by mark"


def test_a_row_bound_for_good_is_contested_by_nobody_and_found_by_nobody() -> None:
    verdicts = judged(
        UNMARKED, two_walks(bare()), rivals=(rival(),), bindings=bound("1001", document_id="D3")
    ).verdicts

    assert told(verdicts["a1"]) == "absent"


def test_one_contested_row_takes_the_whole_name_with_it() -> None:
    """Removing contested rows one by one would let the order of documents decide."""
    doc = unmarked("a1", "a2")
    late = rival(attempts=(attempt(start=100, lease=300),))

    verdicts = judged(doc, two_walks(bare("1001"), bare("1002", created=200)), rivals=(late,))

    assert all_told(verdicts) == {"a1": "contested", "a2": "contested"}


def test_two_names_are_contested_apart() -> None:
    doc = document(item("a1", part=None), item("a2", "Autumn", part=None), part=None)

    verdicts = judged(doc, two_walks(bare(), bare("1002", "Autumn")), rivals=(rival(),))

    assert all_told(verdicts) == {"a1": "contested", "a2": "found 1002 by name_and_time"}


# --- unambiguous and cap -----------------------------------------------------------------------


def test_two_rows_for_one_that_lacks_are_ambiguous_and_both_are_shown() -> None:
    verdict = judged(UNMARKED, two_walks(bare("1001"), bare("1002"))).verdicts["a1"]

    assert told(verdict) == "ambiguous"
    assert verdict.evidence.body["survivors"] == ["1001", "1002"]
    assert counted_at(verdict) == ["unambiguous: doubt"]


def test_two_marked_rows_for_one_that_lacks_are_ambiguous() -> None:
    assert all_told(judged(document(), two_walks(row("1001"), row("1002")))) == {"a1": "ambiguous"}


def test_two_rows_with_one_whole_mark_are_ambiguous_though_the_name_lacks_two() -> None:
    doc = document(item("a1", in_name=True), item("a2", in_name=True))
    rows = (whole_marked("a1", "1001"), whole_marked("a1", "1002"))

    assert all_told(judged(doc, two_walks(*rows))) == {"a1": "ambiguous", "a2": "absent"}


def test_held_twins_count_as_lacking() -> None:
    doc = document(item("a1", part=None), item("a2", part=None, state=ItemState.HELD), part=None)

    assert all_told(judged(doc, two_walks(bare("1001"), bare("1002")))) == {
        "a1": "found 1001 by name_and_time"
    }


@pytest.mark.parametrize("state", [ItemState.ABSENT, ItemState.REJECTED, ItemState.BLOCKED])
def test_what_is_no_longer_missed_does_not_count_as_lacking(state: ItemState) -> None:
    doc = document(item("a1", part=None), item("a2", part=None, state=state), part=None)

    assert all_told(judged(doc, two_walks(bare("1001"), bare("1002")))) == {"a1": "ambiguous"}


def test_a_twin_whose_id_is_known_lacks_nothing() -> None:
    doc = document(
        item("a1", part=None), item("a2", part=None, calls=(answered("1003"),)), part=None
    )
    rows = (bare("1001"), bare("1002"), bare("1003"))

    assert all_told(judged(doc, two_walks(*rows))) == {
        "a1": "ambiguous",
        "a2": "found 1003 by reply",
    }


def test_a_twin_whose_id_is_known_leaves_the_other_row_alone() -> None:
    doc = document(
        item("a1", part=None), item("a2", part=None, calls=(answered("1003"),)), part=None
    )

    assert all_told(judged(doc, two_walks(bare("1001"), bare("1003")))) == {
        "a1": "found 1001 by name_and_time",
        "a2": "found 1003 by reply",
    }


def test_no_more_than_the_cap_are_adopted_by_one_name() -> None:
    keys = [f"a{n}" for n in range(12)]
    rows = [bare(f"10{n:02}") for n in range(11)]

    capped = judged(unmarked(*keys), two_walks(*rows))
    at_the_cap = judged(unmarked(*keys), two_walks(*rows[:10]))
    raised = judged(unmarked(*keys), two_walks(*rows), limits=Limits(max_per_name=11))

    assert set(all_told(capped).values()) == {"over_cap"}
    assert sum(told.startswith("found") for told in all_told(at_the_cap).values()) == 10
    assert sum(told.startswith("found") for told in all_told(raised).values()) == 11


def test_the_cap_does_not_touch_what_whole_marks_tell_apart() -> None:
    keys = [f"a{n}" for n in range(12)]
    doc = document(*(item(key, in_name=True) for key in keys))

    told_apart = judged(doc, two_walks(*(whole_marked(key, f"10{key}") for key in keys)))

    assert all_told(told_apart) == {key: f"found 10{key} by mark" for key in keys}


def test_every_veto_counts_the_sieves_survivors() -> None:
    verdict = judged(UNMARKED, two_walks(bare("1"), bare("2")), rivals=(rival(),)).verdicts["a1"]
    stages = {stage["stage"]: stage for stage in verdict.evidence.body["stages"]}

    assert told(verdict) == "contested"
    assert [stages[veto]["in"] for veto in ("uncontested", "unambiguous", "cap")] == [2, 2, 2]
    assert [stages[veto]["doubt"] for veto in ("uncontested", "unambiguous", "cap")] == [2, 2, 0]


# --- doubts beside a survivor ------------------------------------------------------------------


def test_a_doubt_about_an_unmarked_row_withholds_what_is_found_without_a_mark() -> None:
    verdicts = judged(UNMARKED, two_walks(bare(), bare("1002", created=None)))

    assert all_told(verdicts) == {"a1": "unproven_row"}


@pytest.mark.parametrize(
    "other",
    [
        bare("1002", name=None),
        row("1002", labels=("rc1-cut",)),
        bare("1002", "Spring [rc1-aaaa"),
        bare("1002", "Spring", created=None),
    ],
)
def test_beside_our_mark_doubts_about_unmarked_rows_do_not_count(other: Row) -> None:
    assert all_told(judged(document(), two_walks(row(), other))) == {"a1": "found 1001 by mark"}


@pytest.mark.parametrize(
    ("other", "want"),
    [
        (row("1002", name=None), "unproven_row"),
        (row("1002", campaign_id=C2.id), "mark_lost"),
        (row("1002", created=-3600), "unproven_row"),
        (row("1002", "Nobody's"), "mark_lost"),
    ],
)
def test_beside_our_mark_doubts_about_marked_rows_do_count(other: Row, want: str) -> None:
    assert all_told(judged(document(), two_walks(row(), other))) == {"a1": want}


def test_of_several_doubtful_rows_the_first_sieves_reason_is_given() -> None:
    rows = (bare("1", created=None), bare("2", labels=("rc1-cut",)), bare("3", account_id=None))

    assert all_told(judged(UNMARKED, two_walks(*rows[:2]))) == {"a1": "mark_lost"}
    assert all_told(judged(UNMARKED, two_walks(*rows))) == {"a1": "unproven_row"}


def test_a_doubtful_row_counts_as_marked_if_it_was_so_in_one_of_two_readings() -> None:
    first, second = two_walks(row("1001"))
    doubtful = replace(first, rows=(row("1001"), row("1002", "Nobody's")))
    renamed = replace(second, rows=(row("1001"), bare("1002", name=None)))

    assert all_told(judged(document(), (doubtful, renamed))) == {"a1": "mark_lost"}
