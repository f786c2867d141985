"""The closed lists: every word other programs test on, in one place.

A word means one thing everywhere: code, SQL, JSON, logs and docs. Lists marked *closed* may not
grow without a new version of the shape that shows them.
"""

from __future__ import annotations

from enum import StrEnum


class Kind(StrEnum):
    """What an item is. *Closed.*"""

    CAMPAIGN = "campaign"
    ADSET = "adset"
    ADCREATIVE = "adcreative"
    AD = "ad"

    @property
    def edge(self) -> str:
        """The last part of the path that creates and lists this kind: facts 5.1."""
        return f"{self}s"


class ContainerKind(StrEnum):
    """What kind of external parent a container is. *Closed.*"""

    ACCOUNT = "account"
    CAMPAIGN = "campaign"
    ADSET = "adset"


class DocumentState(StrEnum):
    """Where a document stands. *Closed.* "Crashed" is not stored: see `signature`."""

    DRAFT = "draft"
    QUEUED = "queued"
    PUBLISHING = "publishing"
    PUBLISHED = "published"
    PARTLY_PUBLISHED = "partly_published"
    FAILED = "failed"
    CANCELLED = "cancelled"
    HELD = "held"


class ItemState(StrEnum):
    """Where an item stands. *Closed.*"""

    WAITING = "waiting"  # no intent yet
    PENDING = "pending"  # sent, or perhaps sent; not known
    CONFIRMED = "confirmed"  # bound to an external id
    REJECTED = "rejected"  # the input must change
    ABSENT = "absent"  # taken for not made: by what was seen, or a person's word; may be sent
    BLOCKED = "blocked"  # refers to an item that cannot be made
    HELD = "held"  # a person must decide


class Outcome(StrEnum):
    """How one call ended. *Closed.* The default, wherever there is doubt, is `UNKNOWN`."""

    CREATED = "created"
    REJECTED = "rejected"  # the input is wrong, nothing was made
    REFUSED_ACCESS = "refused_access"  # token or permission; settled like unknown
    NOT_SENT = "not_sent"  # no byte of the request reached the API
    UNKNOWN = "unknown"


class AttemptOutcome(StrEnum):
    """How one execution of a document ended. *Closed.* None while it runs."""

    SUCCEEDED = "succeeded"
    UNRESOLVED = "unresolved"
    HANDED_BACK = "handed_back"
    CANCELLED = "cancelled"
    ERROR = "error"
    ORPHANED = "orphaned"


class Grade(StrEnum):
    """How a binding is known. *Closed.* Stored on it as `found_by`."""

    REPLY = "reply"
    MARK = "mark"
    PERSON = "person"
    PROVENANCE = "provenance"
    NAME_AND_TIME = "name_and_time"

    @property
    def is_proof(self) -> bool:
        """A binding by name and time or provenance is strong, not proof, and may be contested."""
        return self in (Grade.REPLY, Grade.MARK, Grade.PERSON)


class Reason(StrEnum):
    """Why a verdict is `Inconclusive`. *Closed.*"""

    TOO_SOON = "too_soon"
    LISTING_INCOMPLETE = "listing_incomplete"
    THROTTLED = "throttled"
    ACCESS = "access"
    CLOCK = "clock"
    AMBIGUOUS = "ambiguous"
    TWINS = "twins"
    CONTESTED = "contested"
    UNPROVEN_ROW = "unproven_row"
    MARK_LOST = "mark_lost"
    ECHO_UNPROVEN = "echo_unproven"
    OVER_CAP = "over_cap"
    PROVENANCE = "provenance"
    POLICY = "policy"
    POISON = "poison"

    @property
    def is_passing(self) -> bool:
        """Passing reasons are looked at again by themselves; standing ones need a person."""
        return self in PASSING


PASSING = frozenset(
    {Reason.TOO_SOON, Reason.LISTING_INCOMPLETE, Reason.THROTTLED, Reason.ACCESS, Reason.CLOCK}
)


class Origin(StrEnum):
    """Whether we accepted the document's plan or took it over from elsewhere. *Closed.*"""

    OURS = "ours"
    IMPORTED = "imported"


class Echo(StrEnum):
    """Where the mark rides: setting `ECHO`. Twins carry it in the name unless echo is off."""

    LABEL = "label"
    LABEL_AND_NAME = "label+name"
    NONE = "none"


class Purpose(StrEnum):
    """What a lease allows. *Closed.* Only `PUBLISH` opens the door to creating."""

    PUBLISH = "publish"
    SETTLE = "settle"


class NextAction(StrEnum):
    """The next safe action, one per document. *Closed.*"""

    NONE = "none"
    WAIT = "wait"
    PUBLISH = "publish"
    RECOVER = "recover"
    FIX_INPUT = "fix_input"
    ROTATE_TOKEN = "rotate_token"  # noqa: S105 - the name of an action, not a secret
    DECIDE = "decide"
    RAISE_LIMIT = "raise_limit"


class BlockReason(StrEnum):
    """Why an account is closed for every worker."""

    THROTTLED = "throttled"
    ACCESS = "access"
