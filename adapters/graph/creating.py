"""Creates, alone or several in one request: each sent at most once, each answered in values."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

import httpx

from reconciler.call_outcome import Again, Answer, CreateRequest
from reconciler.model import CallError, Outcome

from .answer import Redact, answer_to_create, short
from .create_batch import ChildAnswer, answers_to_batch, operation
from .outcome import APP_WIDE
from .pace import Block, Pace
from .paths import Unsendable, account_path
from .reply import NoReply
from .request_class import Ended, RequestKind, class_of
from .requests import Requests
from .sending import Outgoing, Sender

CREATE_BODY_MAX: Final = 2**20
"""Bytes of the reply to one POST; a real create's has fewer than a hundred."""

LOCAL: Final = "local"
"""The `row` of an error that was found before anything was sent, so by no line of the table."""


class Creating:
    """What the client does to create. Nothing here waits but `keep_pace`, and nothing sends twice.

    `ended` is told of each create that shared a request; of requests the sender tells.
    """

    def __init__(
        self,
        *,
        requests: Requests,
        sender: Sender,
        pace: Pace,
        redact: Redact,
        sleep: Callable[[timedelta], Awaitable[None]],
        ended: Ended,
    ) -> None:
        self._requests = requests
        self._sender = sender
        self._pace = pace
        self._redact = redact
        self._sleep = sleep
        self._ended = ended

    async def create(self, request: CreateRequest, within: timedelta) -> Answer:
        """What cannot be sent at all is answered without sending."""
        try:
            outgoing = self._requests.create(request)
        except Unsendable as error:
            return self._unsendable(error)
        if outgoing is None:
            return self._without_token()
        return await self._create(account_path(request.account_id), outgoing, within)

    async def _create(self, account: str, outgoing: Outgoing, within: timedelta) -> Answer:
        """Never waits by itself: between the check of the lease and the request nothing passes."""
        if (block := self._pace.block(account)) is not None:
            return _blocked(block)
        back = await self._sender.send(outgoing, within, CREATE_BODY_MAX)
        answer = answer_to_create(back, self._redact)
        return answer if isinstance(back, NoReply) else self._noted(account, answer, back.headers)

    async def create_many(
        self, requests: Sequence[CreateRequest], within: timedelta
    ) -> tuple[Answer, ...]:
        """What cannot be sent is answered without keeping others."""
        operations: dict[int, dict[str, Any]] = {}
        answers: dict[int, Answer] = {}
        for place, request in enumerate(requests):
            try:
                operations[place] = operation(request)
            except Unsendable as error:
                answers[place] = self._unsendable(error)
        if operations:
            sent = [requests[place] for place in operations]
            told = await self._create_many(sent, list(operations.values()), within)
            answers.update(zip(operations, told, strict=True))
        return tuple(answers[place] for place in range(len(requests)))

    async def _create_many(
        self, sent: list[CreateRequest], operations: list[dict[str, Any]], within: timedelta
    ) -> list[Answer]:
        account = account_path(sent[0].account_id)
        if any(account_path(request.account_id) != account for request in sent):
            raise AssertionError("the creates of one request are of one account")
        outgoing = self._requests.create_many(account, operations)
        if outgoing is None:
            return [self._without_token()] * len(sent)
        if (block := self._pace.block(account)) is not None:
            return [_blocked(block)] * len(sent)
        self._pace.owe(account, len(sent) - 1, within)
        back = await self._sender.send(outgoing, within, CREATE_BODY_MAX)
        told = answers_to_batch(back, sent, self._redact)
        return [self._taken(account, child) for child in told]

    def _taken(self, account: str, child: ChildAnswer) -> Answer:
        self._ended(class_of(RequestKind.CREATE, child.back))
        return self._noted(account, child.answer, child.headers)

    def _noted(self, account: str, answer: Answer, headers: httpx.Headers) -> Answer:
        """A clear answer may announce that the next one would be refused: then it says so too."""
        is_throttle = answer.again is Again.THROTTLED
        is_app_wide = answer.error is not None and answer.error.row in APP_WIDE
        block = self._pace.note(account, headers, is_throttle=is_throttle, is_app_wide=is_app_wide)
        announces = block is not None and answer.outcome in (Outcome.CREATED, Outcome.REJECTED)
        return replace(answer, again=Again.THROTTLED, wait=block) if announces else answer

    async def keep_pace(self, account_id: str, within: timedelta) -> None:
        """No wait for an id that is no account's."""
        try:
            pause = self._pace.pause(account_path(account_id), within)
        except Unsendable:
            return
        if pause > timedelta(0):
            await self._sleep(pause)

    def _unsendable(self, error: Unsendable) -> Answer:
        return self._not_sent(Outcome.REJECTED, Again.NEVER, str(error))

    def _without_token(self) -> Answer:
        return self._not_sent(Outcome.NOT_SENT, Again.ACCESS, "no token for this account")

    def _not_sent(self, outcome: Outcome, again: Again, why: str) -> Answer:
        error = CallError(row=LOCAL, message=short(why, self._redact))
        return Answer(outcome=outcome, again=again, error=error)


def _blocked(block: Block) -> Answer:
    error = CallError(row=LOCAL, message=block.why)
    outcome, again = Outcome.NOT_SENT, Again.THROTTLED
    return Answer(outcome=outcome, again=again, error=error, wait=block.wait)
