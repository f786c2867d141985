"""What reading a healthy document costs: most reads are of one."""

from __future__ import annotations

from typing import Any

import pytest

from adapters.store.statement import Statement
from fixtures.stage import Stage
from tests.crash.plans import ONE_AD
from tests.integration.web.in_process import asked
from tests.integration.web.test_reading import asking_for


def test_a_healthy_read_costs_one_query_and_nothing_outside(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    document_id = stage.submit(ONE_AD)
    stage.publish(document_id)
    queries: list[Statement] = []
    found = Statement.found

    def counted(self: Statement, *given: Any) -> Any:
        queries.append(self)
        return found(self, *given)

    monkeypatch.setattr(Statement, "found", counted)
    creates, walks = len(stage.graph.creates), len(stage.graph.walks)

    [answer] = asked(stage, asking_for(document_id, times=1))

    assert answer.json()["state"] == "published"
    assert len(queries) == 1
    assert (len(stage.graph.creates), len(stage.graph.walks)) == (creates, walks)
