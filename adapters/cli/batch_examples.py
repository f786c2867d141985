"""Random recoveries of a plan with their evidence, for a person to check before it is applied."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

from reconciler.batch_account import Judged
from reconciler.verdict import Found


@dataclass(slots=True)
class Sample:
    """So many of all documents that would claim something, each as likely as any other."""

    size: int
    seed: int
    seen: int = 0
    chosen: list[Judged] = field(default_factory=list)
    _dice: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self._dice = random.Random(self.seed)  # noqa: S311 - which examples, no secret

    def add(self, judged: Judged) -> None:
        """Keep it, perhaps in the place of another."""
        if self.size == 0 or not judged.planned.claims:
            return
        self.seen += 1
        if len(self.chosen) < self.size:
            self.chosen.append(judged)
        elif (at := self._dice.randrange(self.seen)) < self.size:
            self.chosen[at] = judged


def examples_shape(sample: Sample) -> dict[str, Any]:
    """The seed, and of each chosen document what was found, on what."""
    return {
        "seed": sample.seed,
        "of": sample.seen,
        "documents": [_example(judged) for judged in sample.chosen],
    }


def _example(judged: Judged) -> dict[str, Any]:
    verdicts = judged.look.verdicts if judged.look else {}
    return {
        "document_id": judged.planned.document_id,
        "items": [
            {
                "item": key,
                "name": verdict.evidence.body["sent"]["name"],
                "external_id": verdict.row.id,
                "grade": verdict.grade.value,
                "created_at": verdict.created_at and verdict.created_at.isoformat(),
                "evidence": dict(verdict.evidence.body),
            }
            for key, verdict in verdicts.items()
            if isinstance(verdict, Found)
        ],
    }
