"""What the service answers, for the OpenAPI document. Fields may be added, never renamed."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from reconciler import model as m

from . import examples


class _Shape(BaseModel):
    """Whoever reads one must ignore what it does not know."""

    model_config = ConfigDict(extra="allow", use_attribute_docstrings=True)


Id = Field(
    pattern=r"^[0-9]+$", description="All digits, as a text.", examples=["23851234567890123"]
)


class Sent(_Shape):
    """A request; what is written in capitals in its body is to be filled in."""

    method: Literal["GET", "POST"]
    path: str
    headers: dict[str, str]
    body: dict[str, Any] | None


class Next(_Shape):
    """The next safe action."""

    action: m.NextAction
    until: datetime | None
    why: str
    command: str | None
    """What a person types; None where nothing is left to do."""
    request: Sent | None
    """What a client sends; None where nothing is left to do, or it is for who runs the service."""


class Container(_Shape):
    """The external parent whose children are listed."""

    kind: m.ContainerKind
    id: str


class Item(_Shape):
    """One entity the document wants."""

    key: str
    kind: m.Kind
    name: str
    state: m.ItemState
    reason: m.Reason | None
    external_id: str | None = Id
    effective_status: str | None
    created_time: datetime | None
    attributes: dict[str, Any] | None
    """The row as the API gave it; null until a look filled it in."""
    found_by: m.Grade | None
    unlisted_since: datetime | None
    """When the first complete listing began that lacked it; null while it is listed."""
    warnings: list[str]
    error: str | None


class Attempt(_Shape):
    """One execution by one worker."""

    number: int
    lease_epoch: int
    owner: str
    started_at: datetime
    finished_at: datetime | None
    lease_until: datetime | None
    outcome: m.AttemptOutcome | None
    """Null while it runs."""
    error: str | None


class Lease(_Shape):
    """The time-bounded sole right to act on the document."""

    owner: str
    epoch: int
    until: datetime
    purpose: m.Purpose


class Surplus(_Shape):
    """More than the document wants."""

    item: str | None
    external_id: str = Id
    kind: m.Kind
    known: bool
    unlisted_since: datetime | None
    """As an item's."""


class Verdict(_Shape):
    """The latest about an item."""

    item: str
    verdict: Literal["found", "absent", "inconclusive"]
    reason: m.Reason | None
    judged_at: datetime
    evidence_id: str
    evidence_hash: str


class Document(_Shape):
    """One document as it is: `document-state/1`."""

    model_config = ConfigDict(json_schema_extra={"examples": [examples.DOCUMENT]})

    schema_: Literal["document-state/1"] = Field(alias="schema")
    document_id: str
    key: str
    title: str | None
    revision: int
    origin: m.Origin
    account_id: str
    container: Container
    state: m.DocumentState
    crashed: bool
    unsettled: bool
    cancel_requested: bool
    since: datetime
    due_at: datetime | None
    items: list[Item]
    attempts: list[Attempt]
    lease: Lease | None
    surplus: list[Surplus]
    verdicts: list[Verdict]
    next: Next


class Decided(Document):
    """The document as a decision left it."""

    warnings: list[str]
    """Which other item of the document lacks its row from now on, and what follows."""


class Line(_Shape):
    """A document in a list."""

    document_id: str
    title: str | None
    state: m.DocumentState
    crashed: bool
    unsettled: bool
    surplus: bool
    account_id: str
    since: datetime
    next: Next


class DocumentsList(_Shape):
    """One page of documents, newest first: `list/1`. Counts cover the whole selection."""

    model_config = ConfigDict(json_schema_extra={"examples": [examples.LIST]})

    schema_: Literal["list/1"] = Field(alias="schema")
    counts: dict[m.DocumentState, int]
    documents: list[Line]
    after: str | None
    """Give it back as `after` for the next page; null on the last one."""


class Listing(_Shape):
    """The figures of a walk."""

    complete: bool


class Judged(_Shape):
    """Why an item was judged so, from the evidence stored with the verdict."""

    item: str
    kind: m.Kind
    name: str
    state: m.ItemState
    verdict: Literal["found", "absent", "inconclusive"]
    proven_absent: bool
    """Whether `absent` is proof: without a mark it is not. False of any other verdict."""
    reason: m.Reason | None
    why: str
    since: str | None
    """Why what was found stands no more; null where it stands, or nothing was found."""
    reverted: list[dict[str, Any]]
    """Each time a person took back what a batch bound: `at`, `run`, `by`, `reason`, and the id."""
    contested_by: list[dict[str, Any]]
    """Which other document, and which item of it, claims a contested row as well, and how."""
    may_be_none: bool
    """Whether the evidence does not refuse already that no row is it."""
    commands: list[str]
    requests: list[Sent]
    """The same for a client: each decision that may be made, the likeliest first."""
    evidence_id: str
    evidence_hash: str
    listing: Listing | None
    stages: list[dict[str, Any]]


class Unjudged(_Shape):
    """An item for which no look ever came to its end."""

    item: str
    state: m.ItemState
    found_by: m.Grade | None


class Explanation(_Shape):
    """The funnel behind every verdict: `explain/1`."""

    model_config = ConfigDict(json_schema_extra={"examples": [examples.EXPLANATION]})

    schema_: Literal["explain/1"] = Field(alias="schema")
    document_id: str
    state: m.DocumentState
    items: list[Judged]
    not_judged: list[Unjudged]
    next: Next


class Entry(_Shape):
    """One event, written in the transaction of what it tells."""

    sequence: int
    at: datetime
    kind: str
    item: str | None
    detail: dict[str, Any]


class Timeline(_Shape):
    """Everything that happened to a document, oldest first: `timeline/1`."""

    model_config = ConfigDict(json_schema_extra={"examples": [examples.TIMELINE]})

    schema_: Literal["timeline/1"] = Field(alias="schema")
    document_id: str
    entries: list[Entry]


class Fault(_Shape):
    """One thing wrong with what was sent."""

    item: str | None
    field: str
    problem: str
    instead: str


class Problem(_Shape):
    """Why not, and what to do next: RFC 9457."""

    model_config = ConfigDict(json_schema_extra={"examples": [examples.PROBLEM]})

    type: str
    title: str
    status: int
    code: str
    """Stable; docs/http.md lists them."""
    detail: str
    next: str | None
    errors: list[Fault] | None = None


class Ready(_Shape):
    """The service answers."""

    status: Literal["ok"]


AS_IT_IS: Final = "As it is."
PUBLISH_ACCEPTED: Final = (
    "Not over: an attempt is under way, a worker's or this service's, or it has ended and left a "
    "call unanswered. What that made is looked for by the next read, a worker or a sweep; without "
    "one of them nothing more happens by itself."
)
"""Of a 202, which clients poll: that poll is the read."""

EXPLAINED: Final[dict[int, str]] = {
    400: "The path is not UTF-8; `next` says what to send instead.",
    401: "Nobody was recognised.",
    403: "The key lacks the scope, or the account.",
    404: "No such document or item, or one of an account that the key may not see.",
    409: "The document does not allow it as things stand.",
    413: "The body is too large.",
    415: "The body is not declared as JSON.",
    422: "It cannot be accepted; every fault is told.",
    429: "Too many requests; `Retry-After` says when to go on.",
    500: "A fault of the service.",
    503: "The ledger cannot be used now.",
}
