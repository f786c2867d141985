"""What became of the documents of a batch, counted as they come; of troubles a few examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from reconciler.batch_values import Outcome, Result

from .exit_codes import ExitCode, first_that_fits, of_outcome

EXAMPLES_MAX: Final = 5
"""Documents named for each thing that went wrong."""

_AS_NOTHING: Final = frozenset({Result.NOTHING, Result.BEFORE})

Keep = Callable[[Outcome], None]


@dataclass(slots=True)
class Trouble:
    """One thing that went wrong, at how many documents, and some of them."""

    result: Result
    why: str
    count: int = 0
    examples: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Tally:
    """The counts. `keep` gets every outcome too, for reports that have all of them."""

    keep: Keep = lambda _: None
    documents: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    results: Counter[Result] = field(default_factory=Counter)
    states: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    troubles: dict[tuple[Result, str], Trouble] = field(default_factory=dict)
    _codes: set[ExitCode] = field(default_factory=set)

    def add(self, outcome: Outcome) -> None:
        """Count one document."""
        self.documents += 1
        self.results[outcome.result] += 1
        self.keep(outcome)
        self._codes.update(of_outcome(outcome))
        if outcome.result is Result.CHANGED:
            self.counts.update(outcome.verdicts)
            self.states[outcome.after.value if outcome.after else ""] += 1
        else:
            name = "nothing" if outcome.result in _AS_NOTHING else outcome.result.value
            self.counts[name] += 1
        if outcome.reason is not None and outcome.result in (Result.CHANGED, Result.NOTHING):
            self.reasons[outcome.reason.value] += 1
        if outcome.why is not None:
            self._trouble(outcome, outcome.why)

    def _trouble(self, outcome: Outcome, why: str) -> None:
        # Messages name their document; told once for each they would be no grouping.
        why = why.replace(outcome.document_id, "…")
        trouble = self.troubles.setdefault((outcome.result, why), Trouble(outcome.result, why))
        trouble.count += 1
        if len(trouble.examples) < EXAMPLES_MAX:
            trouble.examples.append(outcome.document_id)

    @property
    def code(self) -> ExitCode:
        """How the command ends."""
        return first_that_fits(self._codes)

    @property
    def worst_first(self) -> list[Trouble]:
        """Errors before what is stale, the frequent before the rare."""
        return sorted(
            self.troubles.values(),
            key=lambda trouble: (trouble.result is not Result.ERROR, -trouble.count, trouble.why),
        )
