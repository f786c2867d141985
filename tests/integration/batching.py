"""Batches on a stage: what a person plans, applies and takes back, and what the API was asked."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from fixtures.stage import Stage
from fixtures.world_graph import WorldGraph
from reconciler.batch_account import Judged
from reconciler.batch_apply import apply
from reconciler.batch_head import head_json, head_of
from reconciler.batch_line import PlanLines, PlanReading
from reconciler.batch_plan import Asked, plan
from reconciler.batch_refusal import refuse_unfit
from reconciler.batch_revert import Undo, revert
from reconciler.batch_values import Head, Outcome, Planned, Result
from reconciler.outside import Outside
from reconciler.policy import Legacy


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A plan as it is read back from its file."""

    head: Head
    lines: tuple[Planned, ...]
    judged: tuple[Judged, ...]
    file: tuple[dict[str, Any], ...] = ()

    def line(self, document_id: str) -> Planned:
        """What is planned for one document."""
        return next(line for line in self.lines if line.document_id == document_id)

    def told(self) -> dict[str, list[str]]:
        """Every verdict in a word, by document: its reason where it has one."""
        return {
            line.document_id: [
                item.reason or item.external_id or item.verdict for item in line.items
            ]
            for line in self.lines
        }


@dataclass(slots=True)
class Batching:
    """One person and their batches."""

    stage: Stage
    legacy: Legacy = field(default_factory=Legacy)

    def worker(self) -> Outside:
        """A process that has just started."""
        return replace(self.stage.process(), legacy=self.legacy)

    def plan(self, *, held: bool = False, worker: Outside | None = None) -> Plan:
        """Plan, write it down and read it back. Creates nothing."""
        judged: list[Judged] = []
        creates = len(self.stage.graph.creates)
        asked = Asked(held=held)
        spelling, file = PlanLines(), list[dict[str, Any]]()

        def write(one: Judged) -> None:
            judged.append(one)
            file.extend(spelling.of(one.planned))

        def end(group: int) -> None:
            file.extend(spelling.end(group))

        head = self.stage.time.run(plan(asked, worker or self.worker(), write=write, end=end))
        assert len(self.stage.graph.creates) == creates, "planning created something"
        reading = PlanReading()
        read_back = (reading.of(through_json(line)) for line in file)
        lines = [line for line in read_back if line is not None]
        assert lines == [one.planned for one in judged], "a line says something else when read"
        read = head_of(through_json(head_json(head)))
        assert read == head
        return Plan(head=read, lines=tuple(lines), judged=tuple(judged), file=tuple(file))

    def apply(
        self, planned: Plan, worker: Outside | None = None, *, share_max: float | None = None
    ) -> list[Outcome]:
        """Carry it out."""
        outcomes: list[Outcome] = []
        worker = worker or self.worker()
        self.stage.time.run(refuse_unfit(planned.head, worker, share_max=share_max))
        self.stage.time.run(apply(planned.head, planned.lines, worker, tell=outcomes.append))
        return outcomes

    def revert(self, run: str, worker: Outside | None = None) -> list[Outcome]:
        """Take a run back."""
        outcomes: list[Outcome] = []
        undo = Undo(run=run, reason="the import was wrong", by="ann")
        self.stage.time.run(revert(undo, worker or self.worker(), tell=outcomes.append))
        return outcomes

    def settle_all(self) -> None:
        """Let everything that may still come have come."""
        limits = self.stage.limits
        self.stage.time.pass_(limits.lease + limits.late_landing + limits.listing_lag)
        self.stage.time.pass_(timedelta(minutes=10))


def through_json(value: Any) -> Any:
    """As a file has it."""
    return json.loads(json.dumps(value))


def results(outcomes: list[Outcome]) -> Counter[Result]:
    """How many documents came to what."""
    return Counter(outcome.result for outcome in outcomes)


def walks(graph: WorldGraph) -> int:
    """How many listings were asked for."""
    return len(graph.walks)
