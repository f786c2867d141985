"""What a person may overrule: each line of the sieves' table has its part, and holds to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from fixtures.funnel_world import (
    C2,
    FOREIGN_PART,
    LIMITS,
    PART,
    document,
    item,
    row,
    seconds,
    two_walks,
    walk,
)
from reconciler.funnel import weigh
from reconciler.listing import Row
from reconciler.model import Document, Grade
from reconciler.ports import Binding, Surroundings
from reconciler.resolve_adopt import (
    BY_A_PERSON,
    BY_OVERRIDE,
    NEVER,
    Adoptable,
    adoptable,
    why_another_first,
)
from reconciler.resolve_none import too_soon, why_not_none
from reconciler.sieves import SIEVES
from tests.unit.sieve_cases import LABELLED, PROVEN, UNMARKED, WITH_SIBLING

ID = "23850000000000777"
EARLY = 300.0
"""Begun before everything shows: at T0 + 480 s."""


def ruled(
    given: Row,
    doc: Document = LABELLED,
    *others: Row,
    override: bool = False,
    bindings: dict[str, Binding] | None = None,
    early: bool = False,
) -> Adoptable:
    walks = (
        (walk(given, *others, started_at=seconds(EARLY)),) if early else two_walks(given, *others)
    )
    weighed = weigh(doc, walks, Surroundings(bindings=bindings or {}), limits=LIMITS)
    return adoptable(weighed, "a1", given.id, walks, override=override)


def test_every_line_of_the_sieves_is_in_exactly_one_part() -> None:
    """`lacks_a_field` stands apart: which field it lacks decides."""
    lines = [line.holds for sieve in SIEVES for line in sieve.lines]
    parts = [NEVER, BY_OVERRIDE, BY_A_PERSON]

    counted = {holds.__name__: sum(holds in part for part in parts) for holds in lines}

    assert {name: count for name, count in counted.items() if count != 1} == {"lacks_a_field": 0}
    assert set(lines) >= NEVER | BY_OVERRIDE | BY_A_PERSON


@dataclass(frozen=True)
class Case:
    """`want` is None where it may be adopted, `override` where only so, else a word of the no."""

    name: str
    given: Row
    want: str | None
    doc: Document = LABELLED
    others: tuple[Row, ...] = ()
    bindings: dict[str, Binding] = field(default_factory=dict)


def bound_elsewhere(grade: Grade) -> dict[str, Binding]:
    return {ID: Binding(external_id=ID, document_id="D2", item="a1", grade=grade)}


def at(**changed: Any) -> Row:
    return row(ID, **changed)


CASES = [
    Case("our own", at(), None),
    Case("unmarked, echo not proven", at(labels=()), None),
    Case("unmarked, where marks show", at(labels=()), "override", WITH_SIBLING, (PROVEN,)),
    Case("our mark where none was sent", at(), "override", document(item(part=None))),
    Case("no mark where none was sent", at(labels=()), None, UNMARKED),
    Case("another document's mark", at(labels=(FOREIGN_PART,)), "another document's mark"),
    Case("ours and a foreign mark", at(labels=(PART, FOREIGN_PART)), "a foreign one"),
    Case("an unreadable mark", at(labels=("rc1-short",)), None),
    Case("a copy", at(source_id="1"), "is a copy"),
    Case("another parent, unmarked", at(labels=(), campaign_id=C2.id), "account or parent"),
    Case("another parent, marked", at(campaign_id=C2.id), "account or parent"),
    Case("another account", at(account_id="999"), "account or parent"),
    Case("no account", at(account_id=None), "lacks its account"),
    Case("no parent", at(campaign_id=None), "lacks its account"),
    Case("no name", at(name=None), "override"),
    Case("another name, unmarked", at(name="Winter", labels=()), "override"),
    Case("another name, marked", at(name="Winter"), "override"),
    Case("before the window", at(created=-7), "override"),
    Case("after the window, unmarked", at(created=500, labels=()), "override"),
    Case("no readable time", at(created_time="yesterday"), "override"),
    Case("bound by reply", at(labels=()), "bound elsewhere", bindings=bound_elsewhere(Grade.REPLY)),
    Case("bound by mark", at(labels=()), "bound elsewhere", bindings=bound_elsewhere(Grade.MARK)),
    Case("bound by a person", at(labels=()), "elsewhere", bindings=bound_elsewhere(Grade.PERSON)),
    Case("bound by name and time", at(labels=()), None,
         bindings=bound_elsewhere(Grade.NAME_AND_TIME)),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_shows_another_owner_stands_and_doubts_are_a_persons(case: Case) -> None:
    plain = ruled(case.given, case.doc, *case.others, bindings=case.bindings)
    bold = ruled(case.given, case.doc, *case.others, bindings=case.bindings, override=True)

    if case.want is None:
        assert (plain.refused, plain.overridden) == (None, ())
    elif case.want == "override":
        assert "--override" in str(plain.refused)
        assert bold.refused is None
        assert bold.overridden
    else:
        assert case.want in str(plain.refused)
        assert case.want in str(bold.refused)


def test_a_row_that_no_complete_listing_shows_is_not_adopted() -> None:
    walks = two_walks(row(ID))
    weighed = weigh(LABELLED, walks, Surroundings(), limits=LIMITS)

    refused = adoptable(weighed, "a1", "4711", walks, override=True).refused

    assert refused == "4711 is not in the complete listing of its container"


def test_before_everything_shows_only_our_mark_is_enough() -> None:
    assert ruled(at(), early=True).refused is None
    assert "too soon" in str(ruled(at(labels=()), early=True, override=True).refused)


def test_no_other_row_is_adopted_while_the_items_own_is_listed() -> None:
    own, other = at(), row("23850000000000778", name="Winter")
    weighed = weigh(LABELLED, two_walks(own, other), Surroundings(), limits=LIMITS)

    assert ID in str(why_another_first(weighed, "a1", other.id))
    assert why_another_first(weighed, "a1", ID) is None


def test_a_row_without_our_mark_is_no_items_own() -> None:
    theirs, other = at(labels=()), row("23850000000000778", name="Winter", labels=())
    weighed = weigh(UNMARKED, two_walks(theirs, other), Surroundings(), limits=LIMITS)

    assert why_another_first(weighed, "a1", other.id) is None


def test_a_claim_by_name_and_time_is_named_as_what_gives_way() -> None:
    weaker = bound_elsewhere(Grade.NAME_AND_TIME)

    assert ruled(at(labels=()), bindings=weaker).outranked == weaker[ID]
    assert ruled(at(labels=())).outranked is None


def test_an_id_read_twice_is_refused_if_either_reading_speaks_against_it() -> None:
    """Renamed between two pages: what is overridden must be said."""
    walks = (
        walk(row(ID)),
        walk(row(ID, source_id="1"), started_at=seconds(1000)),
    )
    weighed = weigh(LABELLED, walks, Surroundings(), limits=LIMITS)

    assert "is a copy" in str(adoptable(weighed, "a1", ID, walks, override=True).refused)


# --- no row is it --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "doc", "says"),
    [
        ((), LABELLED, None),
        ((at(labels=()),), LABELLED, None),
        ((at(labels=(), created=500),), LABELLED, None),
        ((at(source_id="1"),), LABELLED, None),
        ((at(),), LABELLED, "may be it"),
        ((at(), row("23850000000000778")), LABELLED, "may be it"),
        ((at(name="Winter"),), LABELLED, "bears our mark"),
        ((at(labels=("rc1-short",)),), LABELLED, "what is left of one"),
        ((at(labels=()),), UNMARKED, "may be it"),
        ((at(labels=(), created_time=None),), UNMARKED, None),
    ],
)
def test_none_may_be_said_only_of_rows_that_cannot_be_shown_to_be_ours(
    rows: tuple[Row, ...], doc: Document, says: str | None
) -> None:
    walks = two_walks(*rows)
    weighed = weigh(doc, walks, Surroundings(), limits=LIMITS)

    why = why_not_none(weighed, "a1", walks)

    assert why is None if says is None else says in str(why)


def test_none_rests_on_two_walks_begun_after_everything_shows() -> None:
    one, two = two_walks()
    early = walk(started_at=seconds(EARLY))
    weighed = weigh(LABELLED, (one, two), Surroundings(), limits=LIMITS)

    for walks in ((one,), (early, two), ()):
        assert "two complete walks" in str(why_not_none(weighed, "a1", walks))


def test_the_api_is_not_asked_before_an_absence_could_be_shown() -> None:
    assert too_soon(None, seconds(0)) is None
    assert too_soon(seconds(10), seconds(10)) is None
    assert "too soon" in str(too_soon(seconds(10), seconds(9)))
