"""The next safe action of a document: one closed word, why, and until when.

`next_step` is stored in the transaction of every change; `shown_next` only overlays what time
alone changes. Where several fit, the order of `NextAction` in design section 8 decides.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from .copying import replace
from .lease import is_live
from .model import (
    Account,
    BlockReason,
    Document,
    DocumentState,
    Item,
    ItemState,
    Kind,
    Next,
    NextAction,
    Origin,
    Reason,
    Surplus,
)
from .settling import is_absence_proof, settle_at, unanswered
from .signature import is_crashed, is_sent_by_its_program, is_unsettled, needs_settling
from .typed_command import typed_command

_RESTING = frozenset(
    {
        DocumentState.PUBLISHED,
        DocumentState.CANCELLED,
        DocumentState.PARTLY_PUBLISHED,
        DocumentState.FAILED,
    }
)

WORKER_SEEN_WITHIN: Final = timedelta(minutes=2)
"""A worker seen this lately is counted on; it says so four times as often."""

_MISSING: Final = frozenset({ItemState.ABSENT, ItemState.WAITING})

PROVEN: Final = "proven not made"
NOT_LISTED: Final = "not found by name and time (strong, not proof)"
SAID: Final = "not made, as a person said"
NOT_SENT: Final = "not sent yet as it stands in the plan"
_WHYS_MISSING: Final = (PROVEN, NOT_LISTED, SAID, NOT_SENT)
"""Why what may be sent does not exist, in the order it is told."""

_THEN_CANCELLED: Final = "; then it is cancelled"
_LOOKED_FOR_THEN: Final = "a call went unanswered; it is looked for again then"

_WHY_POLICY: Final = (
    "nothing is claimed while no finished document of its account is known; import them, or say "
    "with --complete-for that there are none, then recover. Where RECONCILER_LEGACY_EVIDENCE=never "
    "is set, that forbids it"
)
"""Both causes: the ledger does not know the setting of the process that looked."""


def next_step(
    document: Document, account: Account, now: datetime, *, worker_seen: bool = False
) -> Next:
    """What to do next, as of `now`. `worker_seen`: one was there within two minutes."""
    worker_seen = worker_seen and document.origin is Origin.OURS  # workers pass the others by
    match document.state:
        case DocumentState.DRAFT:
            return _of_draft(document)
        case DocumentState.QUEUED:
            told = replace(document, next=_of_waiting(document))  # what it was stored with is over
            return _shown_queued(told, account, now, worker_seen, is_unsettled(document, now))
        case DocumentState.PUBLISHING:
            return _then_cancelled(document, _of_publishing(document, now, worker_seen))
        case DocumentState.HELD:
            return _of_held(document)
        case _:
            return _of_resting(document)


def shown_next(
    document: Document,
    account: Account,
    now: datetime,
    *,
    worker_seen: bool = False,
    unsettled: bool | None = None,
) -> Next:
    """The stored next step with what time changed since: a lease that ended, a time that came.

    `unsettled` None: to be seen from the document's items; given for one that is told without.
    """
    worker_seen = worker_seen and document.origin is Origin.OURS
    if document.state is DocumentState.QUEUED:
        unsettled = is_unsettled(document, now) if unsettled is None else unsettled
        return _shown_queued(document, account, now, worker_seen, unsettled)
    if document.state is DocumentState.PUBLISHING:
        return next_step(document, account, now, worker_seen=worker_seen)
    return document.next


def _shown_queued(
    document: Document, account: Account, now: datetime, worker_seen: bool, unsettled: bool
) -> Next:
    step = _of_queued(document, account, now, worker_seen, unsettled)
    return _then_cancelled(document, step)


def is_seen(seen_at: datetime | None, now: datetime) -> bool:
    """Whether a worker that was last seen then may be counted on."""
    return seen_at is not None and now < seen_at + WORKER_SEEN_WITHIN


def of_closed(account: Account, now: datetime) -> Next | None:
    """What a closed account asks of every queued document of it; None where it is open."""
    if account.reason is BlockReason.ACCESS:
        why = (
            f"the account {account.id} refused our token; nothing is sent until it is renewed, or "
            "let in again, which is tried at growing intervals"
        )
        return Next(action=NextAction.ROTATE_TOKEN, why=why)
    if account.reason is BlockReason.THROTTLED and account.until and now < account.until:
        why = f"the account {account.id} is throttled; calling on would lengthen the block"
        return Next(action=NextAction.WAIT, why=why, until=account.until)
    return None


def of_paused(account: Account) -> Next | None:
    """What a paused account asks of a document that could be sent; None where it is not paused."""
    if account.paused is None:
        return None
    why = f"the account {account.id} is paused: {account.paused}"
    return Next(action=NextAction.WAIT, why=f"{why}; {typed_command('resume', account.id)} ends it")


def _of_draft(document: Document) -> Next:
    if document.origin is Origin.IMPORTED:
        return Next(action=NextAction.NONE, why="it never began; submit it as a new document")
    return Next(action=NextAction.PUBLISH, why="accepted, not yet published")


def _of_queued(
    document: Document, account: Account, now: datetime, worker_seen: bool, unsettled: bool
) -> Next:
    if closed := of_closed(account, now):
        return closed
    if is_live(document.lease, now) and document.lease is not None:
        why = "what became of it is being found out"
        return Next(action=NextAction.WAIT, why=why, until=document.lease.until)
    if unsettled:
        return _of_unsettled(document, now, worker_seen)
    return _of_sendable(document, account, now, worker_seen)


def _then_cancelled(document: Document, step: Next) -> Next:
    """What is under way comes first; a cancel that was recorded is told too."""
    if not document.cancel_requested or step.why.endswith(_THEN_CANCELLED):
        return step
    return replace(step, why=step.why + _THEN_CANCELLED)


def _of_unsettled(document: Document, now: datetime, worker_seen: bool) -> Next:
    if document.due_at is not None and now < document.due_at:
        stored = document.next
        is_about_it = (stored.action, stored.until) == (NextAction.WAIT, document.due_at)
        why = stored.why if is_about_it else _LOOKED_FOR_THEN
        return Next(action=NextAction.WAIT, why=why, until=document.due_at)
    action = NextAction.WAIT if worker_seen else NextAction.RECOVER
    return Next(action=action, why="a call went unanswered; it is time to look what it made")


def _of_waiting(document: Document) -> Next:
    """Why it waits until it is due: too early, or looked for in vain, and then with what was
    recorded of that look. Said when the time is set, and shown until then."""
    if _may_not_show_yet(document):
        why = "a call went unanswered; what it made may not show yet"
        return Next(action=NextAction.WAIT, why=why, until=document.due_at)
    open_keys = {item.key for item in document.items if needs_settling(item)}
    reasons = {one.reason for one in document.verdicts if one.item in open_keys and one.reason}
    told = ", ".join(sorted(reason.value for reason in reasons - {Reason.TOO_SOON}))
    in_vain = f"a call went unanswered; the last look gave no verdict ({told}), and it is looked "
    why = f"{in_vain}for again then" if told else _LOOKED_FOR_THEN
    return Next(action=NextAction.WAIT, why=why, until=document.due_at)


def _may_not_show_yet(document: Document) -> bool:
    """Whether it is only waited until everything shows, by the timings that were stored."""
    if not document.attempts or document.due_at is None:
        return False
    intents = [i.intent for i in document.items if i.intent and needs_settling(i)]
    times = [settle_at(one, document.attempts, document.attempts[-1].timings) for one in intents]
    return any(time is not None and document.due_at <= time for time in times)


def _of_sendable(document: Document, account: Account, now: datetime, worker_seen: bool) -> Next:
    if paused := of_paused(account):
        return paused
    later = document.due_at if document.due_at is not None and now < document.due_at else None
    if worker_seen:
        return Next(action=NextAction.WAIT, why="a worker will take it", until=later)
    if later is not None:
        why = "it is put off after trouble; no worker was seen lately"
        return Next(action=NextAction.PUBLISH, why=why, until=later)
    return Next(action=NextAction.PUBLISH, why="queued, and no worker was seen lately")


def _of_publishing(document: Document, now: datetime, worker_seen: bool) -> Next:
    if not is_crashed(document, now):
        if document.lease is None:
            why = (
                "by what it was imported with, its worker could still live: import its line again "
                "with a later time, or with its end"
            )
            return Next(action=NextAction.WAIT, why=why)
        until = document.lease.until
        return Next(action=NextAction.WAIT, why="a worker is publishing it", until=until)
    action = NextAction.WAIT if worker_seen else NextAction.RECOVER
    return Next(action=action, why="its worker is gone: the lease ended and no result was saved")


def _of_held(document: Document) -> Next:
    reasons = {i.intent.reason for i in document.items if i.intent and i.state is ItemState.HELD}
    if Reason.POISON in reasons:
        why = (
            "every look at it died, as often as MAX_ATTEMPTS allows; find out why, then look again"
        )
        return Next(action=NextAction.DECIDE, why=why)
    if reasons == {Reason.OVER_CAP}:
        why = "more entities bear one name than we judge at once (MAX_PER_NAME)"
        return Next(action=NextAction.RAISE_LIMIT, why=why)
    told = ", ".join(sorted(reason.value for reason in reasons if reason))
    if any(reason.is_passing for reason in reasons if reason):
        return Next(action=NextAction.DECIDE, why=f"no look could settle it: {told}")
    if Reason.POLICY in reasons:
        return Next(action=NextAction.DECIDE, why=f"{told}: {_WHY_POLICY}")
    return Next(action=NextAction.DECIDE, why=f"what exists cannot be proven ours: {told}")


def _of_resting(document: Document) -> Next:
    if _has_unknown_surplus(document):
        return Next(action=NextAction.DECIDE, why=_why_surplus(document))
    if document.state in (DocumentState.PUBLISHED, DocumentState.CANCELLED):
        return Next(action=NextAction.NONE, why=_why_at_rest(document))
    return _of_unfinished(document)


def _of_unfinished(document: Document) -> Next:
    states = {item.state for item in document.items}
    if document.origin is Origin.IMPORTED:
        return Next(action=NextAction.NONE, why=_why_over_elsewhere(states))
    if any(needs_settling(item) for item in document.items):
        why = "the API answered after it had ended; what it made is recorded, and made only once"
        return Next(action=NextAction.PUBLISH, why=why)
    if ItemState.REJECTED in states:
        why = "the API refused the input of an item; mend the plan and submit it again"
        return Next(action=NextAction.FIX_INPUT, why=why)
    if states & _MISSING:
        told = " or ".join(_whys_missing(document))
        whose = "; its program sends it, or publish does" * is_sent_by_its_program(document)
        return Next(action=NextAction.PUBLISH, why=f"what is missing was {told}{whose}")
    return Next(action=NextAction.NONE, why="nothing of it can be sent any more")


def _whys_missing(document: Document) -> list[str]:
    """Each once, in their order."""
    whys = {_why_missing(document, item) for item in document.items if item.state in _MISSING}
    return [why for why in _WHYS_MISSING if why in whys]


def _why_missing(document: Document, item: Item) -> str:
    """A mended item's own words were never sent; what a person said is no proof."""
    if item.state is ItemState.WAITING:
        return NOT_SENT
    if is_said_not_made(document, item):
        return SAID
    return PROVEN if item.intent is not None and is_absence_proof(item.intent) else NOT_LISTED


def is_said_not_made(document: Document, item: Item) -> bool:
    """Whether it is absent by a person's word: neither its answers nor a look show it."""
    if item.state is not ItemState.ABSENT or item.intent is None or not unanswered(item.intent):
        return False
    return any(one.item == item.key and one.verdict != "absent" for one in document.verdicts)


def _why_over_elsewhere(states: set[ItemState]) -> str:
    if ItemState.PENDING in states:
        return (
            "it finished elsewhere; what was not recorded of it nobody looks for or makes here: "
            "see in its old container whether it exists, and submit it as a new document only if "
            "it does not"
        )
    return (
        "imported documents are not published from here: look into its old container for what was "
        "renamed or moved, then submit what is missing as a new document"
    )


def _why_at_rest(document: Document) -> str:
    confirmed = sum(item.state is ItemState.CONFIRMED for item in document.items)
    unlisted = sum(item.intent is not None and item.intent.is_unlisted for item in document.items)
    gone = [f"{_counted(unlisted, 'is', 'are')} not listed any more"] if unlisted else []
    if document.state is DocumentState.PUBLISHED:
        all_made = "was made" if unlisted else "exists"
        return "; ".join([f"everything it wants {all_made} and is recorded", *gone])
    exist = confirmed - unlisted
    held = any(item.state is ItemState.HELD for item in document.items)
    left = [f"{_counted(exist, 'exists', 'exist')} outside, yours to keep or delete"]
    left = (left if exist else []) + gone
    left += ["what is held may exist outside"] if held else []
    return "; ".join(["cancelled", *left])


def _counted(number: int, one: str, more: str) -> str:
    return f"1 item {one}" if number == 1 else f"{number} items {more}"


def _has_unknown_surplus(document: Document) -> bool:
    """Of a document at rest; others have something more urgent to say."""
    return document.state in _RESTING and bool(_unknown_surplus(document))


def _unknown_surplus(document: Document) -> list[Surplus]:
    """What a listing shows and nobody knows of. A second creative costs nothing (facts 4.9)."""
    return [
        extra for extra in document.surplus if extra.is_open and extra.kind is not Kind.ADCREATIVE
    ]


def _why_surplus(document: Document) -> str:
    """Where its own entity is gone, another one of it is not too many: it may be the last."""
    gone = {item.key for item in document.items if item.intent and item.intent.is_unlisted}
    if all(extra.item in gone for extra in _unknown_surplus(document)):
        return "what is recorded is not listed any more, another of ours is; see its surplus"
    return "more exists outside than it wants; see its surplus"
