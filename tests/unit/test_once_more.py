"""A second set of a document is offered with what it would double."""

from __future__ import annotations

import pytest

from fixtures.samples import at, document, item
from reconciler.copying import replace
from reconciler.model import DocumentState, ItemState
from reconciler.once_more import doubling

I = ItemState  # noqa: E741 - the table below is read by its columns


@pytest.mark.parametrize(
    ("states", "told"),
    [
        ([I.ABSENT, I.WAITING], ""),
        ([I.CONFIRMED], "its one item exists outside"),
        ([I.CONFIRMED, I.CONFIRMED], "all its 2 items exist outside"),
        ([I.CONFIRMED, I.ABSENT], "1 of its 2 items exists outside"),
        ([I.CONFIRMED, I.HELD, I.WAITING], "1 of its 3 items exists outside and 1 more may"),
        ([I.PENDING, I.WAITING], "1 of its 2 items may exist outside"),
    ],
)
def test_it_says_how_many_items_exist_and_how_many_may(states: list[ItemState], told: str) -> None:
    items = [item("abc"[number], state) for number, state in enumerate(states)]
    said = doubling(document(items, DocumentState.CANCELLED))

    assert said == (f", though {told} and would be made a second time" if told else "")


def test_what_is_not_listed_any_more_is_not_said_to_exist() -> None:
    there = item(state=I.CONFIRMED)
    assert there.intent is not None
    gone = replace(there, intent=replace(there.intent, unlisted_since=at(9)))

    assert doubling(document([gone], DocumentState.PUBLISHED)) == ""
