"""The use case `submit`: store a plan as a document, once, however often it is sent.

The key decides what "the same" is: by default the hash of what the plan wants, so that a request
repeated after a lost answer finds the document it made. Nothing is sent to the API here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol

from . import events
from .errors import InvalidPlan, PlanError
from .lifecycle import queued
from .limits import Limits
from .model import Document, DocumentState, Echo, Origin
from .once_more import doubling
from .plan import Plan
from .ports import Chance, Change, Event
from .revision import changed_fields, item_of, revised
from .typed_command import typed_command

KEY_LENGTH_MAX: Final = 200


SPARE: Final = 16
"""Item parts beyond the plan's items, in place of those that a present revision uses already: of a
billion parts not even one is met twice in a lifetime."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Submitted:
    """The document as it stands. At most one of `created` and `changed` is true.

    Where neither is, nothing was stored: the plan is known, and `publish` had no draft to queue.
    """

    document: Document
    created: bool
    changed: bool
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """Drawn before the transaction, which may run twice. `item_parts` are distinct and enough
    for a revision whose every item is new and collides with none of the present ones."""

    document_id: str
    document_part: str
    item_parts: tuple[str, ...]


class Accepting(Protocol):
    """What is asked of a ledger here: `Ledger.submit`, whose obligations stand there."""

    async def submit(
        self, key: str, accept: Callable[[Document | None, datetime], Change | None]
    ) -> tuple[Document, bool]:
        """Store a new document or change the one that has this key."""


async def submit(
    plan: Plan,
    *,
    key: str | None,
    new: bool,
    publish: bool,
    ledger: Accepting,
    chance: Chance,
    limits: Limits,
) -> Submitted:
    """Store the plan under its key, or as the next revision of what the key names.

    Returns after the document would survive a power cut. `key` None means the plan's hash; `new`
    makes a key of its own of either. `publish` queues a new document or one that rests as a draft,
    and leaves any other's state alone. Raises `InvalidPlan`, or `WrongState` where the document
    takes no revision.
    """
    # 1. Whose document: the key. A bad one is refused before anything is drawn or asked.
    key = plan.hash if key is None else _checked(key)
    if new:
        key = f"{key}-{chance.document_id()}"
    # 2. All chance before the transaction: what runs in it is pure.
    tokens = draw(chance, len(plan.items) + SPARE)

    # 3. One transaction: nothing, a new document, or the next revision.
    def decide(present: Document | None, now: datetime) -> Change | None:
        return accept(plan, present, now, key=key, publish=publish, echo=limits.echo, tokens=tokens)

    document, stored = await ledger.submit(key, decide)
    # 4. Say what became of it.
    is_new = document.id == tokens.document_id
    return Submitted(
        document=document,
        created=is_new,
        changed=stored and not is_new,
        warnings=_warnings(document, stored),
    )


def accept(
    plan: Plan,
    present: Document | None,
    now: datetime,
    *,
    key: str,
    publish: bool,
    echo: Echo,
    tokens: Tokens,
) -> Change | None:
    """What a plan means for what is there: pure. None where it is there already."""
    if present is None:
        return _first(plan, now, key=key, publish=publish, echo=echo, tokens=tokens)
    document = present
    said: tuple[Event, ...] = ()
    if present.plan_hash != plan.hash:
        document = revised(plan, present, now, tokens.item_parts)
        said = (_revised_event(plan, present, document),)
    if publish and document.state is DocumentState.DRAFT and document.origin is Origin.OURS:
        document, said = queued(document, now), (*said, Event(kind=events.QUEUED))
    return Change(document=document, events=said) if said else None


def draw(chance: Chance, item_parts: int) -> Tokens:
    """Draw a document's tokens. Two items of a document must never share a mark."""
    distinct: dict[str, None] = {}
    for _ in range(10 * item_parts):  # of a billion parts, so the second round hardly begins
        distinct[chance.item_part()] = None
        if len(distinct) == item_parts:
            break
    else:
        raise AssertionError("chance repeats itself: it cannot make marks")
    return Tokens(
        document_id=chance.document_id(),
        document_part=chance.document_part(),
        item_parts=tuple(distinct),
    )


def _first(
    plan: Plan, now: datetime, *, key: str, publish: bool, echo: Echo, tokens: Tokens
) -> Change:
    items = zip(plan.items, tokens.item_parts, strict=False)
    document = Document(
        id=tokens.document_id,
        key=key,
        plan_hash=plan.hash,
        account_id=plan.account_id,
        container=plan.container,
        created_at=now,
        since=now,
        title=plan.title,
        mark_part=None if echo is Echo.NONE else tokens.document_part,
        items=tuple(item_of(planned, part) for planned, part in items),
    )
    said = Event(
        kind=events.SUBMITTED,
        detail={"revision": 1, "plan_hash": plan.hash, "items": len(plan.items)},
    )
    if not publish:
        return Change(document=document, events=(said,))
    return Change(document=queued(document, now), events=(said, Event(kind=events.QUEUED)))


def _revised_event(plan: Plan, present: Document, document: Document) -> Event:
    before = {item.key: item for item in present.items}
    after = {planned.key: planned for planned in plan.items}
    both = sorted(before.keys() & after.keys())
    return Event(
        kind=events.REVISED,
        detail={
            "revision": document.revision,
            "plan_hash": plan.hash,
            "added": sorted(after.keys() - before.keys()),
            "removed": sorted(before.keys() - after.keys()),
            "changed": [key for key in both if changed_fields(before[key], after[key])],
        },
    )


def _checked(key: str) -> str:
    if 1 <= len(key) <= KEY_LENGTH_MAX and key.isprintable() and not key.isspace():
        return key
    error = PlanError(
        item=None,
        field="key",
        problem="is empty, too long, or holds what cannot be printed",
        instead=f"write 1 to {KEY_LENGTH_MAX} printable characters",
    )
    raise InvalidPlan((error,))


_NOW: Final = {
    DocumentState.DRAFT: "{publish} makes it",
    DocumentState.PARTLY_PUBLISHED: "{publish} makes what may still be sent",
    DocumentState.FAILED: "{publish} makes what may still be sent",
    DocumentState.HELD: "{explain} says what a person must decide",
    DocumentState.PUBLISHED: "--new makes it once more{doubling}",
    DocumentState.CANCELLED: "--new makes it once more{doubling}",
}
"""What to do about a plan that is known; a second set of it only where nothing is left to make,
and then with what would exist twice."""


def _and_now(document: Document) -> str:
    by = {name: typed_command(name, document.id) for name in ("publish", "explain")}
    told = _NOW.get(document.state, "").format(doubling=doubling(document), **by)
    state = document.state.value.replace("_", " ")
    return f"{state}; {told}" if told else state


def _warnings(document: Document, stored: bool) -> tuple[str, ...]:
    said = (
        (not stored, f"nothing was changed: this plan is known and {_and_now(document)}"),
        (
            document.mark_part is None,
            "it has no mark: after a crash it is found by name and time, strong but no proof",
        ),
        (stored and document.cancel_requested, "a cancel is recorded and will be honoured"),
    )
    return tuple(sentence for applies, sentence in said if applies)
