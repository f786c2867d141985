"""With the activity log too, a batch says of each document what a look of its own says.

`BATCH_SEEDS` in the environment, two numbers with a colon, chooses other worlds: a failing seed is
printed.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from fixtures.graph.ground import WorldOptions
from fixtures.lives import DiesAt
from fixtures.stage import Stage
from reconciler import batch_account, batch_group, batch_log, publish
from reconciler.limits import Limits
from reconciler.model import Echo
from reconciler.policy import Legacy, LegacyEvidence
from tests.crash.plans import ONE_AD
from tests.integration.batching import Batching
from tests.integration.elsewhere import Elsewhere, finished, line, shown
from tests.integration.logged_graph import OUR_APP, LoggedGraph, with_log
from tests.property.test_batch_together import alone, told

FIRST, LAST = map(int, os.environ.get("BATCH_SEEDS", "0:6").split(":"))
NAMES = ["A", "B", "C", "Spring / 1"]
WITHOUT = [Legacy(evidence=evidence) for evidence in LegacyEvidence]
WITH = [replace(legacy, app_id=OUR_APP) for legacy in WITHOUT]


def drawn(seed: int) -> tuple[Stage, LoggedGraph]:
    """Documents of some hours, ours without a mark among them, and other apps' rows beside them.

    In some worlds the log lags behind, so that it does not tell of the last hours.
    """
    dice = random.Random(seed)
    delay = timedelta(minutes=dice.choice([0, 0, 0, 100, 10_000]))
    stage = Stage(
        seed=seed,
        page_size=5,
        limits=Limits(echo=dice.choice([Echo.NONE, Echo.LABEL])),
        options=WorldOptions(activity_delay=delay),
    )
    graph, elsewhere = with_log(stage), Elsewhere(stage)
    (healthy,) = elsewhere.made("Healthy")
    lines: list[dict[str, Any]] = [finished("healthy", Healthy=healthy)]
    for number in range(dice.randint(3, 6)):
        started, names = stage.time.now(), dice.choices(NAMES, k=dice.randint(1, 3))
        elsewhere.made(*(name for name in names if dice.random() < 0.6))
        strangers_make(stage, dice)
        stage.time.pass_(timedelta(seconds=dice.choice([1, 60, 900, 5_000])))
        strangers_make(stage, dice)
        gone = shown(started + timedelta(minutes=2)) if dice.random() < 0.7 else None
        at = shown(started)
        when = {"created_at": at, "publish_started_at": at, "worker_gone_at": gone}
        lines.append(line(f"d{number}", *names, **when))
    for _ in range(dice.randint(0, 2)):
        stage.submit(ONE_AD, new=True)
        dying = stage.worker(DiesAt(effect="graph.create", after=dice.random() < 0.6)).outside
        assert stage.dies(publish.publish(stage.documents[-1], dying))
    stage.time.pass_(timedelta(minutes=30))
    elsewhere.imports(*lines, gone_before=stage.time.now() - timedelta(minutes=10))
    return stage, graph


def strangers_make(stage: Stage, dice: random.Random) -> None:
    for _ in range(dice.choice([0, 0, 1, 2])):
        stage.world.colleague_creates("ads", dice.choice(NAMES), parent_id="2001")


@pytest.fixture
def cut_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages of two documents, and a log that is read in pieces and forgotten on the way."""
    monkeypatch.setattr(batch_account, "PAGE", 2)
    monkeypatch.setattr(batch_group, "PAGE", 2)
    monkeypatch.setattr(batch_log, "HOURS_AT_ONCE", 2)
    monkeypatch.setattr(batch_log, "KEPT_MAX", 3)


@pytest.mark.usefixtures("cut_small")
@pytest.mark.parametrize("is_hidden", [False, True], ids=["shown", "hidden"])
def test_a_plan_with_the_log_says_of_each_document_what_its_own_look_says(is_hidden: bool) -> None:
    said: Counter[str] = Counter()
    for seed in range(FIRST, LAST):
        stage, graph = drawn(seed)
        graph.is_hidden = is_hidden
        for legacy in WITH if is_hidden else WITHOUT + WITH:
            batch = Batching(stage, legacy)
            for judged in batch.plan().judged:
                own = alone(stage, batch, judged.planned.document_id)
                ours = judged.look.verdicts if judged.look else {}
                assert told(ours) == told(own), f"seed {seed}, {legacy}"
                said.update(_words(ours, judged.planned.log is not None))
        stage.close()
    by_the_log = {"found by provenance", "absent by the log"}
    assert said.keys() >= {"found by name_and_time", "absent", "held by provenance"}
    assert by_the_log.isdisjoint(said) if is_hidden else said.keys() >= by_the_log


def _words(verdicts: Any, is_asked: bool) -> list[str]:
    words = []
    for verdict in verdicts.values():
        body = verdict.evidence.body
        how = {"found": body["grade"], "inconclusive": body["reason"], "absent": None}
        by = how[body["verdict"]]
        verb = "held" if body["verdict"] == "inconclusive" else body["verdict"]
        words.append(f"{verb} by {by}" if by else verb)
        if is_asked and body["verdict"] == "absent" and body["log"]:
            words.append("absent by the log")
    return words
