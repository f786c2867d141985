"""What may be sent to the service: a plan, a decision."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool

from reconciler.model import ContainerKind, Kind
from reconciler.plan import ITEMS_MAX
from reconciler.resolve_decision import REASON_LENGTH_MAX, Choice

from . import examples

ExternalId = Annotated[str, Field(pattern=r"^[1-9][0-9]{0,31}$")]


class PlanContainer(BaseModel):
    """Where the items go, if they do not say it themselves."""

    model_config = ConfigDict(extra="forbid")

    kind: ContainerKind
    id: str | int


class PlanItem(BaseModel):
    """One entity that is wanted."""

    model_config = ConfigDict(extra="forbid")

    key: str = Field(pattern=r"^[A-Za-z0-9_.-]{1,64}$")
    kind: Kind
    name: str = Field(min_length=1)
    params: dict[str, Any] = Field(default_factory=dict)


class PlanBody(BaseModel):
    """A plan, `plan/1`. The product reads it, and tells all that is wrong with it at once."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [examples.PLAN]})

    schema_: Literal["plan/1"] = Field("plan/1", alias="schema")
    account_id: str | int
    container: PlanContainer | None = None
    title: str | None = None
    items: list[PlanItem] = Field(min_length=1, max_length=ITEMS_MAX)


class DecisionBody(BaseModel):
    """What a person decides about an item: as `reconciler resolve`, docs/held.md."""

    model_config = ConfigDict(
        extra="forbid",
        use_attribute_docstrings=True,
        json_schema_extra={"examples": [examples.DECISION]},
    )

    decision: Choice
    reason: str = Field(min_length=1, max_length=REASON_LENGTH_MAX)
    """Kept in the journal beside the name of who decided."""
    external_id: ExternalId | None = None
    """The row to adopt; with `adopt` only, and there required."""
    also: list[ExternalId] = Field(default_factory=list, max_length=100)
    """Further ids, recorded as known surplus."""
    override: StrictBool = False
    """Allows what disproves the row, where a person may."""
    evidence: str | None = None
    """The `evidence_hash` of what was looked at; where it moved since, nothing is decided."""
