"""The state in which a document from elsewhere begins here, by what its row says."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from fixtures.samples import LIMITS
from reconciler.imported import NO_END_KNOWN, Stated, document_of
from reconciler.model import (
    Account,
    AttemptOutcome,
    Container,
    ContainerKind,
    Document,
    DocumentState,
    Grade,
    ItemState,
    NextAction,
    Origin,
)
from reconciler.next_step import next_step
from reconciler.settling import window
from reconciler.signature import is_crashed
from tests.unit.elsewhere_lines import (
    FINISHED,
    GONE,
    NOW,
    STATED,
    groups,
    line,
    record,
    recorded,
)

D, I = DocumentState, ItemState  # noqa: E741 - the table below is read by its columns
ALL = [*recorded(A="9001"), {"name": "A", "external_id": "9002"}, *recorded(B="9003")]


def document(stated: Stated = STATED, **changed: Any) -> Document:
    return document_of(record(**changed), stated, NOW, LIMITS)


@pytest.mark.parametrize(
    ("says", "state", "crashed"),
    [
        ({}, D.PUBLISHING, True),
        ({"recorded": ALL}, D.PUBLISHING, True),
        ({"last_seen_at": "2026-04-30T23:59:59Z"}, D.PUBLISHING, True),
        ({"last_seen_at": "2026-05-01T00:00:00Z"}, D.PUBLISHING, False),
        ({"last_seen_at": "2026-05-02T00:00:00Z"}, D.PUBLISHING, False),
        (
            {"last_seen_at": "2026-05-02T00:00:00Z", "worker_gone_at": "2026-05-03T00:00:00Z"},
            D.PUBLISHING,
            True,
        ),
        ({"publish_finished_at": FINISHED, "recorded": ALL}, D.PUBLISHED, False),
        ({"publish_finished_at": FINISHED}, D.PARTLY_PUBLISHED, False),
        ({"publish_finished_at": FINISHED, "recorded": []}, D.FAILED, False),
        ({"publish_started_at": None, "recorded": []}, D.DRAFT, False),
        (
            {"publish_started_at": None, "publish_finished_at": FINISHED, "recorded": ALL},
            D.PUBLISHED,
            False,
        ),
    ],
)
def test_the_state_by_what_the_row_says(
    says: dict[str, Any], state: DocumentState, crashed: bool
) -> None:
    made = document(**says)

    assert (made.state, is_crashed(made, NOW)) == (state, crashed)
    assert (made.origin, made.id, made.key) == (Origin.IMPORTED, "old-1", "old-1")


def test_each_name_is_an_item_and_what_was_recorded_is_bound_by_reply() -> None:
    items = document().items

    assert [(item.key, item.name, item.state) for item in items] == [
        ("1", "A", I.CONFIRMED),
        ("2", "A", I.PENDING),
        ("3", "B", I.PENDING),
    ]
    assert [item.is_twin for item in items] == [True, True, False]
    intents = [item.intent for item in items if item.intent]
    assert [intent.mark for intent in intents] == [None] * 3
    assert [(intent.external_id, intent.found_by) for intent in intents] == [
        ("9001", Grade.REPLY),
        (None, None),
        (None, None),
    ]


def test_what_never_began_has_no_intents_and_is_never_published() -> None:
    made = document(publish_started_at=None, recorded=[])

    assert [(item.state, item.intent) for item in made.items] == [(I.WAITING, None)] * 3
    assert (made.began_at, made.attempts) == (None, ())
    assert next_step(made, Account(id="act_1001"), NOW).action is NextAction.NONE


@pytest.mark.parametrize(
    ("says", "ends"),
    [
        ({}, GONE),
        ({"worker_gone_at": "2026-03-10T12:05:00Z"}, datetime(2026, 3, 10, 12, 5, tzinfo=UTC)),
        ({"last_seen_at": "2026-05-02T00:00:00Z"}, NO_END_KNOWN),
        ({"publish_finished_at": FINISHED}, datetime(2026, 3, 10, 12, 0, 2, tzinfo=UTC)),
    ],
)
def test_the_window_is_from_its_start_to_where_its_worker_is_known_to_be_gone(
    says: dict[str, Any], ends: datetime
) -> None:
    made = document(**says)
    intent = made.items[1].intent
    assert intent is not None

    ((first, last),) = window(intent, made.attempts, LIMITS.timings())

    second, skew = timedelta(seconds=1), LIMITS.clock_skew
    assert first == datetime(2026, 3, 10, 12, 0, 1, tzinfo=UTC) - skew - second
    assert last == ends + LIMITS.late_landing + skew + second


def test_where_no_start_was_written_down_the_window_begins_with_the_document() -> None:
    made = document(publish_started_at=None, publish_finished_at=FINISHED)

    assert made.attempts[0].started_at == made.began_at == made.created_at


@pytest.mark.parametrize(
    ("says", "outcome"),
    [
        ({}, None),
        ({"publish_finished_at": FINISHED, "recorded": ALL}, AttemptOutcome.SUCCEEDED),
        ({"publish_finished_at": FINISHED}, AttemptOutcome.UNRESOLVED),
    ],
)
def test_the_attempt_that_nobody_recorded_is_made(
    says: dict[str, Any], outcome: AttemptOutcome | None
) -> None:
    """Design section 2: the orphaned attempt is made once where none exists."""
    (attempt,) = document(**says).attempts

    assert attempt.outcome is outcome


def test_a_tree_is_shown_under_its_account() -> None:
    campaign = line(
        kind="campaign", container={"kind": "account", "id": 1001}, names=["C"], recorded=[]
    )
    (group,) = groups(campaign, line())
    assert group.record is not None

    made = document_of(group.record, STATED, NOW, LIMITS)

    assert made.container == Container(kind=ContainerKind.ACCOUNT, id="act_1001")
    assert [(item.key, item.kind.value) for item in made.items] == [
        *(("1", "campaign"), ("2", "ad"), ("3", "ad"), ("4", "ad"))
    ]
