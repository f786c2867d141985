"""A batch counts the rows of which an activity log that was read told nothing, and names them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from adapters.shapes import plan_report, planned_row
from fixtures.stage import Stage
from reconciler.model import Reason
from tests.integration.batching import Batching
from tests.integration.elsewhere import Elsewhere, line
from tests.integration.http_stage import SetUp
from tests.integration.logged_graph import DEMANDING, LOGGED, with_log
from tests.integration.test_batch_plan import with_old_documents
from tests.integration.test_batch_with_log import LAGGING, troubled


@pytest.fixture
def stage() -> Iterator[Stage]:
    stage = Stage()
    yield stage
    stage.close()


def lagging(stage: Stage) -> Batching:
    """A person's batches, with a log that tells of everything two hours later."""
    stage.world.options = replace(stage.world.options, activity_delay=LAGGING)
    with_log(stage)
    return Batching(stage, LOGGED)


def test_a_row_that_two_documents_may_own_is_counted_once_where_the_log_is_silent(
    stage: Stage,
) -> None:
    batch = lagging(stage)
    (shared,) = with_old_documents(stage, line("d1", "A"), line("d2", "A"), names="A")

    planned = batch.plan()

    assert planned.told() == {"d1": [Reason.CONTESTED], "d2": [Reason.CONTESTED]}
    assert planned.head.log_rows == {"asked": 1, "untold": 1, "claimed": 0, "documents": 2}
    assert [planned.line(each).untold for each in ("d1", "d2")] == [(shared,)] * 2


def test_where_provenance_is_demanded_rows_of_which_the_log_is_silent_are_counted_and_held(
    stage: Stage,
) -> None:
    batch = lagging(stage)
    batch.legacy = DEMANDING
    with_old_documents(stage, line("d1", "A"), line("d2", "B"), names="AB")

    planned = batch.plan()

    assert planned.told() == {"d1": [Reason.PROVENANCE], "d2": [Reason.PROVENANCE]}
    assert planned.head.log_rows == {"asked": 2, "untold": 2, "claimed": 0, "documents": 2}


def test_what_another_reason_keeps_from_being_claimed_is_not_told_of_as_left_to_the_log(
    stage: Stage,
) -> None:
    """The log is not asked about it, so that it says nothing of it tells nothing of the log."""
    batch = lagging(stage)
    Elsewhere(stage).made("B & C", "B &amp; C")
    (a,) = with_old_documents(stage, line("d1", "A", "B & C"), names="A")

    planned = batch.plan()

    assert planned.told() == {"d1": [a, Reason.UNPROVEN_ROW]}
    assert planned.line("d1").untold == (a,)
    assert planned.head.log_rows == {"asked": 1, "untold": 1, "claimed": 1, "documents": 1}


def test_a_log_that_was_not_shown_is_told_as_such_and_counts_no_rows(
    stage: Stage,
) -> None:
    with_log(stage).is_hidden = True
    with_old_documents(stage, line("d1", "A"), names="A")

    planned = Batching(stage, LOGGED).plan()

    report = plan_report(planned.head, map(planned_row, planned.lines), None)
    assert report["log"] == {"pages": 2, "told": 0, "unread": 1, "beyond": 0}
    assert not any(report["log_rows"].values())
    assert (report["documents"][0]["log"], report["documents"][0]["log_untold"]) == ("unread", [])


# --- over HTTP ------------------------------------------------------------------------------------


EVERY_ROW: list[tuple[str, str]] = [
    ("dA", "colleague"), ("dA", "elsewhere"), ("dB", "colleague"), ("dC", "elsewhere")
]  # fmt: skip
SILENT: dict[str | None, tuple[list[tuple[str, str]], int]] = {
    None: ([], 0),
    "activity_delay:seconds=100000": (EVERY_ROW, 2),
    "sparse_rows:field=application_id,on_edge=activities": (EVERY_ROW, 2),
    # A page of the log has two rows, the newest first, and our app came after the stranger.
    "omitted_rows:rows=2,on_edge=activities": ([EVERY_ROW[1], EVERY_ROW[3]], 2),
    "no_paging_key:on_edge=activities": ([EVERY_ROW[0], EVERY_ROW[2]], 1),
}
"""The rows left out, by who asks and who made them; and how many are claimed all the same."""


@pytest.mark.parametrize("trouble", SILENT)
def test_rows_of_which_a_log_that_was_read_tells_nothing_are_counted_and_named(
    set_up: SetUp, trouble: str | None
) -> None:
    batch = troubled(set_up, trouble, LOGGED, page_size=2)

    planned = batch.plan()

    report = plan_report(planned.head, map(planned_row, planned.lines), None)
    makers = {one.id: one.actor for one in batch.stage.world.log}
    named = sorted(
        (one["document_id"], makers[row])
        for one in report["documents"]
        for row in one["log_untold"]
    )
    untold, claimed = SILENT[trouble]
    assert planned.head.log == {"told": 3}, "it looks healthy"
    assert named == untold
    assert report["log_rows"] == {
        "asked": 4,
        "untold": len(untold),
        "claimed": claimed,
        "documents": len({document for document, _ in untold}),
    }
