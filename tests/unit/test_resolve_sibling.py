"""Adopting a row that may be another item's of the document: that item is named, with the cost."""

from __future__ import annotations

from typing import Any, Final

import pytest

from fixtures.funnel_world import LIMITS, document, item, row, two_walks
from reconciler.funnel import weigh
from reconciler.listing import Row
from reconciler.model import Document, Origin
from reconciler.ports import Surroundings
from reconciler.resolve_adopt import Adoptable, adoptable
from tests.unit.sieve_cases import WITH_SIBLING

ID: Final = "23850000000000777"
TWO: Final = document(item("a1", "Spring"), item("a2", "Autumn"))
AGAIN: Final = "a2 is looked for in vain, and made again by the next publish"


def ruled(
    given: Row, *others: Row, doc: Document = TWO, override: bool = True, of: str = "a1"
) -> Adoptable:
    walks = two_walks(given, *others)
    weighed = weigh(doc, walks, Surroundings(), limits=LIMITS)
    return adoptable(weighed, of, given.id, walks, override=override)


def at(name: str = "Autumn", **changed: Any) -> Row:
    return row(ID, name, **changed)


def test_a_row_with_our_mark_and_a_siblings_name_names_the_sibling_and_what_becomes_of_it() -> None:
    (warning,) = ruled(at()).warnings

    assert warning.startswith(f"{ID} bears our mark and the name of a2 and may be the entity of a2")
    assert warning.endswith(f"once it is a1's, {AGAIN}")


def test_the_refusal_that_asks_for_an_override_says_it_too() -> None:
    refused = ruled(at(), override=False).refused

    assert AGAIN in str(refused)
    assert str(refused).endswith("say so with --override")


def test_a_renamed_row_with_our_mark_may_be_any_items_that_lacks_its_own() -> None:
    (warning,) = ruled(at("Winter")).warnings

    assert warning.startswith(f"{ID} bears our mark and may be the entity of a2")


@pytest.mark.parametrize("doc", [
    document(*TWO.items, origin=Origin.IMPORTED), document(*TWO.items, cancel_requested=True),
], ids=["imported", "cancelled"])  # fmt: skip
def test_where_nothing_more_is_made_it_is_not_said_to_be_made_again(doc: Document) -> None:
    (warning,) = ruled(at(), doc=doc).warnings

    assert warning.endswith("a2 is looked for in vain, and counts as never made")


def test_a_row_that_could_be_nobody_elses_costs_nobody_anything() -> None:
    assert ruled(at("Spring")).warnings == ()
    assert ruled(at("Winter", labels=())).warnings == ()


def test_a_sibling_that_has_its_entity_or_another_row_left_loses_nothing() -> None:
    another = row("23850000000000778", "Autumn")
    its = row("9999", "Autumn")

    assert ruled(at(), another).warnings == ()
    assert ruled(at(), its, doc=WITH_SIBLING).warnings == ()


def test_equal_twins_do_not_take_from_each_other() -> None:
    twins = document(item("a1", "Spring"), item("a2", "Spring"))

    assert ruled(at("Spring"), doc=twins).warnings == ()
