"""Calls a person: a webhook or a command where a document is held, or more exists than is wanted.

Best effort, after the fact is durable: a notice that cannot be delivered is logged and counted, and
holds up nothing. What it tells stands in the ledger, where `reconciler list --state held` finds it.
"""

from __future__ import annotations

import asyncio
import json
import logging
import shlex
from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import Any, Final

import httpx

from reconciler import events
from reconciler.model import Document, DocumentState
from reconciler.ports import Event
from reconciler.typed_command import typed_command

from . import metrics

LOG = logging.getLogger(__name__)

SCHEMA: Final = "notice/1"
TRIES_MAX: Final = 3
TIMEOUT_SECONDS: Final = 10.0
WAITING_MAX: Final = 1_000
"""Beyond it notices are dropped, and counted: whoever is to be told is told of a thousand."""


class Notices:
    """Of one event loop. `url` is posted to, `command` gets the notice on its standard input."""

    def __init__(
        self,
        *,
        url: str | None = None,
        command: str | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._url = url
        self._command = command
        self._transport = transport
        self._sending: set[asyncio.Task[None]] = set()

    def consider(self, document: Document, said: Iterable[Event]) -> None:
        """Send one for each of these events that wants a person."""
        for event in said if any(self._ways()) else ():
            if notice := notice_of(document, event):
                self._send(notice)

    async def aclose(self) -> None:
        """Let what is being sent end, within its time."""
        await asyncio.gather(*self._sending, return_exceptions=True)

    def _send(self, notice: dict[str, Any]) -> None:
        if len(self._sending) >= WAITING_MAX:
            metrics.NOTICES.labels(result="dropped").inc()
            return
        task = asyncio.get_running_loop().create_task(self._delivered(notice))
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    async def _delivered(self, notice: dict[str, Any]) -> None:
        for deliver in self._ways():
            try:
                await deliver(json.dumps(notice).encode())
            except (OSError, TimeoutError, httpx.HTTPError, _Refused) as error:
                metrics.NOTICES.labels(result="failed").inc()
                LOG.warning("a notice about %s was not taken: %s", notice["document_id"], error)
            else:
                metrics.NOTICES.labels(result="sent").inc()

    def _ways(self) -> Iterator[Callable[[bytes], Awaitable[None]]]:
        if self._url is not None:
            yield self._post
        if self._command is not None:
            yield self._run

    async def _post(self, text: bytes) -> None:
        assert self._url is not None
        transport = self._transport or httpx.AsyncHTTPTransport(retries=TRIES_MAX - 1)
        async with httpx.AsyncClient(transport=transport, timeout=TIMEOUT_SECONDS) as client:
            answer = await client.post(
                self._url, content=text, headers={"content-type": "application/json"}
            )
        if not answer.is_success:
            raise _Refused(f"HTTP {answer.status_code}")

    async def _run(self, text: bytes) -> None:
        assert self._command is not None
        process = await asyncio.create_subprocess_exec(
            *shlex.split(self._command), stdin=asyncio.subprocess.PIPE
        )
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                await process.communicate(text)
        except TimeoutError:
            process.kill()
            await process.wait()
            raise
        if process.returncode:
            raise _Refused(f"exit code {process.returncode}")


class _Refused(Exception):
    """Who was to be told said no."""


def notice_of(document: Document, event: Event) -> dict[str, Any] | None:
    """What a person is told; None where nobody is wanted."""
    is_held = event.kind == events.STATE and event.detail.get("state") == DocumentState.HELD
    if not is_held and event.kind != events.SURPLUS:
        return None
    return {
        "schema": SCHEMA,
        "event": "held" if is_held else "surplus",
        "document_id": document.id,
        "account_id": document.account_id,
        "item": event.item,
        "external_id": event.detail.get("external_id"),
        "why": document.next.why,
        "next": typed_command("explain" if is_held else "show", document.id),
    }
