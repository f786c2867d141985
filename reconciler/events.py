"""The journal's vocabulary: one constant per kind of line, each written with what it tells of."""

from __future__ import annotations

from typing import Final

SUBMITTED: Final = "submitted"
REVISED: Final = "revised"
IMPORTED: Final = "imported"  # taken over from elsewhere, or told anew while it still ran
QUEUED: Final = "queued"  # a person said publish
CLAIMED: Final = "claimed"  # an attempt began
INTENTS_WRITTEN: Final = "intents_written"  # calls recorded, about to be sent
ANSWERED: Final = "answered"  # a fact: this call was answered so
DECIDED: Final = "decided"  # an intent's state moved
TAKEN_OVER: Final = "taken_over"  # the lease had run out with no end recorded
LOOKED: Final = "looked"  # a look ended, with its verdict
SURPLUS: Final = "surplus"  # more exists than is wanted
UNLISTED: Final = "unlisted"  # a complete listing lacks what was recorded, or seen beyond it
LISTED_AGAIN: Final = "listed_again"  # a later one shows it
STALE: Final = "stale"  # what was judged had moved; nothing was decided
RESOLVED: Final = "resolved"  # a person decided, and why
CONTESTED: Final = "contested"  # a binding that was no proof was given up for one that is
BATCH_APPLIED: Final = "batch_applied"  # a batch carried out what it had planned for it
BATCH_REVERTED: Final = "batch_reverted"  # what a batch bound was taken back, and why
ASSUMPTION_BROKEN: Final = "assumption_broken"  # by what a program sent itself, and which
CANCEL_REQUESTED: Final = "cancel_requested"
ACCOUNT_CLOSED: Final = "account_closed"
STATE: Final = "state"  # the document's state after an end

ALL: Final = frozenset(
    {
        SUBMITTED,
        REVISED,
        IMPORTED,
        QUEUED,
        CLAIMED,
        INTENTS_WRITTEN,
        ANSWERED,
        DECIDED,
        TAKEN_OVER,
        LOOKED,
        SURPLUS,
        UNLISTED,
        LISTED_AGAIN,
        STALE,
        RESOLVED,
        CONTESTED,
        BATCH_APPLIED,
        BATCH_REVERTED,
        ASSUMPTION_BROKEN,
        CANCEL_REQUESTED,
        ACCOUNT_CLOSED,
        STATE,
    }
)
