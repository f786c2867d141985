"""What pressing a look came to, in the words of the page that follows it."""

from __future__ import annotations

import pytest

from adapters.web.page.looked import QUERY, UNDER_WAY, note_of, word_of
from reconciler.model import Reason
from reconciler.settle import Settled
from tests.unit import sample_views as sample

VIEW = sample.published()


@pytest.mark.parametrize(
    ("settled", "says"),
    [
        pytest.param(Settled(view=VIEW, looked=True), "listed just now", id="to the end"),
        pytest.param(
            Settled(view=VIEW, held_by_another=True), "nothing was listed", id="somebody is at it"
        ),
        pytest.param(
            Settled(view=VIEW, looked=True, withheld=Reason.THROTTLED),
            "gave no verdict: throttled",
            id="a listing that did not end is not called listed",
        ),
    ],
)
def test_the_page_says_what_it_came_to(settled: Settled, says: str) -> None:
    word = word_of(settled)

    assert word is not None
    assert says in (note_of({QUERY: word}) or "")


def test_a_look_that_goes_on_is_told_as_such() -> None:
    assert "still being listed" in (note_of({QUERY: UNDER_WAY}) or "")


def test_where_there_was_nothing_to_list_nothing_is_said() -> None:
    assert word_of(Settled(view=VIEW)) is None
    assert note_of({}) is None
