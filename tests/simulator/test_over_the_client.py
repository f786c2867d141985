"""Histories through the real client: what its adapter makes of replies keeps the promise too."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from adapters.graph.answer import answer_to_create
from fixtures.simulator.batch import Failure, play
from fixtures.simulator.history import History
from reconciler.call_outcome import Again, Answer
from reconciler.model import Outcome
from tests.simulator.over_the_client import STRIKES, OverTheClient

SEEDS = range(48)


def played(seed: int) -> tuple[OverTheClient, Counter[str], Failure | None]:
    history = History(seed, open_graph=OverTheClient)
    failure = play(history, "memory")
    graph = history.scene.graph
    assert isinstance(graph, OverTheClient)
    return graph, Counter(history.scene.counts.group("weather")), failure


def test_the_promise_holds_through_the_real_client() -> None:
    """In every weather that a fault of the fake can be."""
    requests, weathers = 0, Counter[str]()
    for seed in SEEDS:
        graph, met, failure = played(seed)
        assert failure is None, f"seed {seed}: {failure}"
        requests += graph.requests
        weathers += met

    assert requests > 10 * len(SEEDS)
    assert set(STRIKES) <= set(weathers)


def test_a_client_that_takes_an_error_for_proof_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    client = "adapters.graph.creating.answer_to_create"

    def hasty(*given: Any) -> Answer:
        answer = answer_to_create(*given)
        made = answer.outcome is not Outcome.UNKNOWN
        return answer if made else replace(answer, outcome=Outcome.NOT_SENT, again=Again.NOW)

    monkeypatch.setattr(client, hasty)

    assert any(played(seed)[2] is not None for seed in SEEDS)
