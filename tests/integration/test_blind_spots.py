"""What no listing shows: what each blind spot of name and time does, and what a mark does there.

`docs/old-documents.md` has a paragraph for each; `tests/repo` holds the two together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest

from fixtures.lives import DiesAt
from fixtures.stage import Stage
from fixtures.virtual_time import START
from fixtures.world_graph import US, Weather
from reconciler import publish
from reconciler.model import Document, DocumentState
from tests.crash.plans import ONE_AD
from tests.integration.elsewhere import GONE, SECOND, Elsewhere, finished, line, shown

HOUR = timedelta(hours=1)
NAME = "Spring / 1"
HEALTHY = finished("healthy", Z="900")


@pytest.fixture
def stage() -> Iterator[Stage]:
    stage = Stage()
    stage.world.place("adsets", "2002", parent_id="1501", name="Spring / other")
    yield stage
    stage.close()


@pytest.fixture
def elsewhere(stage: Stage) -> Elsewhere:
    return Elsewhere(stage)


def told(document: Document) -> list[str]:
    """Of each item: its id, or why it has none."""
    return [
        item.intent.external_id or item.intent.reason or item.state.value
        for item in document.items
        if item.intent is not None
    ]


def recovered(elsewhere: Elsewhere, *lines: dict[str, object]) -> list[str]:
    """An hour later: what is said of the first of these."""
    elsewhere.stage.time.pass_(HOUR)
    elsewhere.imports(HEALTHY, *lines)
    assert elsewhere.reasons == []
    return told(elsewhere.recovered(str(lines[0]["document_id"])))


def lost(stage: Stage, weather: Weather = Weather.REPLY_LOST) -> str:
    """A document of ours whose one create met this, and whose worker died."""
    stage.graph.sky.by_number[len(stage.graph.creates)] = weather
    document_id = stage.submit(ONE_AD, new=True)
    dying = stage.worker(DiesAt(effect="graph.walk")).outside
    assert stage.dies(publish.publish(document_id, dying))
    return document_id


def looked_at(stage: Stage, document_id: str) -> list[str]:
    """What is said of ours an hour later."""
    stage.time.pass_(HOUR)
    return told(stage.settle(document_id, asked=True).view.document)


def ours(stage: Stage) -> str:
    """The id of what ours made."""
    return stage.world.created_by(US, "ad")[-1].id


# --- another person makes the name within the window ---------------------------------------------


def test_what_another_person_made_in_the_window_is_taken_for_ours_where_ours_was_not_made(
    elsewhere: Elsewhere,
) -> None:
    theirs = elsewhere.stage.world.colleague_creates("ads", NAME, parent_id="2001")

    assert recovered(elsewhere, line("1", NAME)) == [theirs.id]


def test_beside_ours_what_another_person_made_in_the_window_holds_both(
    elsewhere: Elsewhere,
) -> None:
    elsewhere.made(NAME)
    elsewhere.stage.world.colleague_creates("ads", NAME, parent_id="2001")

    assert recovered(elsewhere, line("1", NAME)) == ["ambiguous"]


@pytest.mark.parametrize(
    "began",
    [
        pytest.param(timedelta(seconds=7), id="before"),
        pytest.param(-timedelta(seconds=300 + 120 + 7), id="after"),
    ],
)
def test_what_another_person_made_outside_the_window_is_not_ours(
    elsewhere: Elsewhere, began: timedelta
) -> None:
    """The window is from the start to 120 s after the worker was gone, 6 s wider on both sides."""
    elsewhere.stage.time.pass_(HOUR)
    elsewhere.stage.world.colleague_creates("ads", NAME, parent_id="2001")
    start = START + HOUR + began
    gone = {"worker_gone_at": shown(start + timedelta(seconds=300))}

    said = recovered(
        elsewhere,
        line("1", NAME, created_at=shown(start), publish_started_at=shown(start), **gone),
    )

    assert said == ["absent"]


@pytest.mark.parametrize(("weather", "wanted"), [
    (Weather.REPLY_LOST, None),
    (Weather.ERROR_BEFORE, "echo_unproven"),
])  # fmt: skip
def test_with_a_mark_what_another_person_made_is_never_claimed(
    stage: Stage, weather: Weather, wanted: str | None
) -> None:
    document_id = lost(stage, weather)
    stage.world.colleague_creates("ads", NAME, parent_id="2001")

    assert looked_at(stage, document_id) == [wanted or ours(stage)]


# --- ours renamed, moved, archived or deleted before the recovery --------------------------------


def test_ours_renamed_before_the_recovery_reads_as_missing_and_with_a_mark_is_held(
    elsewhere: Elsewhere,
) -> None:
    stage = elsewhere.stage
    (external_id,) = elsewhere.made(NAME)
    marked = lost(stage)
    stage.world.rename(external_id, "Summer / 1")
    stage.world.rename(ours(stage), "Summer / 1")

    assert recovered(elsewhere, line("1", NAME)) == ["absent"]
    assert looked_at(stage, marked) == ["mark_lost"]


def test_ours_renamed_to_what_another_document_lacks_is_claimed_for_that_one(
    elsewhere: Elsewhere,
) -> None:
    (external_id,) = elsewhere.made("A")
    elsewhere.stage.world.rename(external_id, NAME)

    assert recovered(elsewhere, line("1", NAME), line("2", "A")) == [external_id]
    assert told(elsewhere.recovered("2")) == ["absent"]


def test_ours_moved_before_the_recovery_reads_as_missing_also_with_a_mark(
    elsewhere: Elsewhere,
) -> None:
    """A4 says that it stays where it was made: no other container is looked at."""
    stage = elsewhere.stage
    (external_id,) = elsewhere.made(NAME)
    marked = lost(stage)
    stage.world.move(external_id, "2002")
    stage.world.move(ours(stage), "2002")

    assert recovered(elsewhere, line("1", NAME)) == ["absent"]
    assert looked_at(stage, marked) == ["absent"]


def test_ours_archived_before_the_recovery_is_found(elsewhere: Elsewhere) -> None:
    stage = elsewhere.stage
    (external_id,) = elsewhere.made("A")
    marked = lost(stage)
    stage.world.archive(external_id)
    stage.world.archive(ours(stage))

    assert recovered(elsewhere, line("1", "A")) == [external_id]
    assert looked_at(stage, marked) == [ours(stage)]


def test_ours_deleted_before_the_recovery_reads_as_missing_also_with_a_mark(
    elsewhere: Elsewhere,
) -> None:
    stage = elsewhere.stage
    (external_id,) = elsewhere.made(NAME)
    marked = lost(stage)
    stage.world.delete(external_id)
    stage.world.delete(ours(stage))

    assert recovered(elsewhere, line("1", NAME)) == ["absent"]
    assert looked_at(stage, marked) == ["absent"]


# --- a clock difference at an edge of the window -------------------------------------------------


@pytest.mark.parametrize(("ahead", "is_found"), [(6, True), (7, False), (-6, True), (-7, False)])
def test_a_clock_that_is_off_by_more_than_stated_puts_ours_outside_the_window(
    elsewhere: Elsewhere, ahead: int, is_found: bool
) -> None:
    """Made at the very start by the API's clock, or at the very end of what may still land."""
    stage = elsewhere.stage
    lasted = timedelta(0) if ahead > 0 else timedelta(seconds=60 + 120)
    stage.time.pass_(HOUR)
    began, off = stage.time.now(), timedelta(seconds=ahead)
    stage.time.pass_(lasted)
    (external_id,) = elsewhere.made(NAME)
    times = {
        "created_at": shown(began + off),
        "publish_started_at": shown(began + off),
        "worker_gone_at": shown(began + off + timedelta(seconds=60)),
    }

    said = recovered(elsewhere, line("1", NAME, **times))

    assert said == [external_id if is_found else "absent"]


def test_a_larger_stated_clock_difference_while_recovering_finds_it(elsewhere: Elsewhere) -> None:
    stage = elsewhere.stage
    stage.time.pass_(HOUR)
    began = stage.time.now() + timedelta(seconds=60)
    (external_id,) = elsewhere.made(NAME)
    times = {"created_at": shown(began), "publish_started_at": shown(began)}
    gone = {"worker_gone_at": shown(began + timedelta(seconds=60))}
    stage.time.pass_(HOUR)
    elsewhere.imports(HEALTHY, line("1", NAME, **times, **gone))

    stage.limits = replace(stage.limits, clock_skew=timedelta(seconds=60))

    assert told(elsewhere.recovered("1")) == [external_id]


# --- two broken documents with one name ----------------------------------------------------------


def test_two_broken_documents_with_one_name_are_both_held_where_their_windows_meet(
    elsewhere: Elsewhere,
) -> None:
    elsewhere.made(NAME)

    said = recovered(elsewhere, line("1", NAME), line("2", NAME))

    assert said == told(elsewhere.recovered("2")) == ["contested"]


def test_two_broken_documents_with_one_name_get_their_own_where_their_windows_do_not_meet(
    elsewhere: Elsewhere,
) -> None:
    (first,) = elsewhere.made(NAME)
    elsewhere.stage.time.pass_(timedelta(minutes=20))
    later = elsewhere.stage.time.now()
    (second,) = elsewhere.made(NAME)
    gone = {"worker_gone_at": shown(GONE)}
    times = {
        "created_at": shown(later),
        "publish_started_at": shown(later),
        "worker_gone_at": shown(later + timedelta(minutes=5)),
    }

    said = recovered(elsewhere, line("1", NAME, **gone), line("2", NAME, **times))

    assert [*said, *told(elsewhere.recovered("2"))] == [first, second]


# --- documents that nobody imported --------------------------------------------------------------


def test_what_a_document_made_that_nobody_imported_is_taken_for_ours_until_it_is_imported(
    elsewhere: Elsewhere,
) -> None:
    (theirs,) = elsewhere.made(NAME)
    assert recovered(elsewhere, line("1", NAME)) == [theirs]

    elsewhere.imports(finished("2", **{NAME: theirs}))

    loser = elsewhere.stage.document("1")
    assert (loser.state, told(loser)) == (DocumentState.HELD, ["contested"])
    assert told(elsewhere.recovered("1")) == ["absent"]


def test_where_nobody_imported_any_finished_document_nothing_is_claimed(
    elsewhere: Elsewhere,
) -> None:
    elsewhere.made(NAME)
    elsewhere.stage.time.pass_(HOUR)
    elsewhere.imports(line("1", NAME))

    assert told(elsewhere.recovered("1")) == ["policy"]


def test_with_a_mark_documents_that_nobody_imported_change_nothing(stage: Stage) -> None:
    document_id = lost(stage)
    Elsewhere(stage).made(NAME)
    stage.time.pass_(SECOND)

    assert looked_at(stage, document_id) == [ours(stage)]
