"""When whoever drives a document by a timer should come again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fixtures.samples import at, document, ended, intent, item, lease
from reconciler.again import again_at
from reconciler.model import (
    Account,
    BlockReason,
    Document,
    DocumentState,
    ItemState,
    Origin,
    Outcome,
    Purpose,
)
from reconciler.ports import View

D, S = DocumentState, ItemState
NOW = at(10)
OPEN = Account(id="act_1001")
PAUSED = replace(OPEN, paused="the client asked for it")
THROTTLED = replace(OPEN, reason=BlockReason.THROTTLED, until=at(60))
REFUSED = replace(OPEN, reason=BlockReason.ACCESS, until=at(70), token_print="p")
UNKNOWN = item("a", S.PENDING, intent=intent(ended(Outcome.UNKNOWN)))
MADE = item("a", S.CONFIRMED)

TABLE = [
    ("a draft waits for a person", document([item()], D.DRAFT), OPEN, None),
    ("due now", document([item()], due_at=at(5)), OPEN, 5),
    ("put off", document([item()], due_at=at(50)), OPEN, 50),
    ("unanswered, its look to come", document([UNKNOWN], due_at=at(50)), OPEN, 50),
    ("unanswered, due for a look", document([UNKNOWN], due_at=at(9)), OPEN, 9),
    ("somebody looks", document([UNKNOWN], due_at=at(9), lease=lease(80, Purpose.SETTLE)),
     OPEN, 80),
    ("throttled", document([item()], due_at=at(5)), THROTTLED, 60),
    ("token refused: once more when it may be asked", document([item()], due_at=at(5)), REFUSED,
     70),
    ("paused: a person ends that", document([item()], due_at=at(5)), PAUSED, None),
    ("paused, but looked at all the same", document([UNKNOWN], due_at=at(50)), PAUSED, 50),
    ("somebody publishes", document([item()], D.PUBLISHING, lease=lease(120)), OPEN, 120),
    ("its worker died", document([item()], D.PUBLISHING, lease=lease(5)), OPEN, 5),
    ("published", document([MADE], D.PUBLISHED), OPEN, None),
    ("published, a look is owed", document([MADE], D.PUBLISHED, owes_look_from=at(90),
     due_at=at(90)), OPEN, 90),
    ("imported: only people and reads settle it", document([UNKNOWN], due_at=at(5),
     origin=Origin.IMPORTED), OPEN, None),
]  # fmt: skip


@pytest.mark.parametrize(("given", "account", "wanted"), [row[1:] for row in TABLE],
                         ids=[row[0] for row in TABLE])  # fmt: skip
def test_when_to_come_again(given: Document, account: Account, wanted: float | None) -> None:
    told = again_at(View(document=given, account=account, now=NOW))

    assert told == (None if wanted is None else at(wanted))
