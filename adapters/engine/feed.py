"""Says to the engine which documents to look at, asked of the ledger, which alone knows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from procrastinate.connector import BaseConnector

from reconciler.due import DueDocument
from reconciler.outside import Outside
from reconciler.serving import Serving
from reconciler.turns import Line

ACCOUNTS: Final = 200
"""Accounts asked for at once. Each lane that is said holds a lock until all of them are."""

FOR_EACH_LANE: Final = 10
"""Documents said for each lane of an account: which lane one falls into is chance."""

_LOOK_AT: Final = """
SELECT engine_look_at(document_id, account_id)
FROM unnest(%(documents)s::text[], %(accounts)s::text[]) AS due (document_id, account_id)
"""


class Feed:
    """What is waiting in the engine's line already is said for nothing, and does no harm."""

    def __init__(self, connector: BaseConnector, outside: Outside, serving: Serving) -> None:
        self._connector = connector
        self._outside = outside
        self._serving = serving

    async def everybody(self) -> None:
        """One document of each account that has something to publish."""
        after = ""
        while page := await self._outside.ledger.turns(limit=ACCOUNTS, after=after):
            await self._say(page)
            if len(page) < ACCOUNTS:
                return
            after = page[-1].account_id

    async def account(self, account_id: str) -> None:
        """As many of this account as may fill its lanes, but those that we leave alone."""
        line, found = Line(account_id, self._outside), list[DueDocument]()
        most = FOR_EACH_LANE * self._outside.limits.account_concurrency
        while len(found) < most and (row := await line.next(_always, self._serving.may_take)):
            found.append(row)
        await self._say(found)

    async def _say(self, rows: Sequence[DueDocument]) -> None:
        if rows:
            await self._connector.execute_query_async(
                _LOOK_AT,
                documents=[row.document_id for row in rows],
                accounts=[row.account_id for row in rows],
            )


def _always(_: str) -> bool:
    """How many of an account are published at once is the lanes' to say."""
    return True
