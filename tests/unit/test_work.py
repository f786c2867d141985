"""What a settling run looks at, by the document as it is when the look begins."""

from __future__ import annotations

import dataclasses

from fixtures.samples import at, document, ended, intent, item
from reconciler.model import Document, ItemState, Outcome
from reconciler.walking import place_of
from reconciler.work import work_on


def owing(since: float = 5) -> Document:
    """A document whose unanswered call was followed up, and which owes a look since then."""
    sent = intent(ended(Outcome.UNKNOWN), ended(Outcome.NOT_SENT, number=2))
    absent = item(state=ItemState.ABSENT, intent=sent)
    return document([absent], owes_look_from=at(since), due_at=at(since))


def test_an_owed_look_lists_where_an_unanswered_call_may_have_made_something() -> None:
    owes = owing()
    work = work_on(owes, at(10), asked=False, refresh=False)

    assert work is not None
    assert owes.items[0].intent is not None
    assert work.places(owes) == {place_of(owes.items[0].intent)}


def test_a_look_that_is_owed_no_more_is_not_made() -> None:
    """A late answer came between two looks of one run (S11)."""
    owes = owing()
    work = work_on(owes, at(10), asked=False, refresh=False)
    answered = dataclasses.replace(owes, owes_look_from=None)

    assert work is not None
    assert work.places(answered) == frozenset()
    assert work.items(answered) == ()
