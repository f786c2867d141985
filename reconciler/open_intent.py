"""One create that a program sends by itself, as the program sees it: what to send, and the answer.

What is durable and when is as in an attempt of our own, by the same functions. A process that dies
anywhere in between leaves what a worker of ours would leave, and is recovered in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from datetime import timedelta
from types import TracebackType
from typing import Any, Final, Self

from . import events
from .assumptions import Broken, outlived, told_of, twice, unmarked
from .attempt_end import end_attempt
from .call_outcome import Again, Answer, Answered
from .deciding import with_surplus
from .ending import Ending
from .entering import Entered, enter
from .errors import BindingTaken, LedgerUnavailable, NotSettled, Refused
from .model import AttemptOutcome, CallError, Kind, Outcome, Surplus
from .outside import Outside
from .ports import Anyhow, Around, Change, Event, View
from .recorder import contradicted_by
from .turning_away import not_settled, stands_for
from .wave import Stop

_ID: Final = re.compile(r"[1-9][0-9]{0,31}")

SAID_MAX: Final = 500
"""Characters kept of what a program says about a refusal."""

UNSAID: Final = "the block ended without confirm or reject, so what it made is looked for"

Tell = Callable[[str], None]


class OpenIntent:
    """What to send, and where to say how it was answered. Made by `Reconciler.intent`.

    Entering raises `AlreadyMade`, `NotSettled`, `Refused`, `WrongState` or `UnknownItem`: a body
    cannot be skipped. Inside, send **one** request, once, and `confirm` or `reject`; whatever the
    body raises, and a body that says nothing, leaves the item `pending`, to be found by its mark.
    """

    def __init__(
        self,
        document_id: str,
        item: str,
        outside: Outside,
        *,
        tell: Tell = lambda _: None,
        shown: Callable[[str], str] = str,
    ) -> None:
        """`tell` hears of broken assumptions; `shown` takes secrets out of what is stored."""
        self.document_id = document_id
        self.item = item
        self.external_id: str | None = None
        self._outside = outside
        self._tell = tell
        self._shown = shown
        self._around = AsyncExitStack()
        self._answer: Answer | None = None
        self._open: Entered
        self._read: set[str] = set()
        self._broken: list[Broken] = []

    # --- what to send ------------------------------------------------------------------------

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the ad labels that the entity must bear; none for a document without a mark."""
        self._read.add("labels")
        mark = self._open.intent.mark
        return () if mark is None else (mark.document_part,)

    @property
    def name(self) -> str:
        """The name to send: canonical, and with the mark where it rides there."""
        self._read.add("name")
        return self._open.intent.name_sent

    @property
    def params(self) -> Mapping[str, Any]:
        """The request complete: name, labels, parent and status stand in it, references are ids."""
        self._read |= {"labels", "name"}
        return dict(self._open.to_send.request.params)

    @property
    def account_id(self) -> str:
        """With its `act_`, as paths want it."""
        return f"act_{self._open.to_send.request.account_id.removeprefix('act_')}"

    @property
    def kind(self) -> Kind:
        """What is to be made."""
        return self._open.to_send.request.kind

    @property
    def timeout(self) -> float:
        """Seconds that the request may take in all, connecting and retries of sockets included."""
        return self._outside.limits.call_timeout.total_seconds()

    # --- how it was answered -----------------------------------------------------------------

    async def confirm(self, external_id: str | int) -> None:
        """It was made, under this id; durable on return. Raises `LedgerUnavailable` if it is not.

        A second id is a second entity: recorded as surplus. Raises `BindingTaken` for the id of
        another item, and `ValueError` for what is no id: then the item stays `pending`.
        """
        made = _checked(external_id)
        if self.external_id is None:
            await self._save(Answer(outcome=Outcome.CREATED, external_id=made))
            self.external_id = made
        elif made != self.external_id:
            await self._save_second(made)

    async def reject(self, message: str) -> None:
        """The API refused the input and made nothing: certain, or do not say it (A8)."""
        await self._save(_answer(Outcome.REJECTED, self._shown(message)[:SAID_MAX], Again.NEVER))

    async def not_settled(self) -> NotSettled:
        """Why it is open still, and when to ask again."""
        return not_settled(await self._outside.ledger.read(self.document_id))

    # --- before ------------------------------------------------------------------------------

    async def __aenter__(self) -> Self:
        try:
            self._open = await enter(self.document_id, self.item, self._outside, self._around)
        except BaseException:
            await self._around.aclose()
            raise
        return self

    # --- after -------------------------------------------------------------------------------

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        is_silent = self._answer is None and error is None
        async with self._around:
            if self._answer is None:
                await self._say_nothing_or_no(error)
            ending, held = self._ending(), self._open.held
            ended = await end_attempt(self.document_id, ending, held, self._outside)
        await self._tell_what_broke()
        if self.external_id is not None:
            self.external_id = stands_for(ended.document, self.item)
        if error is None and self._answer is not None and self._answer.outcome is Outcome.UNKNOWN:
            raise _unsaid(await self.not_settled()) if is_silent else await self.not_settled()

    async def _say_nothing_or_no(self, error: BaseException | None) -> None:
        """Only a refusal is a proof. Of all else the kind is kept: its text may hold a token."""
        if isinstance(error, Refused):
            await self.reject(error.message)
            return
        said = UNSAID if error is None else f"send raised {type(error).__name__}"
        await self._save(_answer(Outcome.UNKNOWN, said, Again.BACKOFF), must=False)

    async def _save(self, answer: Answer, *, must: bool = True) -> None:
        """Once: a call keeps the end it has."""
        if self._answer is not None:
            raise ValueError("it was answered already")
        self._answer = answer
        self._note(outlived(self._took(), self._outside.limits.call_timeout))
        self._open.held.step()
        answered = Answered(item=self.item, call=self._open.to_send.call, answer=answer)
        self._open.recorder.add(answered)
        await self._open.recorder.flush()
        if self._open.recorder.failed and must:
            raise LedgerUnavailable(
                f"what became of item {self.item} could not be saved"
                + (f"; it was made as {answer.external_id}" if answer.external_id else ""),
                next_step="read it again: what was made is found by its mark",
            )
        if self._open.recorder.contradicted and answer.external_id is not None:
            mended = "ask again: what this item made, if anything, is found by its mark"
            taken = BindingTaken(answer.external_id, next_step=mended)
            self._answer = contradicted_by(taken)  # as the recorder saved it
            raise taken

    def _took(self) -> timedelta:
        return timedelta(seconds=self._outside.clock.boot_seconds() - self._open.began)

    async def _save_second(self, second: str) -> None:
        extra = Surplus(external_id=second, kind=self.kind, item=self.item)

        def decide(view: View) -> Change:
            if second in view.surroundings.bindings:
                mended = "give this item the id of what it made; that one is another item's"
                raise BindingTaken(second, next_step=mended)
            said = Event(kind=events.SURPLUS, item=self.item, detail={"external_id": second})
            return Change(document=with_surplus(view.document, [extra]), events=(said,))

        around = Around(external_ids=frozenset({second}))
        await self._outside.ledger.change(self.document_id, Anyhow(), decide, around=around)
        self._note(twice(str(self.external_id), second))

    async def _tell_what_broke(self) -> None:
        if self.external_id is not None and self._open.intent.mark is not None:
            if "labels" not in self._read:
                self._note(unmarked("intent.labels"))
            if "name" not in self._read and self._open.intent.mark_in_name:
                self._note(unmarked("intent.name"))
        if not self._broken:
            return
        for broken in self._broken:
            self._tell(f"document {self.document_id}, item {self.item}: {broken}")
        await self._outside.ledger.change(
            self.document_id, Anyhow(), lambda view: told_of(view, self.item, self._broken)
        )

    def _note(self, broken: Broken | None) -> None:
        if broken is not None:
            self._broken.append(broken)

    def _ending(self) -> Ending:
        if self._open.recorder.failed:
            return Ending(outcome=AttemptOutcome.ERROR, stop=Stop.UNSAVED)
        if self._answer is not None and self._answer.outcome is Outcome.UNKNOWN:
            error = self._answer.error
            said = error.message if error else None
            return Ending(outcome=AttemptOutcome.UNRESOLVED, error=said, stop=Stop.UNKNOWN)
        return Ending(outcome=AttemptOutcome.SUCCEEDED)


def _unsaid(later: NotSettled) -> NotSettled:
    """What is mostly a mistake in the block must not read like a reply that the network lost."""
    return NotSettled(f"{UNSAID}; {later.why}", until=later.until, next_step=later.next_step)


def _answer(outcome: Outcome, said: str, again: Again) -> Answer:
    return Answer(outcome=outcome, again=again, error=CallError(row="program", message=said))


def _checked(external_id: object) -> str:
    """Ids of the API are digits, as a number or a text (facts 5.14); as plans and HTTP take them,
    so that what is recorded can be asked for."""
    if isinstance(external_id, str | int) and not isinstance(external_id, bool):
        text = str(external_id)
        if _ID.fullmatch(text):
            return text
    raise ValueError(
        f"an external id is all digits, at most 32, the first not 0, and not {external_id!r:.60}"
    )
