"""A seed plays the same history everywhere, and what failed is told, kept and played again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from adapters.store.sqlite import SqliteLedger
from fixtures.memory_ledger import MemoryLedger
from fixtures.simulator.batch import Failure, Totals, play_many
from fixtures.simulator.driver import Run, drive
from fixtures.simulator.floors import GATE_HISTORIES, missing
from fixtures.simulator.gathered import Gathered
from fixtures.simulator.history import History
from fixtures.simulator.planted_bugs import CANARY
from fixtures.simulator.profile import Size, profile_of
from fixtures.simulator.seeds import StoredSeed, read_seeds, store_seeds
from fixtures.virtual_time import START
from tests.repo.tree import ROOT

SEEDS = range(300, 312)
LEDGERS = {"memory": MemoryLedger}

LEFT = """
import gc
from adapters.store.sqlite import SqliteLedger
from fixtures.simulator.driver import Run, drive

ledgers = {"sqlite": lambda clock: SqliteLedger.in_memory(now=clock)}
for seed in (0, 5, 10, 15):
    drive(Run(seed=seed, histories=5, ledgers=ledgers, ledger="sqlite"))
    print(gc.get_freeze_count())
"""
"""Prints, after each five histories, how many objects will never be collected."""

PLAY = """
import json, sys
from tests.simulator.test_replaying import reached
print(json.dumps([reached(seed) for seed in range(int(sys.argv[1]), int(sys.argv[2]))]))
"""


def said(all_: Gathered, since: timedelta = timedelta(0)) -> list[Any]:
    """What came of it, in plain values; times are told from the start."""
    return [
        [
            document.state,
            [[item.state, item.intent and item.intent.external_id] for item in document.items],
            [extra.external_id for extra in document.surplus],
            [(line.at - START - since).total_seconds() for line in all_.journals[document.id]],
        ]
        for document in all_.documents
    ]


def reached(seed: int) -> list[Any]:
    return said(History(seed).play())


def test_what_a_history_leaves_behind_is_not_kept_for_ever() -> None:
    """One process plays a hundred thousand of them, each twentieth with a database of its own."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    there = subprocess.run(
        [sys.executable, "-c", LEFT],
        check=True,
        cwd=ROOT,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
    )

    first, *later = map(int, there.stdout.split())

    assert first > 0
    assert max(later) <= first
    assert later == sorted(later, reverse=True)


def test_a_seed_plays_the_same_history_in_another_process() -> None:
    """Whatever order that one gives to the members of a set."""
    environment = {**os.environ, "PYTHONHASHSEED": "12345", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", PLAY, str(SEEDS.start), str(SEEDS.stop)]
    there = subprocess.run(
        command, check=True, cwd=ROOT, env=environment, text=True, stdout=subprocess.PIPE
    )

    here = json.loads(json.dumps([reached(seed) for seed in SEEDS]))
    assert json.loads(there.stdout) == here


def test_shifting_all_clocks_together_changes_nothing() -> None:
    """S16. By days, for the API shows whole seconds."""
    shift = timedelta(days=37)
    for seed in SEEDS:
        assert said(History(seed, start=START + shift).play(), shift) == reached(seed)


def test_both_ledgers_play_the_same_history() -> None:
    for seed in SEEDS:
        on_sqlite = History(seed, open_ledger=lambda clock: SqliteLedger.in_memory(now=clock))
        assert said(on_sqlite.play()) == reached(seed)


def a_failure(size: Size = Size.LARGE) -> Failure:
    with CANARY.planted():
        totals = play_many(range(CANARY.within), {"memory": MemoryLedger}, "memory", size)
    return totals.failures[0]


def test_a_violation_comes_with_its_story_and_the_command_that_replays_it() -> None:
    failure = a_failure()

    assert failure.story
    assert failure.invariant[0] in "SL"
    assert failure.replay == (
        f"scripts/simulate --seed {failure.seed} --histories 1 --ledger memory"
    )


def test_a_small_history_is_replayed_and_kept_as_a_small_one(tmp_path: Path) -> None:
    file, failure = tmp_path / "failed.txt", a_failure(Size.SMALL)
    store_seeds(file, [failure], "abc1234")

    assert failure.replay.endswith(" --ledger memory --size small")
    assert [stored.size for stored in read_seeds(file)] == [Size.SMALL]
    with CANARY.planted():
        again = drive(Run(seed=0, histories=0, ledgers=LEDGERS, stored=tuple(read_seeds(file))))
    assert [(found.what, found.story) for found in again.failures] == [
        (failure.what, failure.story)
    ]


def test_a_small_history_has_fewer_documents_and_all_else_alike() -> None:
    for seed in SEEDS:
        small, large = profile_of(seed, Size.SMALL), profile_of(seed)

        assert 1 <= small.documents < large.documents
        assert replace(small, documents=large.documents) == large


def test_a_failed_seed_is_kept_once_and_played_first(tmp_path: Path) -> None:
    file, failure = tmp_path / "failed.txt", a_failure()
    store_seeds(file, [failure], "abc1234")
    store_seeds(file, [failure], "def5678")

    stored = read_seeds(file)
    assert stored == [StoredSeed(failure.seed, "memory", failure.invariant, "abc1234")]
    played: list[int] = []
    run = Run(seed=0, histories=0, ledgers=LEDGERS, stored=tuple(stored))
    drive(run, lambda totals: played.append(totals.histories))
    assert played == [1]


def test_a_run_that_met_too_little_says_what_it_missed() -> None:
    totals = Totals(histories=GATE_HISTORIES)

    assert "cut: graph.create before (0 of 3)" in missing(totals)
    assert missing(Totals(histories=10)) == []


def test_a_run_in_which_the_api_never_answered_is_no_run() -> None:
    assert missing(Totals(histories=10, unanswered=1))


@pytest.mark.parametrize("text", ["", "# only a comment\n"])
def test_a_file_without_seeds_is_no_obstacle(tmp_path: Path, text: str) -> None:
    file = tmp_path / "failed.txt"
    file.write_text(text, encoding="utf-8")

    assert read_seeds(file) == []
