"""What a walk keeps: whatever a sieve may find ours or doubtful, and little else."""

from __future__ import annotations

import pytest

from fixtures.funnel_world import FOREIGN_PART, PART, bare, document, item, row, waiting
from reconciler.listing import Row, Wanted, wanted_for
from reconciler.mark import Mark
from reconciler.model import Kind

NAMES = frozenset({"Spring", "Late Summer", "Tom & Jerry", "Été", "Promo [x]"})
WANTED = Wanted(NAMES, frozenset({PART}))
WHOLE = Mark(PART, "aaaaaa").as_name_suffix()
FOREIGN_WHOLE = Mark(FOREIGN_PART, "aaaaaa").as_name_suffix()

KEPT = [
    ("a wanted name", bare()),
    ("a wanted name with odd white space", bare(name="  Spring ")),
    ("a wanted name of two words, tabbed", bare(name="\tLate\t Summer\n")),
    ("a wanted name in another normal form", bare(name="E\u0301te\u0301")),
    ("a wanted name, escaped", bare(name="Tom &amp; Jerry")),
    ("a wanted name with a bracket", bare(name="Promo [x]")),
    ("a wanted name behind a foreign mark", bare(name="Spring" + FOREIGN_WHOLE)),
    ("a wanted name, escaped, behind a mark", bare(name="Tom &amp; Jerry" + FOREIGN_WHOLE)),
    ("a wanted name before a cut mark", bare(name="Spring [rc1-aaaa")),
    ("a wanted name, escaped, before a cut mark", bare(name="Tom &amp; Jerry [rc1-aaaa")),
    ("no name", bare(name=None)),
    ("an empty name", bare(name="")),
    ("a blank name", bare(name=" \u00a0")),
    ("our label under any name", row(name="Nobody's")),
    ("our label beside others", row(name="Nobody's", labels=("theirs", PART))),
    ("our whole mark under any name", bare(name="Nobody's" + WHOLE)),
    ("an unreadable label under a wanted name", bare(labels=("rc1-cut",))),
]
DROPPED = [
    ("another name", bare(name="Autumn")),
    ("a wanted name in other letters", bare(name="spring")),
    ("another name with a wanted one's last word", bare(name="Early Summer")),
    ("a name of another alphabet", bare(name="Весна")),
    ("a longer name", bare(name="Spring 2")),
    ("a name that contains a wanted one", bare(name="Pre-Spring Sale")),
    ("another name with a foreign label", row(name="Autumn", labels=(FOREIGN_PART,))),
    ("another name with a foreign whole mark", bare(name="Autumn" + FOREIGN_WHOLE)),
    ("another name with a cut mark", bare(name="Autumn [rc1-aaaa")),
    ("another name with an unreadable label", bare(name="Autumn", labels=("rc1-cut",))),
]


@pytest.mark.parametrize(("why", "given"), KEPT, ids=[why for why, _ in KEPT])
def test_a_walk_keeps(why: str, given: Row) -> None:
    assert WANTED.keeps(given), why


@pytest.mark.parametrize(("why", "given"), DROPPED, ids=[why for why, _ in DROPPED])
def test_a_walk_drops(why: str, given: Row) -> None:
    assert not WANTED.keeps(given), why


def test_what_two_want_is_kept_for_both() -> None:
    both = Wanted(frozenset({"A"}), frozenset({PART})) | Wanted(frozenset({"B"}), frozenset())

    assert both.keeps(bare(name="A"))
    assert both.keeps(bare(name="B"))
    assert both.keeps(row(name="C"))


def test_wanted_are_the_names_of_the_items_and_every_mark_of_the_document() -> None:
    items = (item("a1", "A"), item("a2", "B"), waiting("a3", "C"), item("a4", "D", part="other"))

    wanted = wanted_for(document(*items), items[:1] + items[2:3])

    assert wanted == Wanted(frozenset({"A"}), frozenset({PART, "other"}))


def test_a_document_without_a_mark_wants_names_only() -> None:
    doc = document(item(part=None), part=None)

    assert wanted_for(doc, doc.items) == Wanted(frozenset({"Spring"}), frozenset())


@pytest.mark.parametrize(
    ("given", "parent"),
    [
        (row(kind=Kind.AD, adset_id="2001"), "2001"),
        (row(kind=Kind.ADSET, campaign_id="1501"), "1501"),
        (row(kind=Kind.CAMPAIGN), "act_1000000000000001"),
        (row(kind=Kind.ADCREATIVE, account_id="act_7"), "act_7"),
        (row(kind=Kind.CAMPAIGN, account_id=None), None),
    ],
)
def test_a_row_says_its_parent(given: Row, parent: str | None) -> None:
    assert given.parent_id == parent
