"""Whose document is taken next: accounts take turns, so that none waits behind another's thousands.

A worker's own memory is where it left off; nothing of it is durable. Every question to the ledger
is about few accounts or few documents, however many are queued.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Final

from .due import Due, DueDocument
from .outside import Outside

PAGE: Final = 100
"""Claimable documents asked for at once: more than slots, for some may be put aside."""

ACCOUNTS: Final = 20
"""Accounts asked for at once."""

HasRoom = Callable[[str], bool]
"""Whether one more document of this account may be taken."""

MayTake = Callable[[DueDocument], bool]


class Turns:
    """The order in which the accounts come to their turns, each behind the one before it."""

    def __init__(self, outside: Outside) -> None:
        self._outside = outside
        self._last = ""  # the account that had its turn last

    async def next(self, has_room: HasRoom, may_take: MayTake) -> AsyncGenerator[DueDocument, None]:
        """One document of each account, then a second of each, and so on while there are any.

        Whoever asks takes what is told before asking on, and stops when it has enough.
        """
        lines: list[Line] = []
        async with aclosing(self._accounts()) as accounts:
            async for account in accounts:
                lines.append(Line(account, self._outside))
                if row := await lines[-1].next(has_room, may_take):
                    self._last = account
                    yield row
        while lines:
            line = lines.pop(0)
            if row := await line.next(has_room, may_take):
                self._last = line.account
                lines.append(line)
                yield row

    async def _accounts(self) -> AsyncGenerator[str, None]:
        """Those with something to claim, once each, beginning behind the last one."""
        seen: set[str] = set()
        for after in (self._last, "") if self._last else ("",):
            async with aclosing(self._behind(after)) as accounts:
                async for account in accounts:
                    if account in seen:
                        return
                    seen.add(account)
                    yield account

    async def _behind(self, after: str) -> AsyncGenerator[str, None]:
        while page := await self._outside.ledger.turns(limit=ACCOUNTS, after=after):
            for row in page:
                yield row.account_id
            if len(page) < ACCOUNTS:
                return
            after = page[-1].account_id


class Line:
    """The claims of one account, the longest due first, read page by page as they are asked for."""

    def __init__(self, account: str, outside: Outside) -> None:
        self.account = account
        self._outside = outside
        self._page: list[DueDocument] = []
        self._after: DueDocument | None = None
        self._is_read = False

    async def next(self, has_room: HasRoom, may_take: MayTake) -> DueDocument | None:
        """None: there is no room for it, or nothing left that may be taken."""
        while has_room(self.account):
            if not self._page and not await self._read():
                return None
            row = self._page.pop(0)
            if may_take(row):
                return row
        return None

    async def _read(self) -> bool:
        """Whether there was another row."""
        if self._is_read:
            return False
        page = await self._outside.ledger.due(
            Due.CLAIM,
            limit=PAGE,
            passing_max=self._outside.limits.passing_max,
            after=self._after,
            account_id=self.account,
        )
        self._is_read = len(page) < PAGE
        self._page, self._after = list(page), page[-1] if page else None
        return bool(page)
