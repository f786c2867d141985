"""A plan with something wrong in it and how its refusal is checked, for the tables of both."""

from dataclasses import dataclass
from typing import Any

import pytest

from reconciler.errors import InvalidPlan, PlanError
from reconciler.model import Echo
from reconciler.plan import read_plan


def ad(**changes: Any) -> dict[str, Any]:
    """An item that is accepted, with these fields changed; `...` takes a field away."""
    whole = {"key": "a", "kind": "ad", "name": "Spring", "params": {"adset_id": "7"}} | changes
    return {name: value for name, value in whole.items() if value is not ...}


def plan(*items: Any, **top: Any) -> dict[str, Any]:
    whole = {"account_id": "act_1", "items": list(items or [ad()])} | top
    return {name: value for name, value in whole.items() if value is not ...}


def errors_of(value: object, echo: Echo = Echo.LABEL) -> tuple[PlanError, ...]:
    with pytest.raises(InvalidPlan) as refused:
        read_plan(value, echo=echo)
    return refused.value.errors


@dataclass(frozen=True)
class Case:
    name: str
    reason: str
    plan: Any
    want: tuple[str | None, str, str]  # item, field, and a part of the problem
    echo: Echo = Echo.LABEL
    faults: int = 1

    def __str__(self) -> str:
        return self.name

    def check(self) -> None:
        """Refused for this, and for nothing else."""
        errors = errors_of(self.plan, self.echo)

        assert self.want[2] in errors[-1].problem, self.reason
        assert (errors[-1].item, errors[-1].field) == self.want[:2], self.reason
        assert len(errors) == self.faults, self.reason
        assert all(error.instead for error in errors)
