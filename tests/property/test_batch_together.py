"""Judging many documents of a container together says of each what judging it alone says.

`BATCH_SEEDS` in the environment, two numbers with a colon, chooses others: a failing seed is
printed.
"""

from __future__ import annotations

import os
import random
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fixtures import funnel_world as fw
from fixtures.graph.ground import WorldOptions
from fixtures.lives import DiesAt
from fixtures.stage import Stage
from reconciler import batch_account, batch_chunks, batch_group, publish
from reconciler.batch_rows import SharedWalk
from reconciler.batch_values import Result
from reconciler.listing import Row, Wanted
from reconciler.model import Kind
from reconciler.settle import judge_only
from reconciler.verdict import Verdict, word
from tests.crash.plans import ONE_AD
from tests.integration.batching import Batching
from tests.integration.elsewhere import Elsewhere, finished, line, shown

FIRST, LAST = map(int, os.environ.get("BATCH_SEEDS", "0:60").split(":"))
SAID = (
    "verdict",
    "reason",
    "grade",
    "window",
    "sent",
    "stages",
    "lacking",
    "survivors",
    "candidate_id",
    "log",
)

# --- the rows that a document gets of a walk made for many ----------------------------------------

PARTS = [fw.PART, fw.FOREIGN_PART]
words = st.sampled_from(
    ["A", "B &amp; C", "B & C", "Ä", "A\u0308", "x  y", "x y", "", " ", "[", "A [x"]
)
marks = st.sampled_from(
    [
        "",
        f" [{fw.PART}.aaaaaa]",
        f" [{fw.FOREIGN_PART}.aaaaaa]",
        f" [{fw.PART}",
        " [rc1-",
        " [rc1-aaaa",
    ]
)
names = st.builds(str.__add__, words, marks)
rows = st.builds(
    Row,
    id=st.integers(1, 99).map(str),
    kind=st.just(Kind.ADSET),
    name=st.none() | names,
    labels=st.lists(st.sampled_from([*PARTS, "mine", ""]), max_size=2).map(tuple),
)


@given(st.lists(rows, max_size=8), st.sets(names, max_size=4), st.sets(st.sampled_from(PARTS)))
@example([fw.row("1", "B &amp; C", labels=())], {"B & C"}, set())
@example([fw.row("1", f"B &amp; C [{fw.PART}.aaaaaa]", labels=())], {"B & C"}, set())
@example([fw.row("1", None, labels=()), fw.row("2", " ", labels=())], set(), set())
@example([fw.row("1", f"A [{fw.PART}", labels=())], {"A"}, set())
@example([fw.row("1", f"X [{fw.PART}.aaaaaa]", labels=())], set(), {fw.PART})
def test_a_document_gets_the_rows_that_a_walk_of_its_own_would_keep(
    listed: list[Row], wanted: set[str], parts: set[str]
) -> None:
    mine = Wanted(frozenset(wanted), frozenset(parts))

    cut = SharedWalk(fw.walk(*listed)).cut(mine)

    assert cut.rows == tuple(row for row in listed if mine.keeps(row))


# --- whole plans ----------------------------------------------------------------------------------


def crowded(seed: int) -> Stage:
    """Documents of ours and from elsewhere in two ad sets, few names, strangers, healthy ones."""
    dice = random.Random(seed)
    stage = Stage(seed=seed, page_size=5, options=WorldOptions())
    elsewhere = Elsewhere(stage)
    (healthy,) = elsewhere.made("Healthy")
    lines: list[dict[str, Any]] = [finished("healthy", Healthy=healthy)]
    for number in range(dice.randint(3, 7)):
        started = stage.time.now()
        names = dice.choices(["A", "B", "C &amp; D", "Spring / 1"], k=dice.randint(1, 3))
        made = elsewhere.made(*(name for name in names if dice.random() < 0.7))
        stage.time.pass_(timedelta(seconds=dice.choice([1, 60, 900])))
        gone = shown(started + timedelta(minutes=2)) if dice.random() < 0.7 else None
        lines.append(
            line(
                f"d{number}", *names, created_at=shown(started), publish_started_at=shown(started),
                recorded=_recorded(dice, names, made), worker_gone_at=gone,
            )
        )  # fmt: skip
    for _ in range(dice.randint(0, 2)):
        stage.submit(ONE_AD, new=True)
        dying = stage.worker(DiesAt(effect="graph.create", after=dice.random() < 0.6)).outside
        assert stage.dies(publish.publish(stage.documents[-1], dying))
    stage.time.pass_(timedelta(minutes=30))
    elsewhere.imports(*lines, gone_before=stage.time.now() - timedelta(minutes=10))
    return stage


def _recorded(dice: random.Random, names: list[str], made: list[str]) -> list[dict[str, str]]:
    known = made[:1] if made and dice.random() < 0.3 else []
    return [{"name": names[0], "external_id": each} for each in known]


def alone(stage: Stage, batch: Batching, document_id: str) -> dict[str, Verdict]:
    """What a look of its own says."""
    return dict(stage.time.run(judge_only(document_id, batch.worker())).verdicts)


@pytest.mark.parametrize("kept_max", [0, batch_group.KEPT_ITEMS_MAX])
def test_a_plan_says_of_each_document_what_its_own_look_says(
    kept_max: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_group, "KEPT_ITEMS_MAX", kept_max)
    monkeypatch.setattr(batch_account, "PAGE", 2)
    monkeypatch.setattr(batch_group, "PAGE", 2)
    words: set[str] = set()
    for seed in range(FIRST, LAST):
        stage = crowded(seed)
        batch = Batching(stage)
        planned = batch.plan()
        for judged in planned.judged:
            own = alone(stage, batch, judged.planned.document_id)
            ours = judged.look.verdicts if judged.look else {}
            assert told(ours) == told(own), f"seed {seed}"
            words |= {word(verdict) for verdict in ours.values()}
        stage.close()
    assert words == {"found", "absent", "inconclusive"}


# --- whole applications ---------------------------------------------------------------------------


def test_documents_of_one_transaction_become_what_they_become_in_one_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    results: set[Result] = set()
    for seed in range(FIRST, LAST, 5):
        alone, _ = _applied(seed, 1, monkeypatch)
        together, told = _applied(seed, 3 if seed % 2 else 100, monkeypatch)
        assert together == alone, f"seed {seed}"
        results |= told
    assert results >= {Result.CHANGED, Result.STALE}


def _applied(
    seed: int, together: int, monkeypatch: pytest.MonkeyPatch
) -> tuple[list[Any], set[Result]]:
    """Every document and outcome where so many are carried out in one transaction.

    One that comes after the plan contests a name, so that some are stale.
    """
    monkeypatch.setattr(batch_chunks, "DOCUMENTS_MAX", together)
    stage = crowded(seed)
    batch = Batching(stage)
    planned = batch.plan()
    Elsewhere(stage).imports(line("late", "A"), gone_before=stage.time.now())
    outcomes = batch.apply(planned, share_max=1)
    ids = sorted(one.document_id for one in outcomes)
    documents = [stage.document(one) for one in ids]
    stage.close()
    return [documents, outcomes], {one.result for one in outcomes}


def told(verdicts: Any) -> dict[str, dict[str, Any]]:
    """What a verdict rests on, the times of the looks and the walks apart."""
    return {
        key: {name: verdict.evidence.body[name] for name in SAID}
        for key, verdict in verdicts.items()
    }
