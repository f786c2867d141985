"""The walks of one account in a batch: each place once for all documents, one after the other.

A walk that was throttled or refused ends the account's: calling on would only lengthen the block.
What was not walked for that is told as incomplete, with the reason, and never as empty.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from .batch_rows import SharedWalk
from .listing import (
    IncompleteListing,
    Listing,
    Place,
    Statuses,
    Walk,
    WalkRequest,
    Wanted,
)
from .model import Account, Reason
from .outside import Outside

CLOSING: Final = frozenset({Reason.THROTTLED, Reason.ACCESS})


@dataclass(slots=True)
class Walked:
    """What was seen of some places: up to two complete walks of each, or why there is none."""

    shared: dict[Place, list[SharedWalk]] = field(default_factory=dict)
    incomplete: dict[Place, IncompleteListing] = field(default_factory=dict)

    def listings(self, places: frozenset[Place], wanted: Wanted) -> tuple[Listing, ...]:
        """The complete walks of these places, cut to what one document wants; as one look has
        them: first walks before second ones."""
        walks = [walk for place in places for walk in self.shared.get(place, ())]
        walks.sort(key=lambda walk: walk.listing.started_at)
        return tuple(walk.cut(wanted) for walk in walks)

    def missing(self, places: frozenset[Place]) -> Mapping[Place, IncompleteListing]:
        """Why these places, or some of them, have no complete walk."""
        return {place: self.incomplete[place] for place in places if place in self.incomplete}


class AccountWalks:
    """Walks places of one account until it closes. `walks`, `pages` count what was asked."""

    def __init__(self, account: Account, outside: Outside, now: datetime) -> None:
        self._account = account
        self._outside = outside
        # Nothing is probed to find out whether it opened: a plan changes nothing.
        is_open = account.is_open(outside.graph.token_print(account.id), now)
        self._closed = None if is_open or not account.reason else Reason(account.reason.value)
        self.walks = 0
        self.pages = 0

    async def walk(self, place: Place, wanted: Wanted, statuses: Statuses, walked: Walked) -> None:
        """List one place, and keep what came of it."""
        container, kind = place
        request = WalkRequest(
            account_id=self._account.id, container=container, kind=kind, statuses=statuses
        )
        found = await self._walk(request, wanted)
        if isinstance(found, Listing):
            walked.shared.setdefault(place, []).append(SharedWalk(found))
        else:
            walked.incomplete[place] = found
            self._closed = found.reason if found.reason in CLOSING else self._closed

    async def _walk(self, request: WalkRequest, wanted: Wanted) -> Walk:
        now = self._outside.ledger.now
        if self._closed is not None:
            at = await now()
            return IncompleteListing(
                request=request,
                reason=self._closed,
                detail="the account was closed before this container was listed",
                pages=0,
                row_count=0,
                started_at=at,
                ended_at=at,
            )
        found = await self._outside.graph.walk(request, wanted.keeps, now)
        self.walks += 1
        self.pages += found.pages
        return found

    async def has_label(self, name: str) -> bool | None:
        """Whether the label still exists in the account; None where it cannot be asked."""
        if self._closed is not None:
            return None
        return await self._outside.graph.has_label(self._account.id, name)
