"""When a document is due again after a look: when the next one can say more, and not before."""

from __future__ import annotations

from datetime import datetime

import pytest

from fixtures.funnel_world import LIMITS, attempt, call, document, item, seconds
from reconciler.deciding import due_after
from reconciler.look import Look
from reconciler.model import Call, Document, Item, ItemState, Outcome
from reconciler.ports import Around, Surroundings
from reconciler.verdict import Judgement

LEASE = 120
SETTLED_BY_ANSWER = 10 + 180
"""Of a call that was answered by an error 10 s after the start: late landing and listing lag."""

SETTLED_BY_LEASE = LEASE + 180
"""Of a call that nobody heard of again."""


def answered_by_an_error() -> Call:
    return call(outcome=Outcome.UNKNOWN, ended_at=seconds(10))


def looked_at(when: float) -> Look:
    return Look(
        began_at=seconds(when),
        seen={},
        around=Around(),
        surroundings=Surroundings(),
        judgement=Judgement(),
        listings=(),
        incomplete={},
    )


def due(when: float, *items: Item) -> datetime | None:
    found: Document = document(*items, attempts=(attempt(lease=LEASE),))
    return due_after(found, looked_at(when), seconds(when + 1), LIMITS, 0.5)[0]


PENDING = item("a1", calls=(answered_by_an_error(),))


@pytest.mark.parametrize(
    ("beside", "wanted"),
    [
        pytest.param((), 201, id="alone it is settled: the next look may say something at once"),
        pytest.param((item("a2"),), 300, id="another of its name is pending, and settles later"),
        pytest.param(
            (item("a2", state=ItemState.HELD),),
            300,
            id="another of its name is held: nothing is said of either before, so nobody looks",
        ),
        pytest.param(
            (item("a2", "Autumn", state=ItemState.HELD),), 201, id="what is held has another name"
        ),
    ],
)
def test_it_waits_for_all_that_want_the_same(beside: tuple[Item, ...], wanted: int) -> None:
    """Else it would be looked at again and again, each time in vain, until the last is settled."""
    assert (SETTLED_BY_ANSWER, SETTLED_BY_LEASE) == (190, 300)

    assert due(200, PENDING, *beside) == seconds(wanted)


def test_what_is_held_alone_is_due_for_nobody() -> None:
    assert due(200, item("a1", state=ItemState.HELD)) is None
