"""Batches with the activity log: another app's row is not claimed, each hour is read once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest

from fixtures.stage import Stage
from fixtures.virtual_time import START
from reconciler import batch_log
from reconciler.batch_plan import Asked, plan
from reconciler.batch_values import Result
from reconciler.errors import PlanRefused
from reconciler.model import DocumentState, Grade, Reason
from reconciler.policy import Legacy, LegacyEvidence
from tests.integration.batching import Batching, results
from tests.integration.elsewhere import Elsewhere, finished, line, shown
from tests.integration.http_stage import OverHttp, SetUp
from tests.integration.logged_graph import DEMANDING, LOGGED, LoggedGraph, with_log
from tests.integration.test_batch_apply import bound
from tests.integration.test_batch_plan import alone, with_old_documents

D = DocumentState
LAGGING = timedelta(hours=2)


@pytest.fixture
def stage() -> Iterator[Stage]:
    stage = Stage()
    yield stage
    stage.close()


@pytest.fixture
def graph(stage: Stage) -> LoggedGraph:
    return with_log(stage)


@pytest.fixture
def batch(stage: Stage, graph: LoggedGraph) -> Batching:
    return Batching(stage, LOGGED)


def stranger_makes(stage: Stage, *names: str, parent_id: str = "2001") -> list[str]:
    """By hand, while the old documents are published: another app in the log."""
    make = stage.world.colleague_creates
    return [make("ads", name, parent_id=parent_id).id for name in names]


def test_what_another_app_made_is_not_claimed_and_what_ours_made_is_known_by_the_log(
    stage: Stage, batch: Batching
) -> None:
    stranger_makes(stage, "A", "B")
    _, b = with_old_documents(stage, line("d1", "A"), line("d2", "B"), names="XB")

    without = Batching(stage).plan()
    planned = batch.plan()

    assert without.told()["d1"] != ["absent"]
    assert without.told()["d2"] == [Reason.AMBIGUOUS]
    assert planned.told() == {"d1": ["absent"], "d2": [b]}
    assert planned.line("d2").items[0].grade is Grade.PROVENANCE
    assert [alone(stage, batch, each) for each in ("d1", "d2")] == [["absent"], [b]]
    assert planned.head.log == {"told": 2}


def test_each_hour_of_the_log_is_read_once_for_all_documents_of_all_containers(
    stage: Stage, graph: LoggedGraph, batch: Batching
) -> None:
    adsets = ["2001", *(
        stage.world.colleague_creates("adsets", "more", parent_id="1501").id for _ in "12"
    )]  # fmt: skip
    lines = []
    for adset in adsets:
        where = {"container": {"kind": "adset", "id": adset}}
        stage.world.colleague_creates("ads", "A", parent_id=adset, actor="elsewhere")
        lines += [line(f"{adset}{n}", n, **where) for n in "AB"]
        stranger_makes(stage, "B", parent_id=adset)
    with_old_documents(stage, *lines)

    planned = batch.plan()

    assert len(graph.log_reads) == planned.head.log_pages == 1
    assert planned.head.log == {"told": 6}
    said = [one.items[0].verdict for one in planned.lines]
    assert (said.count("found"), said.count("absent")) == (3, 3)


def test_neighbouring_hours_of_different_containers_are_read_in_one_go(
    stage: Stage, graph: LoggedGraph, batch: Batching
) -> None:
    elsewhere, lines = Elsewhere(stage), []
    (healthy,) = elsewhere.made("Healthy")
    for number in range(3):
        adset = stage.world.colleague_creates("adsets", "more", parent_id="1501").id
        began = shown(stage.time.now())
        stage.world.colleague_creates("ads", "A", parent_id=adset, actor="elsewhere")
        stage.time.pass_(timedelta(minutes=60))
        lines.append(
            line(
                f"d{number}", "A", container={"kind": "adset", "id": adset}, created_at=began,
                publish_started_at=began, worker_gone_at=shown(stage.time.now()),
            )
        )  # fmt: skip
    stage.time.pass_(timedelta(minutes=30))
    elsewhere.imports(finished("healthy", Healthy=healthy), *lines, gone_before=stage.time.now())

    planned = batch.plan()

    assert planned.head.log == {"told": 3}
    assert len(graph.log_reads) == 1


def test_no_log_is_read_where_no_name_decides(
    stage: Stage, graph: LoggedGraph, batch: Batching
) -> None:
    with_old_documents(stage, line("d1", "never made"))

    planned = batch.plan()

    assert planned.told() == {"d1": ["absent"]}
    assert planned.line("d1").log is None
    assert graph.log_reads == []


def test_the_progress_tells_of_pages_of_the_log(stage: Stage, batch: Batching) -> None:
    with_old_documents(stage, line("d1", "A"), names="A")
    pages: list[int] = []

    stage.time.run(
        plan(
            Asked(),
            batch.worker(),
            write=lambda _: None,
            step=lambda progress: pages.append(progress.log_pages),
        )
    )

    assert (pages[0], pages[-1]) == (0, 1)


# --- what is demanded, what is not told, and at the bounds ----------------------------------------


def test_where_provenance_is_demanded_a_batch_claims_what_the_log_tells(
    stage: Stage, batch: Batching
) -> None:
    stranger_makes(stage, "B")
    (a,) = with_old_documents(stage, line("d1", "A"), line("d2", "B"), names="A")
    batch.legacy = DEMANDING

    planned = batch.plan()

    assert planned.told() == {"d1": [a], "d2": ["absent"]}
    assert results(batch.apply(planned)) == {Result.CHANGED: 2}
    assert bound(stage, "d1") == [a]


def test_where_it_is_demanded_and_the_log_is_not_shown_nothing_is_claimed(
    stage: Stage, graph: LoggedGraph, batch: Batching
) -> None:
    with_old_documents(stage, line("d1", "A"), names="A")
    graph.is_hidden = True
    batch.legacy = DEMANDING

    planned = batch.plan()

    assert planned.told() == {"d1": [Reason.PROVENANCE]}
    assert planned.head.log == {"unread": 1}


@pytest.mark.parametrize("bound_is", ["pages", "one hour"])
def test_at_a_bound_of_ours_nothing_is_claimed_and_recover_can_tell(
    stage: Stage,
    graph: LoggedGraph,
    batch: Batching,
    bound_is: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    a, _ = with_old_documents(stage, line("d1", "A"), line("d2", "never made"), names="AB")
    if bound_is == "pages":
        monkeypatch.setattr(batch_log, "PAGES_MAX", 0)
    else:
        graph.rows_max = 0

    planned = batch.plan()

    assert planned.told() == {"d1": [Reason.PROVENANCE], "d2": ["absent"]}
    assert planned.head.log == {"beyond": 1}
    assert not any(planned.head.log_rows.values()), "it was not read, so it left nothing out"
    assert results(batch.apply(planned)) == {Result.CHANGED: 2}
    assert stage.document("d1").state is D.HELD
    graph.rows_max = 1_000
    assert Elsewhere(stage).recovered("d1", LOGGED).state is D.PUBLISHED
    assert bound(stage, "d1") == [a]


# --- applying and taking back ---------------------------------------------------------------------


def test_what_the_log_said_is_stored_as_it_was_planned(stage: Stage, batch: Batching) -> None:
    stranger_makes(stage, "A")
    (a,) = with_old_documents(stage, line("d1", "A"), names="A")
    planned = batch.plan()

    batch.apply(planned)

    (judged,) = stage.document("d1").verdicts
    assert judged.evidence_hash == planned.line("d1").items[0].evidence_hash
    body = stage.time.run(stage.ledger.evidence(judged.evidence_id)).body
    assert sorted(body["log"].values()) == ["77001", "77009"]
    assert body["log"][a] == "77001"
    assert stage.document("d1").item("1").intent.found_by is Grade.PROVENANCE  # type: ignore[union-attr]


def test_a_plan_whose_log_says_otherwise_by_now_is_carried_out_as_it_was_planned(
    stage: Stage, graph: LoggedGraph, batch: Batching
) -> None:
    """As with its listings: what it was judged on is what it is judged on again."""
    (theirs,) = stranger_makes(stage, "A")
    with_old_documents(stage, line("d1", "A"))
    graph.is_hidden = True
    planned = batch.plan()
    graph.is_hidden = False
    reads = len(graph.log_reads)

    assert results(batch.apply(planned)) == {Result.CHANGED: 1}
    assert bound(stage, "d1") == [theirs]
    assert len(graph.log_reads) == reads


def test_what_was_taken_back_is_judged_anew_with_what_the_log_says_by_then(stage: Stage) -> None:
    stage.world.options = replace(stage.world.options, activity_delay=LAGGING)
    graph, batch = with_log(stage), Batching(stage, LOGGED)
    (theirs,) = stranger_makes(stage, "A")
    (b,) = with_old_documents(stage, line("d1", "A"), line("d2", "B"), names="B")
    before = batch.plan()
    batch.apply(before)
    assert (bound(stage, "d1"), bound(stage, "d2")) == ([theirs], [b])

    assert results(batch.revert(before.head.run)) == {Result.CHANGED: 2}
    stage.time.pass_(LAGGING)
    again = batch.plan(held=True)

    assert again.told() == {"d1": ["absent"], "d2": [b]}
    assert again.line("d2").items[0].grade is Grade.PROVENANCE
    assert results(batch.apply(again)) == {Result.CHANGED: 2}
    assert (bound(stage, "d1"), bound(stage, "d2")) == ([None], [b])
    assert results(batch.revert(again.head.run)) == {Result.CHANGED: 1, Result.NOTHING: 1}
    assert bound(stage, "d2") == [None], "what the log tells is strong, not proof"
    assert graph.log_reads


def test_a_plan_judged_with_another_log_since_makes_an_earlier_one_stale(
    stage: Stage, graph: LoggedGraph, batch: Batching
) -> None:
    stranger_makes(stage, "A")
    with_old_documents(stage, line("d1", "A"))
    graph.is_hidden = True
    early = batch.plan()
    graph.is_hidden = False
    late = batch.plan()

    assert results(batch.apply(late)) == {Result.CHANGED: 1}
    assert results(batch.apply(early)) == {Result.STALE: 1}
    assert bound(stage, "d1") == [None]


@pytest.mark.parametrize("legacy", [Legacy(), Legacy(app_id="88002")])
def test_a_plan_of_another_app_or_of_none_is_refused(
    stage: Stage, batch: Batching, legacy: Legacy
) -> None:
    with_old_documents(stage, line("d1", "A"), names="A")
    planned = batch.plan()
    batch.legacy = legacy

    with pytest.raises(PlanRefused, match="other settings: app_id"):
        batch.apply(planned)


# --- over HTTP: whatever befalls the log, a batch says what a recovery says -----------------------


TROUBLES = [
    None,
    "activity_delay:seconds=100000",
    "access_lost:on_edge=activities,count=none",
    "html_page:on_edge=activities,count=none",
    "page_error:on_edge=activities,count=none",
    "connection_lost:on_edge=activities,count=none",
    "throttle:minutes=7,on_edge=activities,count=none",
]


def troubled(
    set_up: SetUp, trouble: str | None, legacy: Legacy, *, page_size: int = 50
) -> Batching:
    """Two made by our app, one of them beside a stranger's twin; one that only a stranger made."""
    stage = set_up(page_size=page_size)
    with_log(stage)
    stage.forget()
    stranger_makes(stage, "A", "B")
    gone = {"worker_gone_at": shown(START + timedelta(minutes=5))}
    with_old_documents(stage, *(line(f"d{n}", n, **gone) for n in "ABC"), names="AC")
    if trouble is not None:
        stage.fake.faults.add(trouble)
    return Batching(stage, legacy)


@pytest.mark.parametrize("evidence", [LegacyEvidence.NAME_AND_TIME, LegacyEvidence.PROVENANCE])
@pytest.mark.parametrize("trouble", TROUBLES)
def test_whatever_befalls_the_log_a_batch_says_what_a_recovery_says(
    set_up: SetUp, trouble: str | None, evidence: LegacyEvidence
) -> None:
    legacy = Legacy(app_id="77001", evidence=evidence)
    ids = ["dA", "dB", "dC"]
    own = {}
    for each in ids:  # each in a world of its own: a throttle would befall the next one too
        single = troubled(set_up, trouble, legacy)
        own[each] = alone(single.stage, single, each)

    planned = troubled(set_up, trouble, legacy)
    assert isinstance(planned.stage.graph, OverHttp)
    told = planned.plan().told()

    if trouble is not None and trouble.startswith("throttle"):
        # One container is listed a second time for all of them, and is closed for all of them.
        assert told == {each: [Reason.THROTTLED] for each in ids}
        assert own["dA"] == [Reason.THROTTLED]
    else:
        assert told == own
