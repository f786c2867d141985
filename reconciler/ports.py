"""The outside, as the core sees it: what each port must do, and must not do by itself.

Every method is `async`, so that the same core runs on real sockets and under virtual time. A port
never raises what its library raises: the ledger raises `errors`, the Graph port answers in values.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Protocol

from .activity_log import LoggedCreations, UnreadLog
from .arriving import Arrivals
from .batching import Batches
from .call_outcome import Answer, CreateRequest
from .copying import quick
from .due import Duties
from .listing import Keep, Walk, WalkRequest
from .model import Account, Attempt, Document, DocumentState, Grade, Intent, Kind
from .verdict import Evidence

# --- the ledger ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """Which intent an external id is bound to, and how that is known."""

    external_id: str
    document_id: str
    item: str
    grade: Grade


@dataclass(frozen=True, slots=True, kw_only=True)
class Rival:
    """An intent of another document that lacks its entity, or bound it by name and time.

    It contests a row its own sieves do not disprove. `attempts`: its document's, for its windows.
    """

    document_id: str
    item: str
    intent: Intent
    attempts: tuple[Attempt, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """Bindings and rivals, read as one value in one transaction, for one account.

    `bindings` is keyed by external id and holds those of the asked ids that are bound.
    """

    bindings: Mapping[str, Binding] = field(default_factory=dict)
    rivals: tuple[Rival, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What to read of the surroundings: the document's names and the ids of its narrowed rows.

    A name is (kind, parent's external id, canonical name). Rivals are intents of *other* documents
    of the same account with one of these names, in documents that began publishing, in any state,
    whose item is `pending` or `held`, or `confirmed` by a grade that is no proof.
    """

    names: frozenset[tuple[Kind, str, str]] = frozenset()
    external_ids: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """Guard: the single door to creating.

    Matches `queued`, due, not unsettled, lease free, account open for this token, ours, no cancel
    requested; with `at_rest`, for a program that asks for one create of its own, `draft`,
    `partly_published` and `failed` as well. Sets state `publishing`, `since`, `began_at` if null, a
    lease of purpose `publish` until now + `duration`, and raises the epoch.
    """

    owner: str
    duration: timedelta
    token_print: str | None
    at_rest: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SettleLease:
    """Guard: matches a free lease in any state but `publishing`. Sets purpose `settle`, raises the
    epoch and adds one to `recoveries`."""

    owner: str
    duration: timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class Takeover:
    """Guard: the crash signature: `publishing`, `lease_until` <= now, epoch as seen.

    Clears the lease and raises the epoch, so that the worker that slept is fenced out.
    """

    epoch: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Fenced:
    """Guard: the lease is still ours by owner and epoch and ends later than now + `left`.

    `left` None asks nothing of the time: a decision made by a worker whose lease ran out, but that
    nobody took over, is still fenced by the epoch.
    """

    owner: str
    epoch: int
    left: timedelta | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaseFree:
    """Guard: no lease, or an expired one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Anyhow:
    """Guard: the document exists. For facts and requests, which are recorded always."""


Guard = Claim | SettleLease | Takeover | Fenced | LeaseFree | Anyhow


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One line of the journal, written in the transaction of what it tells. `detail` is JSON."""

    kind: str
    item: str | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """An event as the journal gives it back, with its place and ledger time."""

    sequence: int
    at: datetime
    event: Event


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What a decision may look at: read inside the transaction, after the guard matched.

    `now` is the ledger's time, bound once per transaction. `worker_seen` says whether a worker
    was there lately, None: it was not asked; no decision rests on it.
    """

    document: Document
    account: Account
    now: datetime
    surroundings: Surroundings = field(default_factory=Surroundings)
    worker_seen: bool | None = field(default=None, compare=False)


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a decision wants stored. An unchanged document costs no write but the guard's.

    `account` None leaves the account alone. `run` is the batch that the change belongs to, by which
    its documents are found again; None: it belongs to none.
    """

    document: Document
    account: Account | None = None
    events: tuple[Event, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    run: str | None = None


Decide = Callable[[View], Change]
"""Pure, quick, and safe to call again: a ledger may retry a transaction that the database refused.
Whatever it raises rolls the transaction back and reaches the caller."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """One line of `list`: the document without its items."""

    document: Document  # items, attempts, verdicts and surplus empty
    unsettled: bool
    has_surplus: bool  # listed, and nobody recorded it as known


class Ledger(Duties, Arrivals, Batches, Protocol):
    """Durable truth about documents. One implementation per database, one contract suite for all.

    After every change the ledger sets `next` by `lifecycle.next_step`, in the same transaction.
    """

    async def now(self) -> datetime:
        """The ledger's time, aware UTC. The only `now` that decisions use."""

    async def submit(
        self, key: str, accept: Callable[[Document | None, datetime], Change | None]
    ) -> tuple[Document, bool]:
        """Store a new document or change the one that has this key; unique per ledger.

        `accept` gets the present document (None if the key is new), also one that somebody works
        on, and the ledger's time; None from it changes nothing, and what it raises comes through.
        Returns the document as it now stands and whether anything was stored, after it would
        survive a power cut.
        """

    async def read(self, document_id: str) -> View:
        """The document whole, with its account, and whether a worker was seen; surroundings empty.

        One query, for nearly every read finds nothing to do. Raises `UnknownDocument`.
        """

    async def journal(self, document_id: str) -> tuple[Recorded, ...]:
        """Every event of a document, oldest first."""

    async def evidence(self, evidence_id: str) -> Evidence:
        """Stored evidence. Raises `LedgerUnavailable` where its hash no longer fits its content."""

    async def change(
        self,
        document_id: str,
        guard: Guard,
        decide: Decide,
        *,
        around: Around | None = None,
        only: Collection[str] | None = None,
    ) -> View | None:
        """Match the guard by one conditional `UPDATE ... RETURNING`, decide, store, commit.

        Returns the document as stored, only after that would survive a power cut; None where the
        guard did not match, and then nothing was changed. `around` has the surroundings read in
        the same transaction. `only` loads these items alone, for decisions that need no others:
        then the returned document holds only them, and items not loaded are left as they are.
        Raises `UnknownDocument`; `BindingTaken` with everything rolled back.
        """

    async def renew(
        self, document_id: str, owner: str, epoch: int, lease: timedelta
    ) -> datetime | None:
        """Move `lease_until` to now + lease, only while it is ours and still ahead of now.

        Also moves the running attempt's `lease_until`, if the purpose is publish. Returns the new
        end, None where the lease was lost. Raises `LedgerUnavailable` where neither is known.
        """

    async def around(self, document_id: str, around: Around) -> Surroundings:
        """The surroundings of a document, read without a lease: for judging, not for acting."""

    async def account(self, account_id: str) -> Account:
        """What is known of the account; an open one if nothing is."""

    async def set_account(self, account: Account, seen: Account) -> bool:
        """Replace `seen` by `account`; False where somebody else was quicker."""

    async def summaries(
        self, *, state: DocumentState | None = None, account_id: str | None = None
    ) -> tuple[dict[DocumentState, int], tuple[Summary, ...]]:
        """Counts by state over the whole selection, and up to 1,000 lines, newest first."""


# --- the Graph API ---------------------------------------------------------------------------


class Graph(Protocol):
    """The Marketing API. Foreign errors end here: every method answers in values.

    Never logs, raises or returns a secret.
    """

    async def create(self, request: CreateRequest, *, within: timedelta) -> Answer:
        """Send exactly one POST, at most once, and answer within `within` in all, whatever comes.

        The deadline counts from the call and covers pool wait, DNS and connect. No transport
        retry, no redirect, no `fields` (facts 2.12, 2.14). Cancelled by the caller, it raises
        `CancelledError` at once; the request may still land.
        """

    async def create_many(
        self, requests: Sequence[CreateRequest], *, within: timedelta
    ) -> tuple[Answer, ...]:
        """The same for several of one account in one POST: an answer for each, in their order.

        They may share a request by `create_batch.may_join`. Whatever does not show beyond doubt
        which of them it is about leaves all of them `unknown`.
        """

    async def keep_pace(self, account_id: str, *, within: timedelta) -> None:
        """Wait as long as the account's usage asks before its next create; a share of `within`.

        A step of its own, so that the lease is checked behind the wait and not before it (A2).
        """

    async def walk(
        self,
        request: WalkRequest,
        keep: Keep,
        now: Callable[[], Awaitable[datetime]],
        *,
        step: Callable[[], None] = lambda: None,
    ) -> Walk:
        """List all children of a container, keeping only the rows that `keep` accepts.

        `now` gives the ledger's time, for start, end and the clock difference. `step` is called
        after each page, so that a renewal sees the work move. Sends GET only.
        """

    async def walk_ours(
        self,
        request: WalkRequest,
        label: str,
        keep: Keep,
        now: Callable[[], Awaitable[datetime]],
        *,
        step: Callable[[], None] = lambda: None,
    ) -> Walk | None:
        """List only the children that bear this label, as the API narrows them: a few rows.

        `request` asks for `OUR_LABEL`. Every row bears the label; whether every child that bears it
        is there, nobody promises. None: not narrowed for this account; the whole walk tells.
        """
        return None

    async def logged_creations(
        self, account_id: str, since: datetime, until: datetime
    ) -> LoggedCreations | UnreadLog:
        """Which app created what between two moments, as the account's activity log tells.

        Rows of a few minutes before and after may be told too. Of what the log does not tell
        nothing follows: it lags and forgets (facts 6.7, 6.10). GET only.
        """
        return UnreadLog()

    async def has_label(self, account_id: str, name: str) -> bool | None:
        """Whether the account has an ad label of this name. None: the walk did not complete."""

    async def probe(self, account_id: str) -> bool:
        """One cheap read: whether the account answers to its token now."""

    def is_app_throttled(self, account_id: str) -> bool:
        """Whether the API lately refused this account for a limit of the whole app: then every
        account of the same token is to be left alone."""
        return False

    def token_print(self, account_id: str) -> str | None:
        """A digest of the account's token; changes exactly when the token does. None: no token."""


# --- time, chance ----------------------------------------------------------------------------


class Clock(Protocol):
    """The worker's own clocks, used only to measure what is left of its lease, and to wait."""

    def boot_seconds(self) -> float:
        """Seconds since boot, suspended time included; never goes back."""

    def wall_seconds(self) -> float:
        """Seconds of the wall clock."""

    async def sleep(self, duration: timedelta) -> None:
        """Let at least this time pass."""


class Chance(Protocol):
    """Unguessable tokens, and jitter. Replaced by a seeded one in tests."""

    def document_id(self) -> str:
        """A new document id, sortable by time."""

    def owner(self) -> str:
        """A new lease owner, fresh per process start."""

    def document_part(self) -> str:
        """A new document part of a mark: 80 unguessable bits."""

    def item_part(self) -> str:
        """A new item part of a mark."""

    def fraction(self) -> float:
        """A number in [0, 1), for jitter."""
