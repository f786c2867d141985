"""What the engine asks its database, all of which can be ended at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, LiteralString

from procrastinate import PsycopgConnector
from procrastinate.exceptions import ConnectorException


class EndingConnector(PsycopgConnector):
    """To close the pool is not enough: that ends only who stands in its line. Who was given broken
    connections is between two tries, and stands in line afterwards, for half a minute, where nobody
    is served any more."""

    def __init__(self) -> None:
        super().__init__()
        self._asked: set[asyncio.Timeout] = set()
        self._is_ended = False

    def end(self) -> None:
        """Whatever is being asked, and whatever will be, fails with `ConnectorException`."""
        self._is_ended = True
        while self._asked:
            self._asked.pop().reschedule(asyncio.get_running_loop().time())

    async def execute_query_async(self, query: LiteralString, **arguments: Any) -> None:
        """Until it is ended."""
        async with self._asking():
            await super().execute_query_async(query, **arguments)

    async def execute_query_one_async(
        self, query: LiteralString, **arguments: Any
    ) -> dict[str, Any]:
        """Until it is ended."""
        async with self._asking():
            row: dict[str, Any] = await super().execute_query_one_async(query, **arguments)
            return row

    async def execute_query_all_async(
        self, query: LiteralString, **arguments: Any
    ) -> list[dict[str, Any]]:
        """Until it is ended."""
        async with self._asking():
            rows: list[dict[str, Any]] = await super().execute_query_all_async(query, **arguments)
            return rows

    @asynccontextmanager
    async def _asking(self) -> AsyncIterator[None]:
        if self._is_ended:
            raise _ended()
        try:
            async with asyncio.timeout(None) as asked:
                self._asked.add(asked)
                try:
                    yield
                finally:
                    self._asked.discard(asked)
        except TimeoutError:
            if not self._is_ended:
                raise
            raise _ended() from None


def _ended() -> ConnectorException:
    return ConnectorException("the database had not answered when the worker was to end")
