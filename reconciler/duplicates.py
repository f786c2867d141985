"""What exists beyond what any document wants: each container listed once, nothing changed.

A report for people: it decides nothing and deletes nothing. What a listing did not show to its end
is told as incomplete, never as nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from .access import closed_because
from .duplicates_groups import Group, Wants, groups_of
from .listing import IncompleteListing, Listing, Place, Statuses, WalkRequest
from .model import Reason
from .outside import Outside

DOCUMENTS_AT_ONCE: Final = 200
"""Read per transaction; how many there are is bounded by nothing but the ledger."""

Step = Callable[[int, int], None]
"""Called after each container: how many are done, of how many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotWalked:
    """A place of which nothing is known, and why. `detail` says at which page it stopped."""

    account_id: str
    place: Place
    reason: Reason
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Duplicates:
    """The report. `walked` counts the places listed to their end; `groups` are of those alone."""

    groups: tuple[Group, ...] = ()
    walked: int = 0
    incomplete: tuple[NotWalked, ...] = ()


async def duplicates(
    outside: Outside, *, account_id: str | None = None, step: Step = lambda _done, _of: None
) -> Duplicates:
    """Walk every container a document sent something to, of one account or of all."""
    # 1. What is wanted where, and what is known to be whose: from the ledger alone.
    wants = await _wants(outside, account_id)
    # 2. Each place once. A closed account is not asked.
    groups: list[Group] = []
    incomplete: list[NotWalked] = []
    closed: dict[str, Reason | None] = {}
    for done, (account, place) in enumerate(wants.places, start=1):
        if account not in closed:
            closed[account] = await closed_because(await outside.ledger.account(account), outside)
        walked = closed[account] or await _walk(account, place, wants, outside)
        if isinstance(walked, Listing):
            groups += await _beyond(wants, account, walked, outside)
        else:
            incomplete.append(_not_walked(account, place, walked))
            closed[account] = _closes(walked)
        step(done, len(wants.places))
    # 3. Beyond is what no document wants, grouped by name.
    walked_count = len(wants.places) - len(incomplete)
    return Duplicates(groups=tuple(groups), walked=walked_count, incomplete=tuple(incomplete))


async def _wants(outside: Outside, account_id: str | None) -> Wants:
    wants, after = Wants(), ""
    while page := await outside.ledger.exported(
        limit=DOCUMENTS_AT_ONCE, after=after, account_id=account_id
    ):
        for document in page:
            wants.add(document)
        after = page[-1].id
    return wants


async def _walk(
    account_id: str, place: Place, wants: Wants, outside: Outside
) -> Listing | IncompleteListing:
    container, kind = place
    request = WalkRequest(
        account_id=account_id, container=container, kind=kind, statuses=Statuses.EVERY_STATUS
    )
    keep = wants.wanted_at(account_id, place).keeps
    return await outside.graph.walk(request, keep, outside.ledger.now)


async def _beyond(wants: Wants, account_id: str, listing: Listing, outside: Outside) -> list[Group]:
    """What a person recorded as known is not beyond; only the few documents concerned are read."""
    first = groups_of(wants, account_id, listing)
    for document_id in sorted({one for group in first for one in group.documents}):
        wants.know((await outside.ledger.read(document_id)).document)
    return list(groups_of(wants, account_id, listing))


def _not_walked(account_id: str, place: Place, why: IncompleteListing | Reason) -> NotWalked:
    if isinstance(why, Reason):
        return NotWalked(account_id=account_id, place=place, reason=why)
    return NotWalked(account_id=account_id, place=place, reason=why.reason, detail=why.detail)


def _closes(why: IncompleteListing | Reason) -> Reason | None:
    """A throttled or refused walk ends the account's: calling on lengthens the block."""
    reason = why if isinstance(why, Reason) else why.reason
    return reason if reason in (Reason.THROTTLED, Reason.ACCESS) else None
